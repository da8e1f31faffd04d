-- In which calls threads were off their CPU, where the trace has switches
SELECT comm, name, count(*) AS calls, sum(blocked) AS blocked_ns, sum(runnable) AS runnable_ns,
       sum(running) AS running_ns
FROM slices
WHERE blocked + runnable > 0
GROUP BY comm, name
ORDER BY sum(blocked + runnable) DESC, comm, name
LIMIT 40
