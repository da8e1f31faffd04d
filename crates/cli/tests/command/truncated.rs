//! A session's file that is made shorter while somebody reads it.

use crate::common::*;
use std::fs::File;
use std::path::PathBuf;

/// A session next to, with something in it; and its file.
#[track_caller]
fn session(scratch: &Scratch) -> (String, PathBuf) {
    let path = scratch.outside("session");
    let name = path.display().to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "64", "--session", &name])).success();
    run(&mut scratch.lookback(&["run", "--session", &name, "--", "ls", "-d", "/"])).success();
    (name, path.join("session"))
}

fn truncate(file: &PathBuf) {
    File::options().write(true).open(file).unwrap().set_len(0).unwrap();
}

#[test]
fn a_recording_keeps_what_it_has() {
    let scratch = Scratch::new();
    let (name, file) = session(&scratch);
    // It writes no event of its own after the file has gone: that would end it.
    let program = "ls -d /; echo ready; exec env -u LD_PRELOAD -u LOOKBACK_SESSION -i /bin/sh -c 'read line'";
    let mut command = scratch.record(&["--session", &name], &["sh", "-c", program]);
    let mut running = start(command.stdin(std::process::Stdio::piped()));
    running.wait_for("ready\n");
    // It is looked at every 50 ms at least.
    std::thread::sleep(std::time::Duration::from_millis(300));
    truncate(&file);
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(running.input());
    let outcome = running.wait();
    assert!(outcome.stderr.contains("the session's file was truncated"), "{outcome:?}");
    let trace = scratch.trace();
    assert!(
        trace.count("sched_process_exec", "filename=/bin/ls") + trace.count("sched_process_exec", "") >= 2
    );
    trace.expect_of("ls", "sched_process_exit", "comm=ls group_dead=true");
}

#[test]
fn who_follows_is_told() {
    let scratch = Scratch::new();
    let (name, file) = session(&scratch);
    let mut running = start(&mut scratch.lookback(&["show", "-p", "--session", &name]));
    running.wait_for("sched_process_exit");
    truncate(&file);
    running.wait().failure(125, &["the session's file was truncated"]);
    run(&mut scratch.lookback(&["show", "--session", &name])).failure(125, &["damaged session file"]);
    run(&mut scratch.lookback(&["delete", "--session", &name])).success();
}

#[test]
fn a_mount_ends() {
    let scratch = Scratch::new();
    let (name, file) = session(&scratch);
    let directory = scratch.outside("mount");
    std::fs::create_dir(&directory).unwrap();
    let mut command = scratch.lookback(&["mount", "--foreground", "--session", &name]);
    let mut running = start(command.arg(&directory));
    running.wait_for("is mounted on");
    assert!(std::fs::read_to_string(directory.join("trace")).unwrap().contains("sched_process_exit"));
    truncate(&file);
    let _ = std::fs::read_to_string(directory.join("trace"));
    running.wait().failure(125, &["the session's file was truncated"]);
    assert!(!directory.join("trace").exists());
}
