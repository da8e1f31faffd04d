-- Which files, peers and other paths were waited for longest
SELECT path, count(*) AS calls, sum(dur) AS total_ns, max(dur) AS max_ns,
       count(*) FILTER (WHERE error IS NOT NULL) AS failed, min(comm) AS by_thread
FROM slices
WHERE path IS NOT NULL
GROUP BY path
ORDER BY total_ns DESC, path
LIMIT 40
