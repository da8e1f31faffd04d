//! When lookback is killed, and when it ends before all that it has started.

use crate::common::*;
use rustix::process::Signal;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

/// The session of a recording that has no name for it.
fn session(pid: u32) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("/dev/shm/lookback-{user}/record-{pid}"))
}

#[test]
fn a_killed_recording_harms_nobody_and_is_cleaned_up() {
    let scratch = Scratch::new();
    let script = "echo ready; for i in $(seq 2000); do [ -e / ]; done; sleep 0.3; ls -d / > done";
    let mut running = start(&mut scratch.record(&["-b", "64"], &["sh", "-c", script]));
    running.wait_for("ready\n");
    running.signal(Signal::KILL);
    let killed = running.wait();
    assert_eq!(killed.signal(), Some(9));
    assert_eq!(fs::read_dir(scratch.outside("")).unwrap().count(), 0, "no half of a file");
    let left = session(killed.pid);
    assert!(left.is_dir(), "nobody could remove it");

    // It could be one that has just been made, and not been locked.
    run(&mut scratch.record(&["-q", "-b", "64"], &["true"])).success();
    assert!(left.is_dir());

    let waiting = start(scratch.command("sh").args(["-c", "until [ -s done ]; do sleep 0.02; done"]));
    waiting.wait().success();
    assert_eq!(fs::read_to_string(scratch.path("done")).unwrap(), "/\n");

    let before = SystemTime::now() - Duration::from_secs(60);
    fs::File::open(&left).unwrap().set_modified(before).unwrap();
    run(&mut scratch.record(&["-q", "-b", "64"], &["true"])).success();
    assert!(!left.exists());
}

#[test]
fn a_session_in_use_is_not_taken_for_abandoned() {
    let scratch = Scratch::new();
    let mut command = scratch.record(&["-q", "-b", "64"], &["sh", "-c", "echo ready; read line; ls -d /"]);
    let mut running = start(command.stdin(Stdio::piped()));
    running.wait_for("ready\n");
    let own = session(running.pid());
    let before = SystemTime::now() - Duration::from_secs(60);
    fs::File::open(&own).unwrap().set_modified(before).unwrap();
    let other = Scratch::new();
    run(&mut other.record(&["-q", "-b", "64"], &["true"])).success();
    assert!(own.is_dir());
    drop(running.input());
    running.wait().success();
    scratch.trace().expect("sched_process_exec", "filename=/usr/bin/ls");
    assert!(!own.exists());
}

#[test]
fn what_stays_in_the_background_goes_on() {
    let scratch = Scratch::new();
    let script = "(touch started; until [ -e go ]; do sleep 0.02; done; ls -d / > later) &
        until [ -e started ]; do sleep 0.02; done; exit 3";
    let outcome = run(&mut scratch.record(&[], &["sh", "-c", script]));
    assert_eq!(outcome.code(), Some(3));
    assert!(outcome.stderr.contains("still running, and no longer recorded"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(", 0 lost"), "{}", outcome.stderr);
    assert!(!is_left(outcome.pid));
    scratch.write("go", "");
    let waiting = start(scratch.command("sh").args(["-c", "until [ -s later ]; do sleep 0.02; done"]));
    waiting.wait().success();
    assert_eq!(fs::read_to_string(scratch.path("later")).unwrap(), "/\n");
}

#[test]
fn a_session_that_was_there_stays_and_is_recorded_again() {
    let scratch = Scratch::new();
    let path = scratch.outside("session");
    let name = path.to_str().unwrap();
    // Who is killed leaves its session, under whatever name.
    let mut running =
        start(&mut scratch.record(&["-b", "64", "--session", name], &["sh", "-c", "echo ready; sleep 0.2"]));
    running.wait_for("ready\n");
    running.signal(Signal::KILL);
    running.wait();
    for directory in ["/", "/usr"] {
        let options = ["-q", "-e", "libc:opendir_exit", "--session", name];
        run(&mut scratch.record(&options, &["ls", directory])).success();
        scratch.trace().expect_of("ls", "opendir_exit", &format!("name={directory}"));
    }
    assert!(path.join("session").is_file());
}
