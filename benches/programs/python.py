"""What lookback's Python package takes: `events` in a program that is recorded, or `read FILE`. Prints a name and a
number on each line."""

import collections
import sys
import time

import lookback

EVENTS = 200_000
CALLS = 100_000
ROUNDS = 5


def median(measure):
    return sorted(measure() for _ in range(ROUNDS))[ROUNDS // 2]


def nothing(number):
    pass


def loop_ns(count, operation, empty=nothing):
    """What an operation takes longer than an empty one in the same loop."""

    def timed(operation):
        start = time.thread_time_ns()
        for number in range(count):
            operation(number)
        return (time.thread_time_ns() - start) / count

    return median(lambda: timed(operation) - timed(empty))


def hooked(number):
    pass


def hook_alone():
    """Hooks for functions that do nothing, and what ends them."""
    if not hasattr(sys, "monitoring"):
        sys.setprofile(lambda frame, event, argument: None)
        return lambda: sys.setprofile(None)
    monitoring = sys.monitoring
    events, tool = monitoring.events, monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "bench")
    for event in (events.PY_START, events.PY_RETURN):
        monitoring.register_callback(tool, event, lambda code, offset, *rest: None)
    monitoring.set_events(tool, events.PY_START | events.PY_RETURN)

    def stop():
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)

    return stop


def call_ns(hook):
    """What a call takes longer with a hook."""

    def timed():
        start = time.thread_time_ns()
        for number in range(CALLS):
            hooked(number)
        return (time.thread_time_ns() - start) / CALLS

    without = median(timed)
    stop = hook()
    found = median(timed)
    stop()
    return found - without


def events():
    event = lookback.event("bench:event", id=int, count=int)
    text = lookback.event("bench:text", id=int, name=str)
    off = lookback.event("bench_off:event", id=int)
    # Each is called by a function, which nothing is, too.
    print("python_event_ns", loop_ns(EVENTS, lambda number: event(number, 2), lambda number: nothing(number)))
    print("python_event_text_ns", loop_ns(EVENTS, lambda number: text(number, "Ada"), lambda number: nothing(number)))
    print("python_event_off_ns", loop_ns(EVENTS, off))
    print("python_hook_alone_ns", call_ns(hook_alone))
    print("python_function_ns", call_ns(lambda: lookback.trace_functions().stop))


def read(file):
    def objects():
        start = time.perf_counter()
        with lookback.open(file) as reader:
            collections.deque(reader, 0)
        return count / (time.perf_counter() - start) / 1e6

    def arrow():
        start = time.perf_counter()
        with lookback.open(file) as reader:
            reader.to_arrow()
        return count / (time.perf_counter() - start) / 1e6

    with lookback.open(file) as reader:
        count = reader.to_arrow().num_rows
    print("python_iterate_Mevents_per_s", median(objects))
    print("python_arrow_Mevents_per_s", median(arrow))


if sys.argv[1] == "events":
    events()
else:
    read(sys.argv[2])
