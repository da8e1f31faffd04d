-- What ran in the last 10 ms of the trace: a snapshot ends with its trigger
SELECT ts, dur, tid, comm, name, ret, errno_name(error) AS errno, path, ending
FROM slices
WHERE ts + dur >= (SELECT max(ts + dur) FROM slices) - 10000000
ORDER BY ts + dur DESC, id DESC
LIMIT 40
