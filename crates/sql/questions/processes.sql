-- Which processes called most, and how long they did
SELECT pid, min(comm) AS comm, count(DISTINCT tid) AS threads, count(*) AS calls, sum(self) AS in_calls_ns,
       count(*) FILTER (WHERE error IS NOT NULL) AS failed
FROM slices
GROUP BY pid
ORDER BY calls DESC, pid
LIMIT 40
