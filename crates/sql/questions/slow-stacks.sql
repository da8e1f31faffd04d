-- The stacks of the calls that took longest in all, where the trace has stacks
SELECT slices.name, folded(stacks.frames) AS stack, count(*) AS calls, sum(slices.dur) AS total_ns
FROM slices JOIN stacks ON stacks.id = slices.stack
GROUP BY slices.name, folded(stacks.frames)
ORDER BY total_ns DESC, slices.name, stack
LIMIT 20
