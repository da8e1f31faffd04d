//! Every call that can be recorded is: under each of its names, with its result, its error and its caller.

use crate::common::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Each makes calls from functions `call_NAME` and prints what it has seen of them. Together they make all.
pub(crate) const PROGRAMS: [(&str, &str); 5] = [
    ("calls", include_str!("programs/calls.c")),
    ("calls_files", include_str!("programs/calls_files.c")),
    ("calls_memory", include_str!("programs/calls_memory.c")),
    ("calls_processes", include_str!("programs/calls_processes.c")),
    ("calls_signals", include_str!("programs/calls_signals.c")),
];

/// What one of the programs prints while it is recorded, and the recording.
fn recorded_of((name, source): (&str, &str), options: &[&str]) -> (String, Trace) {
    let scratch = Scratch::new();
    let program: PathBuf = compile(&scratch, name, source, options);
    let outcome = run(&mut scratch.record(&["-q", "-e", "*:*"], &[program.to_str().unwrap()]));
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (Some(9), ""), "{name}");
    (outcome.stdout, scratch.trace())
}

/// That of the first.
fn recorded(options: &[&str]) -> (String, Trace) {
    recorded_of(PROGRAMS[0], options)
}

/// Result and error of a call.
type Result = (String, String);

/// What the program has seen, by call and in order.
fn seen(stdout: &str) -> BTreeMap<&str, Vec<Result>> {
    let mut seen: BTreeMap<&str, Vec<Result>> = BTreeMap::new();
    for line in stdout.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [call, result, error] = words[..] else { panic!("not a call: {line:?}") };
        // As C and the kernel print the same.
        let result = if result == "(nil)" { "0x0" } else { result };
        let error = if error == "none" { "0" } else { error };
        seen.entry(call).or_default().push((result.to_string(), error.to_string()));
    }
    seen
}

/// The calls that the function of their name has made in the main thread, and how they have ended.
fn traced<'a>(name: &str, trace: &'a Trace) -> BTreeMap<&'a str, Vec<Result>> {
    let main = trace.expect_of(name, "sched_process_exec", "").pid;
    let mut traced: BTreeMap<&str, Vec<Result>> = BTreeMap::new();
    let events: Vec<&Event> = trace.events.iter().filter(|event| event.pid == main).collect();
    for (index, entry) in events.iter().enumerate() {
        let caller = entry.field("caller").unwrap_or_default();
        if !caller.starts_with(&format!("call_{}+0x", entry.name)) {
            continue;
        }
        let exit = events[index..].iter().find(|event| event.name == format!("{}_exit", entry.name));
        if let Some(exit) = exit {
            let result = (exit.get("ret").to_string(), exit.get("error").to_string());
            traced.entry(&entry.name).or_default().push(result);
        }
    }
    traced
}

#[test]
fn every_call_has_its_result_and_error() {
    if is_missing(&["cc"]) {
        return;
    }
    for program in PROGRAMS {
        let (stdout, trace) = recorded_of(program, &[]);
        let (mut seen, mut traced) = (seen(&stdout), traced(program.0, &trace));
        // A program is executed successfully by children only, whose calls are not among those here.
        for both in [&mut seen, &mut traced] {
            assert!(both.remove("fork").is_none_or(|forks| forks.len() == 2));
        }
        for (call, results) in &seen {
            assert_eq!(traced.get(call), Some(results), "{call}");
        }
        assert_eq!(traced.keys().collect::<Vec<_>>(), seen.keys().collect::<Vec<_>>());
    }
}

#[test]
fn every_call_of_the_table_is_recorded() {
    if is_missing(&["cc"]) {
        return;
    }
    let traces = PROGRAMS.map(|program| recorded_of(program, &[]).1);
    let events = || traces.iter().flat_map(|trace| &trace.events);
    let listed = run(&mut Scratch::new().lookback(&["events", "libc", "signal"])).success().stdout;
    let listed: BTreeSet<&str> =
        listed.lines().filter_map(|line| Some(line.trim().split(' ').next()?.split_once(':')?.1)).collect();
    let recorded: BTreeSet<&str> = events().map(|event| event.name.as_str()).collect();
    let missing: Vec<&&str> = listed.difference(&recorded).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let is_call = |name: &str| {
        let is_exit = name.ends_with("_exit") && !["_exit", "pthread_exit"].contains(&name);
        !is_exit && !name.starts_with("signal_")
    };
    let without_caller = listed.iter().filter(|name| {
        let is_from_there = |event: &Event| event.get("caller").starts_with(&format!("call_{name}+0x"));
        is_call(name) && !events().any(|event| event.name == **name && is_from_there(event))
    });
    assert_eq!(without_caller.collect::<Vec<_>>(), [""; 0].iter().collect::<Vec<_>>());
}

/// Reads the lines of a stream to its end, once in each way, after a call has failed.
const LINES: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char line[8], *made = NULL;
	size_t space = 0;
	FILE *stream = tmpfile();
	fputs("a\nb\n", stream);
	open("/missing", O_RDONLY);
	rewind(stream);
	while (fgets(line, sizeof line, stream)) {}
	rewind(stream);
	while (getline(&made, &space, stream) > 0) {}
	rewind(stream);
	while (getdelim(&made, &space, '\n', stream) > 0) {}
	free(made);
	return 0;
}
"#;

#[test]
fn the_end_of_a_stream_is_no_error() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "lines", LINES, &["-w"]);
    run(&mut scratch.record(&["-q", "-e", "libc:*"], &[program.to_str().unwrap()])).success();
    let trace = scratch.trace();
    let main = trace.expect_of("lines", "open_exit", "error=ENOENT").pid;
    for (call, end) in [("fgets_exit", "0x0"), ("getline_exit", "-1"), ("getdelim_exit", "-1")] {
        let exits: Vec<_> =
            trace.events.iter().filter(|event| event.pid == main && event.name == call).collect();
        assert_eq!(exits.len(), 3, "{call}");
        assert_eq!((exits[2].get("ret"), exits[2].get("error")), (end, "0"), "{call}");
    }
}

#[test]
fn callers_in_a_stripped_program_are_offsets() {
    if is_missing(&["cc"]) {
        return;
    }
    let (_, trace) = recorded(&["-s"]);
    let opened = trace.expect("open_exit", "pathname=file");
    let entries = trace.named("open").filter(|event| event.pid == opened.pid);
    for event in entries {
        let caller = event.get("caller").to_string();
        assert!(caller.starts_with("calls+0x"), "{caller}");
    }
}

#[test]
fn children_say_how_they_end() {
    if is_missing(&["cc"]) {
        return;
    }
    let (_, trace) = recorded(&[]);
    for (call, statuses) in [("exit", ["5", "6"]), ("_exit", ["7", "8"])] {
        let own = trace.named(call).filter(|event| event.get("caller").starts_with(&format!("call_{call}+")));
        assert_eq!(own.map(|event| event.get("status")).collect::<Vec<_>>(), statuses, "{call}");
    }
    for call in ["wait", "waitpid", "wait3"] {
        trace.expect(&format!("{call}_exit"), "wstatus=1024");
    }
    trace.expect("system_exit", "ret=512");
    trace.expect("pclose_exit", "ret=768");
}

#[test]
fn arguments_are_shown_as_they_are_written() {
    if is_missing(&["cc"]) {
        return;
    }
    let (_, trace) = recorded(&[]);
    for (event, fields) in [
        ("open", "flags=O_RDWR|O_CREAT|O_CLOEXEC mode=0640"),
        ("open", "flags=O_WRONLY|O_APPEND"),
        ("open_exit", "pathname=back\\slash error=ENOENT"),
        ("open_exit", "pathname= error=EFAULT"),
        ("lseek", "offset=-1 whence=SEEK_END"),
        ("flock", "operation=LOCK_EX|LOCK_NB"),
        ("access", "mode=W_OK|R_OK"),
        ("unlinkat", "flags=AT_REMOVEDIR"),
        ("socket", "domain=AF_UNIX kind=SOCK_STREAM|SOCK_CLOEXEC"),
        ("bind_exit", "addr=unix:socket"),
        ("connect_exit", "addr=127.0.0.1:1 error=ECONNREFUSED"),
        ("sendto", "flags=MSG_DONTWAIT|MSG_NOSIGNAL"),
        ("shutdown", "how=SHUT_WR"),
        ("epoll_ctl", "op=EPOLL_CTL_ADD"),
        ("pipe2", "flags=O_NONBLOCK|O_CLOEXEC"),
        ("nanosleep_exit", "req=1000"),
        ("clock_nanosleep", "clockid=CLOCK_MONOTONIC"),
        ("kill", "sig=SIGALRM"),
        ("rename_exit", "oldpath=second newpath=third"),
        ("posix_spawn_exit", "ret=2 error=ENOENT path=missing"),
        ("access_exit", "pathname=by-a-thread error=ENOENT"),
    ] {
        trace.expect(event, fields);
    }
    assert!(trace.named("open_exit").any(|event| event.get("pathname") == "quote\"s and spaces"));
    assert!(trace.named("open_exit").any(|event| event.get("pathname") == "percent %s %n %d"));
    let thread = trace.expect_of("worker", "access_exit", "pathname=by-a-thread");
    trace.expect_of(
        "worker",
        "sched_process_exit",
        &format!("pid={} comm=worker group_dead=false", thread.pid),
    );
}

#[test]
fn what_was_waited_for_is_said_with_what_it_is_ready_for() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    // The program prints the fields that events of its calls are to have.
    let program = compile(&scratch, "ready", include_str!("programs/ready.c"), &[]);
    let outcome = run(&mut scratch.record(&["-q"], &[program.to_str().unwrap()]));
    assert_eq!((outcome.code(), outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    let report = run(&mut scratch.report(&["-t", "ready"])).success().stdout;
    let mut lines = report.lines().map(|line| line.split(" duration=").next().unwrap());
    assert!(outcome.stdout.lines().count() >= 12);
    for expected in outcome.stdout.lines() {
        assert!(lines.any(|line| line.ends_with(expected)), "no {expected} in\n{report}");
    }
}
