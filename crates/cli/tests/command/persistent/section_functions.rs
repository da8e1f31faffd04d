//! Functions that are called within the sections that latency tracers measure.

use super::latency::{FLIGHT, Measured};
use crate::common::*;
use crate::functions::NOPS;

const SOURCE: &str = include_str!("../programs/section_functions.c");

/// How often calls are in a text: those of `within` in sections, those within that, what is outside of
/// sections and in another thread, and starts of sections.
fn counts(text: &str) -> [usize; 4] {
    let count = |function: &str, caller: &str| {
        let calls = text.lines().filter_map(|line| line.split_once(" <-"));
        let calls = calls.filter(|(before, place)| {
            let called = before.rsplit(' ').next().and_then(|name| name.split('@').next());
            (function.is_empty() || called == Some(function))
                && (caller.is_empty() || place.starts_with(caller))
        });
        calls.count()
    };
    [
        count("within", "section"),
        count("deeper", "within"),
        count("outside", "") + count("", "outside"),
        count("pthread_mutex_lock", "section"),
    ]
}

#[test]
fn functions_are_traced_in_sections() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    let program = compile(&measured.session.scratch, "program", SOURCE, &["-O1", "-pthread", NOPS]);
    let run = |kept_from: &str| {
        measured.set("tracing_max_latency", kept_from);
        measured.session.done("clear", &[]);
        measured.session.run(&[program.to_str().unwrap()]);
    };
    // What is not kept stays in the buffer.
    let shown = || {
        run("60000000");
        measured.session.done("show", &[]).stdout
    };
    measured.set("options/func_stack_trace", "1");
    for tracer in ["preemptoff", "preemptirqsoff"] {
        measured.set("current_tracer", tracer);
        let text = shown();
        assert_eq!(counts(&text), [2, 2, 0, 2], "{text}");
        run("0");
        let text = measured.get("trace");
        assert_eq!(counts(&text), [1, 1, 0, 1], "{text}");
    }
    measured.set("set_ftrace_notrace", "within");
    assert_eq!(counts(&shown()), [0, 2, 0, 2]);
    measured.set("options/function-trace", "0");
    assert_eq!(counts(&shown()), [0, 0, 0, 2]);
    measured.set("options/function-trace", "1");
    assert_eq!(counts(&shown()), [0, 2, 0, 2]);
    // No lock makes a section of this tracer, and functions are called in none.
    measured.set("current_tracer", "irqsoff");
    assert_eq!(counts(&shown()), [0; 4]);
    // Whoever runs while another is woken: all calls.
    for (tracer, starts) in [("wakeup", 0), ("function", 0)] {
        measured.set("current_tracer", tracer);
        let [within, deeper, outside, begun] = counts(&shown());
        assert!((within, deeper, begun) == (0, 2, starts) && outside > 0, "{tracer}");
    }
}

/// What is in the column of calls.
fn graph(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.contains("/*"));
    let calls = lines.filter_map(|line| line.rsplit_once("|  "));
    let is_libc = |name: &str| name.ends_with(" [libc.so.6]();");
    calls
        .map(|(_, call)| call.split('@').next().filter(|_| is_libc(call)).unwrap_or(call).to_string())
        .collect()
}

#[test]
fn functions_are_a_graph_where_that_is_asked_for() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    let program = compile(&measured.session.scratch, "program", SOURCE, &["-O1", "-pthread", NOPS]);
    let run = || {
        measured.set("tracing_max_latency", "0");
        measured.session.run(&[program.to_str().unwrap()]);
    };
    measured.set("current_tracer", "preemptoff");
    run();
    assert_ne!(measured.get("tracing_max_latency"), "0\n");
    measured.set("options/display-graph", "1");
    assert_eq!((measured.get("tracing_max_latency"), graph(&measured.get("trace"))), ("0\n".into(), vec![]));
    // What the options of function_graph say doesn't concern it.
    for option in ["funcgraph-args", "funcgraph-tail"] {
        measured.set(&format!("options/{option}"), "1");
    }
    run();
    let text = measured.get("trace");
    let section = ["within() {", "  deeper();", "}"];
    let ends = ["pthread_mutex_lock", "pthread_mutex_unlock"];
    assert_eq!(graph(&text), [&ends[..1], &section, &ends[1..]].concat(), "{text}");
    let header = "#   REL TIME      CPU  TASK/PID       ||||     DURATION                  FUNCTION CALLS\n\
                  #      |          |     |    |        ||||      |   |                     |   |   |   |\n";
    assert!(text.contains(header), "{text}");
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("pthread_mutex_")).collect();
    assert!(lines.iter().all(|line| line.contains(" |   0.000 us    |  pthread")), "{text}");
    let last: u64 = lines[1].trim_start().split(' ').next().unwrap().parse().unwrap();
    let longest: u64 = measured.get("tracing_max_latency").trim().parse().unwrap();
    assert!(last.abs_diff(longest) <= 1, "{text}");
    measured.set("options/function-trace", "0");
    run();
    assert_eq!(graph(&measured.get("trace")), ends);
    // Calls within a threshold, which is that of sections.
    measured.set("options/function-trace", "1");
    measured.set("tracing_thresh", "1");
    measured.set("set_ftrace_notrace", "deeper");
    run();
    assert_eq!(graph(&measured.get("trace")), [ends[0], "within();", ends[1]]);
    measured.set("options/display-graph", "0");
    run();
    assert_eq!(counts(&measured.get("trace"))[..2], [1, 0]);
}

#[test]
fn a_recording_has_functions_of_sections() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "program", SOURCE, &["-O1", "-pthread", NOPS]);
    run(&mut scratch.record(&["-p", "preemptoff", "-l", "within"], &[program.to_str().unwrap()])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!(counts(&report), [2, 0, 0, 2], "{report}");
}
