-- How long threads waited for a CPU after they could run, where the trace has switches
SELECT threads.comm, count(*) AS times, cast(round(pct(states.dur, 0.5)) AS BIGINT) AS p50_ns,
       cast(round(pct(states.dur, 0.99)) AS BIGINT) AS p99_ns, max(states.dur) AS max_ns
FROM states LEFT JOIN threads ON threads.tid = states.tid
WHERE states.state = 'runnable'
GROUP BY threads.comm
ORDER BY max_ns DESC, threads.comm
LIMIT 40
