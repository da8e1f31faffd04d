-- Which calls failed, with which error, about what
SELECT name, errno_name(error) AS errno, path, count(*) AS times, min(ts) AS first_ts, min(caller) AS caller
FROM slices
WHERE error IS NOT NULL
GROUP BY name, error, path
ORDER BY times DESC, name, errno, path
LIMIT 40
