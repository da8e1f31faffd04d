-- Who held the locks that others waited for
SELECT slices.holder, threads.comm, slices.name, count(*) AS waits, sum(slices.dur) AS waited_ns,
       max(slices.dur) AS max_ns, count(DISTINCT slices.tid) AS waiters
FROM slices LEFT JOIN threads ON threads.tid = slices.holder
WHERE slices.holder IS NOT NULL
GROUP BY slices.holder, threads.comm, slices.name
ORDER BY waited_ns DESC, slices.holder, slices.name
LIMIT 40
