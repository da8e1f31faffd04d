//! Programs of musl, the C library of Alpine Linux: they are recorded as those of glibc are.

use crate::attaching::{
    ATTACHED, again_and_again, assert_limits_are_kept, attach_one, begin, events_of, opened, tell,
};
use crate::common::*;
use crate::detaching::detach;
use crate::function_interruptions::{SITTING, field};
use crate::functions::{NOPS, calls, path, session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SOURCE: &str = include_str!("programs/musl.c");

/// As a compiler that was built for musl does it, and with the kernel's headers.
const OPTIONS: [&str; 6] = [
    "-O1",
    "-w",
    "-Wl,--eh-frame-hdr",
    "-idirafter/usr/include",
    "-idirafter/usr/include/x86_64-linux-gnu",
    "-Wl,--build-id",
];

#[track_caller]
fn compile_for_musl(scratch: &Scratch, name: &str, source: &str) -> PathBuf {
    compile_by("musl-gcc", scratch, name, source, &[&OPTIONS[..], &[NOPS]].concat())
}

fn is_without_musl() -> bool {
    is_missing(&["cc", "musl-gcc"])
}

/// Itself, after the program's own exit status.
#[track_caller]
fn exited(outcome: Outcome) -> Outcome {
    assert_eq!(outcome.code(), Some(5), "{outcome:#?}");
    outcome
}

/// How often each event was recorded of a program, and what was said of it.
fn recorded(scratch: &Scratch, program: &Path) -> (BTreeMap<String, usize>, String) {
    let outcome = run(&mut scratch.record(&[], &[path(program)]));
    assert_eq!((outcome.stdout.as_str(), outcome.code()), ("child 3\n", Some(5)), "{}", outcome.stderr);
    let mut counts = BTreeMap::new();
    for event in scratch.trace().events {
        *counts.entry(event.name).or_default() += 1;
    }
    (counts, outcome.stderr)
}

#[test]
fn the_same_is_recorded_of_a_program_as_under_glibc() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    let usual = compile(&scratch, "usual", SOURCE, &["-O1", "-w"]);
    let (expected, _) = recorded(&scratch, &usual);
    let (found, said) = recorded(&scratch, &compile_for_musl(&scratch, "musl", SOURCE));
    assert_eq!(found, expected);
    assert!(said.contains(" 0 lost") && !said.contains("unseen"), "{said}");
    let trace = scratch.trace();
    trace.expect("open_exit", "error=ENOENT pathname=/nowhere");
    let executed =
        |name| trace.events.iter().filter(move |event| event.name == name && event.text.contains(" last\""));
    assert_eq!((executed("execve").count(), executed("sched_process_exec").count()), (1, 1));
}

#[test]
fn functions_of_a_program_are_traced() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    // Without sites that a compiler has left.
    let program = compile_by("musl-gcc", &scratch, "musl", SOURCE, &OPTIONS);
    let traced = |tracer: &str| {
        let options = ["-q", "-p", tracer, "-l", "fails"];
        exited(run(&mut scratch.record(&options, &[path(&program)])));
        run(&mut scratch.lookback(&["report", path(&scratch.outside("trace.dat"))])).success().stdout
    };
    assert_eq!(calls(&traced("function")), ["fails <-fails_thrice"; 3]);
    assert_eq!(traced("function_graph").matches("fails();").count(), 3);
}

#[test]
fn system_calls_that_are_not_seen_are_told() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    let program = compile_for_musl(&scratch, "musl", SOURCE);
    let said = exited(run(&mut scratch.record(&["-e", "syscalls"], &[path(&program)]))).stderr;
    assert!(said.contains("the system calls of musl are not seen: "), "{said}");
}

#[test]
fn a_program_is_attached_and_detached() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    compile_for_musl(&scratch, "attached", ATTACHED);
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &["threads"]);
    let pid = running.pid();
    let descriptors = || std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let descriptors_before = descriptors();
    let traced =
        || calls(&run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout).len();
    let opened_so_far = || opened(&events_of(&scratch, &place, pid)).len();
    for round in 1..=3 {
        attach_one(&scratch, &place, &running);
        tell(&mut running, "c");
        tell(&mut running, "t");
        assert_eq!((opened_so_far(), traced()), (round, round));
        detach(&scratch, &place, pid).success();
        tell(&mut running, "c");
        tell(&mut running, "t");
        assert_eq!((opened_so_far(), traced()), (round, round));
        assert_eq!(field(pid, "TracerPid:"), "0");
        assert_code_is_of_files(pid);
    }
    assert_eq!(descriptors(), descriptors_before);
}

#[test]
fn calls_with_a_limit_go_on() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    let program = compile_for_musl(&scratch, "sitting", SITTING);
    assert_limits_are_kept(&scratch, &program);
}

#[test]
fn a_program_under_load_is_attached_and_detached_again_and_again() {
    if is_without_musl() {
        return;
    }
    let scratch = Scratch::new();
    let program = compile_for_musl(&scratch, "musl", SOURCE);
    let place = session(&scratch, &["-e", "@file", "-e", "malloc", "-p", "function_graph", "-l", "fails"]);
    let mut running = start(scratch.command(&program).arg("8000"));
    running.wait_for("ready");
    for _ in 0..10 {
        attach_one(&scratch, &place, &running);
        again_and_again(|| detach(&scratch, &place, running.pid())).success();
    }
    attach_one(&scratch, &place, &running);
    let outcome = running.wait();
    assert_eq!((outcome.stdout.as_str(), outcome.code()), ("ready\nwrong 0\n", Some(5)));
}
