//! The control tree from the command line.

use crate::common::*;
use session::{Session, SessionOptions};
use std::process::{Command, Stdio};

/// A command on a session of the test's own.
fn on(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = scratch.lookback(arguments);
    command.env("LOOKBACK_SESSION", scratch.path("session"));
    command
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let options = SessionOptions { buffer_kb: 64, snapshots: 1, ..SessionOptions::default() };
    Session::create(&scratch.path("session"), &options).unwrap();
    scratch
}

#[test]
fn what_is_set_is_what_one_gets() {
    let scratch = scratch();
    let get = |path| run(&mut on(&scratch, &["get", path])).success().stdout;
    let set = |arguments: &[&str]| run(&mut on(&scratch, &[&["set"], arguments].concat())).success();
    set(&["set_event", "sched:sched_process_exec"]);
    set(&["--append", "set_event", "libc:read"]);
    assert_eq!(get("set_event"), "sched:sched_process_exec\nlibc:read\n");
    set(&["events/libc/read/enable", "0"]);
    assert_eq!(get("/events/enable"), "X\n");
    set(&["trace_marker", "from the shell"]);
    assert!(get("trace").ends_with(": tracing_mark_write: from the shell\n"));
    set(&["libc:write", "on"]);
    assert_eq!(get("events/libc/write/enable"), "1\n", "events by their names");
    set(&["trace", ""]);
    assert!(!get("trace").contains("shell"));
}

#[test]
fn what_a_recorded_program_did_is_in_trace() {
    let scratch = scratch();
    let session = scratch.path("session");
    run(&mut on(&scratch, &["set", "set_event", "libc"])).success();
    run(&mut on(&scratch, &["set", "tracing_on", "1"])).success();
    let object = run(&mut scratch.lookback(&["preload"])).success().stdout;
    let mut program = scratch.command("cat");
    program.arg("/etc/hostname").env("LD_PRELOAD", object.trim()).env("LOOKBACK_SESSION", &session);
    run(&mut program).success();
    let text = run(&mut on(&scratch, &["get", "trace"])).success().stdout;
    let line = text.lines().find(|line| line.contains(" open: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains(" cat-") && line.contains("caller=cat+0x"), "{line}");
    // Off, so that the pipe has an end.
    run(&mut on(&scratch, &["set", "tracing_on", "0"])).success();
    let piped = run(&mut on(&scratch, &["cat", "trace_pipe"])).success().stdout;
    let events: Vec<Event> = text.lines().filter_map(Event::parse).collect();
    let piped: Vec<Event> = piped.lines().filter_map(Event::parse).collect();
    assert_eq!(piped.len(), events.len());
    for (piped, event) in piped.into_iter().zip(events) {
        // Each process compares the clocks again: what is just between two microseconds may be either.
        assert!(piped.time.abs_diff(event.time) <= 1, "{piped:?}, {event:?}");
        assert_eq!(Event { time: event.time, ..piped }, event);
    }
}

#[test]
fn buffers_are_resized_and_kept_while_a_program_records() {
    let scratch = scratch();
    let get = |path| run(&mut on(&scratch, &["get", path])).success().stdout;
    let set = |path, value| run(&mut on(&scratch, &["set", path, value])).success();
    set("set_event", "libc:open");
    let object = run(&mut scratch.lookback(&["preload"])).success().stdout;
    let mut program = scratch.command("sh");
    program.args(["-c", "while sleep 0.01; do cat /etc/hostname; done"]).stdout(Stdio::null());
    program.env("LD_PRELOAD", object.trim()).env("LOOKBACK_SESSION", scratch.path("session"));
    let mut program = program.spawn().unwrap();
    for (size, read_back) in [("200", "203\n"), ("8", "11\n"), ("64", "67\n")] {
        set("buffer_size_kb", size);
        assert_eq!(get("buffer_size_kb"), read_back);
        within(10, || get("trace").contains(" open: "));
        set("snapshot", "1");
        assert!(get("snapshot").contains(" open: "), "{size}");
        run(&mut on(&scratch, &["set", "buffer_size_kb", "32"])).failure(125, &["busy", "snapshot 0"]);
        set("snapshot", "0");
    }
    program.kill().unwrap();
    program.wait().unwrap();
}

#[test]
fn errors_have_the_kernels_words() {
    let scratch = scratch();
    for (arguments, parts) in [
        (&["set", "tracing_on", "maybe"][..], &["tracing_on: Invalid argument"][..]),
        (&["set", "README", "1"], &["README: Invalid argument"]),
        (&["set", "events/libc/read/filter", "fd =="], &["/filter: ", "\n  Command: fd ==\n", "^"]),
        (&["set", "events/libc/read/filter", "(fd == 1"], &["/filter: ", "\n  Command: (fd == 1\n"]),
        (&["set", "events/libc/read/trigger", "stop"], &["/trigger: ", "expected one of traceon traceoff"]),
        (&["get", "nothing"], &["nothing: No such file or directory", "lookback ls"]),
        (&["set", "no/thing", "1"], &["no/thing: No such file or directory", "lookback ls"]),
        (&["set", "nothing", "1"], &["nothing is no control file", "lookback ls", "on|off"]),
        (&["set", "-a", "libc:read", "on"], &["libc:read is no control file"]),
        (&["get", "events"], &["events: Is a directory"]),
        (&["ls", "trace/x"], &["trace/x: Not a directory"]),
    ] {
        run(&mut on(&scratch, arguments)).failure(125, parts);
    }
    run(&mut on(&scratch, &["set", "tracing_on", "0"])).success();
    run(&mut on(&scratch, &["set", "trace_marker", "x"]))
        .failure(125, &["Bad file descriptor", "recording is stopped"]);
}

#[test]
fn directories_are_listed() {
    let scratch = scratch();
    let ls = |arguments: &[&str]| run(&mut on(&scratch, &[&["ls"], arguments].concat())).success().stdout;
    let top = ls(&[]);
    assert!(top.contains("events/\n") && top.contains("trace_marker\n"), "{top}");
    assert_eq!(ls(&["events/libc/openat"]), "enable\nfilter\nformat\nid\ntrigger\n");
    assert_eq!(ls(&["tracing_on"]), "tracing_on\n");
}
