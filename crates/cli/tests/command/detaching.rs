//! Programs are detached again, and are as they were before.

use crate::attaching::{
    again_and_again, assert_kills_do_no_harm, attach_one, begin, events_of, opened, tell,
};
use crate::common::*;
use crate::function_interruptions::field;
use crate::functions::{NOPS, calls, path, session};
use rustix::process::Signal;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const BUSY: &str = include_str!("programs/busy.c");

pub fn detach(scratch: &Scratch, place: &str, process: u32) -> Outcome {
    again_and_again(|| run(&mut scratch.lookback(&["detach", "--session", place, &process.to_string()])))
}

fn traced(scratch: &Scratch, place: &str) -> Vec<String> {
    calls(&run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout)
}

#[test]
fn a_detached_program_is_not_recorded_until_it_is_attached_again() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &["threads"]);
    let pid = running.pid();
    let handled = || field(pid, "SigCgt:");
    let before = handled();
    let opened_so_far = || opened(&events_of(&scratch, &place, pid)).len();
    for round in 1..=3 {
        attach_one(&scratch, &place, &running);
        tell(&mut running, "c");
        tell(&mut running, "t");
        assert_eq!((opened_so_far(), traced(&scratch, &place).len()), (round, round));
        let said = detach(&scratch, &place, pid).success().stderr;
        let expected = format!("lookback: attached-{pid} is detached; its thread ");
        assert!(said.starts_with(&expected) && said.contains(" stood still for "), "{said}");
        tell(&mut running, "c");
        tell(&mut running, "t");
        assert_eq!((opened_so_far(), traced(&scratch, &place).len()), (round, round));
        assert_eq!((field(pid, "TracerPid:"), handled()), ("0".to_string(), before.clone()));
        assert_code_is_of_files(pid);
        let list = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
        assert!(!list.contains("/attached"), "{list}");
        detach(&scratch, &place, pid).failure(125, &["was not detached: it is not attached to this session"]);
    }
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    assert_eq!(descriptors, 3);
}

#[test]
fn a_program_is_detached_while_its_system_calls_are_recorded() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "raw_syscalls:*"]);
    let mut running = begin(&scratch, &[]);
    for _ in 0..2 {
        attach_one(&scratch, &place, &running);
        tell(&mut running, "c");
        let seen = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
        assert!(seen.contains("sys_enter: NR "), "{seen}");
        let said = detach(&scratch, &place, running.pid()).success().stderr;
        assert!(said.contains(" is detached; "), "{said}");
        tell(&mut running, "c");
    }
}

#[test]
fn code_is_as_it_was_once_the_session_is_deleted() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let lookback = |arguments: &[&str]| {
        let mut command = scratch.lookback(&[&arguments[..1], &["--session", &place]].concat());
        run(command.args(&arguments[1..]))
    };
    let mut attached = begin(&scratch, &["threads"]);
    let program = path(&scratch.outside("attached")).to_string();
    lookback(&["probe", "-q", &format!("{program}:main")]).success();
    lookback(&["set", "-q", "probes:*", "on"]).success();
    lookback(&["start", "-q", "-B", "other", "-p", "function_graph", "-l", "leaf"]).success();
    attach_one(&scratch, &place, &attached);
    let mut started = scratch.lookback(&["run", "--session", &place, "--", &program, "threads"]);
    let mut started = start(started.stdin(Stdio::piped()));
    started.wait_for("ready");
    let both = [&mut attached, &mut started];
    let both = both.map(|running| {
        tell(running, "c");
        tell(running, "t");
        assert!(is_code_changed(running.pid()), "nothing is traced");
        running
    });
    assert!(traced(&scratch, &place).len() >= 2);
    lookback(&["delete"]).success();
    for running in both {
        // One that slept meanwhile follows at its next call.
        tell(running, "c");
        tell(running, "t");
        assert_code_is_of_files(running.pid());
        tell(running, "c");
    }
}

#[test]
fn handlers_are_the_program_s_own_again() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@signal"]);
    let mut running = begin(&scratch, &[]);
    attach_one(&scratch, &place, &running);
    // It sets a handler, and gets the signal.
    tell(&mut running, "h");
    assert!(events_of(&scratch, &place, running.pid()).iter().any(|event| event.name == "signal_deliver"));
    detach(&scratch, &place, running.pid()).success();
    tell(&mut running, "s");
    assert_eq!(running.printed().matches("handled by its own").count(), 2, "{}", running.printed());
}

#[test]
fn a_program_that_was_started_with_lookback_stays_attached() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    drop(begin(&scratch, &[]));
    let program = path(&scratch.outside("attached")).to_string();
    let mut running = scratch.lookback(&["run", "--session", &place, "--", &program]);
    let mut running = start(running.stdin(Stdio::piped()));
    running.wait_for("ready");
    running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    detach(&scratch, &place, running.pid())
        .failure(125, &["it was started with lookback, and stays attached"]);
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"]);
}

#[test]
fn a_busy_program_is_attached_and_detached_in_turns() {
    let compare = |pid, _: &Path| assert_code_is_of_files(pid);
    assert_goes_on_in_turns(&["@file", "@process"], &["-O1", "-w", NOPS], compare);
}

/// Attaches and detaches a program that was compiled so, some of whose attachers are killed. `compare`
/// looks at its code.
pub fn assert_goes_on_in_turns(events: &[&str], options: &[&str], compare: impl Fn(u32, &Path)) {
    let scratch = Scratch::new();
    let program = compile(&scratch, "busy", BUSY, options);
    let events = events.iter().flat_map(|event| ["-e", event]);
    let options: Vec<&str> = ["-b", "64", "-p", "function", "-l", "leaf"].into_iter().chain(events).collect();
    let place = session(&scratch, &options);
    let rounds = times("LOOKBACK_ATTACH_ROUNDS", 60);
    let is_traced = |pid| !["", "0"].contains(&field(pid, "TracerPid:").as_str());
    for program_number in 0..rounds.div_ceil(10) {
        let mut running = start(&mut scratch.command(&program));
        running.wait_for("ready");
        let pid = running.pid().to_string();
        for round in 0..10_u64 {
            let what = ["attach", "detach"][round as usize % 2];
            if round % 5 == program_number % 5 {
                // It is killed at some time, and done by another one.
                let killed = start(&mut scratch.lookback(&[what, "-q", "--session", &place, &pid]));
                let is_ended = || field(killed.pid(), "State:").starts_with('Z');
                killed.wait_until(|| is_traced(running.pid()) || is_ended());
                std::thread::sleep(Duration::from_micros(round * 97 % 1500));
                killed.signal(Signal::KILL);
                killed.wait();
            }
            let act = || run(&mut scratch.lookback(&[what, "-q", "--session", &place, &pid]));
            let said = again_and_again(act).stderr;
            let is_done = said.is_empty()
                || said.contains("it is attached already")
                || said.contains("it is not attached to this session");
            assert!(is_done, "{what}: {said}");
        }
        compare(running.pid(), &program);
        if program_number % 3 == 1 {
            // It is killed itself at some time, and whoever attaches it ends.
            let attaching = start(&mut scratch.lookback(&["attach", "-q", "--session", &place, &pid]));
            let is_ended = || field(attaching.pid(), "State:").starts_with('Z');
            attaching.wait_until(|| is_traced(running.pid()) || is_ended());
            std::thread::sleep(Duration::from_micros(program_number * 131 % 1500));
            running.signal(Signal::KILL);
            running.wait();
            let said = attaching.wait();
            assert!([Some(0), Some(125)].contains(&said.status.code()), "{said:?}");
            continue;
        }
        running.signal(Signal::TERM);
        assert!(running.wait().success().stdout.ends_with("ok\n"));
    }
    println!("{} turns of {} programs", rounds.div_ceil(10) * 10, rounds.div_ceil(10));
    let trace = traced(&scratch, &place);
    assert!(trace.iter().any(|call| call.starts_with("leaf <-")), "{trace:?}");
}

#[test]
fn a_server_answers_while_it_is_attached_and_detached() {
    if is_missing(&["redis-server", "redis-benchmark"]) {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-b", "64", "-e", "@file", "-e", "@net"]);
    let socket = path(&scratch.outside("socket")).to_string();
    let mut server = scratch.command("redis-server");
    server.args(["--port", "0", "--unixsocket", &socket, "--save", ""]);
    let mut server = start(&mut server);
    server.wait_for("eady to accept connections");
    let pid = server.pid();
    for _ in 0..3 {
        let mut load = scratch.command("redis-benchmark");
        let load = start(load.args(["-s", &socket, "-t", "set,get", "-n", "50000", "-q"]));
        attach_one(&scratch, &place, &server);
        detach(&scratch, &place, pid).success();
        let said = load.wait().success();
        assert_eq!(said.stdout.matches("requests per second").count(), 2, "{said:?}");
    }
    let events = events_of(&scratch, &place, pid);
    assert!(events.iter().any(|event| event.name == "read_exit"), "{events:?}");
    assert_code_is_of_files(pid);
    server.signal(Signal::TERM);
    server.wait().success();
}

#[test]
fn whoever_is_killed_while_he_attaches_leaves_the_program_well() {
    assert_kills_do_no_harm("@file", &["-O1", "-w", NOPS, "-lrt"]);
}
