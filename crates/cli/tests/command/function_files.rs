//! Files about all functions of a session: which are traced now, and whether any is.

use crate::common::*;
use crate::function_pids::Functions;

#[test]
fn enabled_functions_are_those_that_are_traced_now() {
    let functions = Functions::new();
    assert_eq!(functions.get("enabled_functions"), "", "no program has run");
    let mut worker = functions.start();
    worker.work();
    assert_eq!(functions.get("enabled_functions"), "work [work] (1)\n");
    let lookback = |words: &[&str]| run(&mut functions.scratch.lookback(words)).success();
    let session = &functions.session;
    lookback(&["start", "-q", "--session", session, "-B", "other", "-p", "function"]);
    lookback(&[
        "set",
        "-q",
        "-a",
        "--session",
        session,
        "instances/flight/set_ftrace_filter",
        "main:traceon",
    ]);
    assert_eq!(functions.get("enabled_functions"), "", "the program has not followed");
    worker.work();
    let lines = functions.get("enabled_functions");
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["main [work] (2)", "work [work] (2)"]);
    functions.set("instances/other/current_tracer", "nop");
    functions.set("instances/flight/current_tracer", "nop");
    worker.work();
    assert_eq!(functions.get("enabled_functions"), "main [work] (1)\n");
    drop(worker);
    assert_eq!(functions.get("enabled_functions"), "", "no program runs");
}

#[test]
fn no_function_is_traced_where_ftrace_enabled_is_0() {
    let functions = Functions::new();
    let mut worker = functions.start();
    worker.work();
    assert_eq!(functions.traced().len(), 2);
    functions.set("ftrace_enabled", "0");
    // The program follows once it has called its function.
    worker.work();
    functions.traced();
    worker.work();
    // Programs that start meanwhile trace none, either.
    functions.start().work();
    assert_eq!(functions.traced(), []);
    assert_eq!(functions.get("enabled_functions"), "");
    assert_eq!(functions.get("instances/flight/current_tracer"), "function\n");
    functions.set("ftrace_enabled", "1");
    worker.work();
    functions.traced();
    worker.work();
    assert_eq!(functions.traced().len(), 2);
    assert_eq!(functions.get("enabled_functions"), "work [work] (1)\n");
}

#[test]
fn a_function_keeps_what_was_recorded_and_stops_recording() {
    let functions = Functions::new();
    let mut worker = functions.start();
    functions.set("instances/flight/set_ftrace_filter", "work:dump");
    worker.work();
    assert_eq!(functions.get("instances/flight/tracing_on"), "0\n");
    assert_eq!(functions.traced(), []);
    let filter = functions.get("instances/flight/set_ftrace_filter");
    assert!(filter.ends_with("work:dump:count=0\n"), "{filter}");
    functions.set("instances/flight/tracing_on", "1");
    worker.work();
    assert_eq!(functions.traced().len(), 2, "once");
}
