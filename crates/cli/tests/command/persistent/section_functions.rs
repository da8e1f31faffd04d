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
    measured.set("current_tracer", "function");
    let [.., outside, starts] = counts(&shown());
    assert!(outside > 0 && starts == 0);
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
