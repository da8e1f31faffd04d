//! Files about all functions of a session: which are traced now, and whether any is.

use crate::common::*;
use crate::function_pids::Functions;
use crate::functions::{NOPS, path, session};

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

#[test]
fn a_list_takes_many_names_at_once() {
    let scratch = Scratch::new();
    let names: Vec<String> = (0..400).map(|number| format!("many_{number:04}")).collect();
    let functions: String = names.iter().map(|name| format!("int {name}(void) {{ return 0; }}\n")).collect();
    let program =
        compile(&scratch, "many", &(functions + "int main(void) { return many_0000(); }\n"), &[NOPS]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
    let set = |value: &str| {
        let mut words = vec!["set", "-q", "--session", &place, "set_ftrace_filter"];
        words.push(value);
        run(&mut scratch.lookback(&words))
    };
    let get =
        || run(&mut scratch.lookback(&["get", "--session", &place, "set_ftrace_filter"])).success().stdout;
    let listed = |names: &[String]| names.iter().map(|name| format!("{name} [many]\n")).collect::<String>();
    set(&names.join("\n")).success();
    assert_eq!(get(), listed(&names));
    // What is refused ends it; what comes before stays.
    let (first, last) = names.split_at(150);
    let refused = set(&format!("{} many_x {}", first.join(" "), last.join(" ")));
    refused.failure(125, &["set_ftrace_filter"]);
    assert_eq!(get(), listed(first));
    set(&format!("{} !many_00?? many_0050", names.join(" "))).success();
    let without: Vec<String> =
        names.iter().filter(|name| *name == "many_0050" || !name.starts_with("many_00")).cloned().collect();
    assert_eq!(get(), listed(&without));
}
