-- Which calls took longest in all, and how long each did
SELECT system, name, count(*) AS calls, sum(dur) AS total_ns, cast(round(pct(dur, 0.5)) AS BIGINT) AS p50_ns,
       cast(round(pct(dur, 0.99)) AS BIGINT) AS p99_ns, max(dur) AS max_ns,
       count(*) FILTER (WHERE error IS NOT NULL) AS failed
FROM slices
GROUP BY system, name
ORDER BY total_ns DESC, system, name
LIMIT 40
