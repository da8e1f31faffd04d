//! Programs are attached to one session after another.

use crate::attaching::{attach, attach_one, begin, events_of, opened, tell};
use crate::common::*;
use crate::detaching::detach;
use crate::function_interruptions::{SPINNING, field};
use crate::functions::{NOPS, calls, path};
use rustix::process::Signal;
use std::fs::{read_dir, read_to_string};

/// A session of this name, with files' events, and a function that programs have.
fn begin_session(scratch: &Scratch, name: &str) -> String {
    let place = path(&scratch.outside(name)).to_string();
    let options = ["-q", "-b", "64", "-e", "@file", "-p", "function", "-l", "leaf", "--session", &place];
    run(scratch.lookback(&["start"]).args(options)).success();
    place
}

fn delete(scratch: &Scratch, place: &str) {
    run(&mut scratch.lookback(&["delete", "-q", "--session", place])).success();
}

fn traced(scratch: &Scratch, place: &str) -> Vec<String> {
    calls(&run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout)
}

/// What a process has: descriptors, and mappings and their bytes but for the heap's and the stack's.
pub fn resources(pid: u32) -> (usize, Vec<(String, u64)>) {
    let descriptors = read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let maps = read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let mapped = maps.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let size = u64::from_str_radix(end, 16).ok()? - u64::from_str_radix(start, 16).ok()?;
        let (access, name) = (words.next()?, words.nth(3).unwrap_or(""));
        let name = name.rsplit('/').next()?;
        (!name.starts_with('[')).then(|| (format!("{access} {name}"), size))
    });
    (descriptors, mapped.collect())
}

#[test]
fn a_program_is_attached_to_any_number_of_sessions_and_keeps_nothing_of_them() {
    let scratch = Scratch::new();
    let mut running = begin(&scratch, &["threads"]);
    let pid = running.pid();
    let mut after_first = None;
    for turn in 0..times("LOOKBACK_ATTACH_TURNS", 12) {
        let place = begin_session(&scratch, &format!("session-{turn}"));
        attach_one(&scratch, &place, &running);
        // By the thread that was stopped, and by one that nobody has stopped.
        tell(&mut running, "c");
        tell(&mut running, "t");
        let events = events_of(&scratch, &place, pid);
        assert_eq!(opened(&events), ["/dev/null"], "turn {turn}");
        let text = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
        let worker = text.lines().filter(|line| line.contains("worker-") && line.contains("/dev/zero"));
        assert_eq!(worker.count(), 1, "turn {turn}: {text}");
        assert_eq!(traced(&scratch, &place), ["leaf <-act"], "turn {turn}");
        // In turns: it is detached, or its session is deleted meanwhile.
        if turn % 3 != 2 {
            detach(&scratch, &place, pid).success();
            assert_code_is_of_files(pid);
        }
        if turn % 2 == 0 || turn % 3 == 2 {
            delete(&scratch, &place);
        }
        if turn % 3 != 2 {
            let found = resources(pid);
            assert_eq!(*after_first.get_or_insert_with(|| found.clone()), found, "turn {turn}");
        }
    }
    tell(&mut running, "c");
}

#[test]
fn a_session_that_goes_on_keeps_its_programs() {
    let scratch = Scratch::new();
    let [first, second] = ["first", "second"].map(|name| begin_session(&scratch, name));
    let mut running = begin(&scratch, &[]);
    let pid = running.pid();
    attach_one(&scratch, &first, &running);
    let refused = attach(&scratch, &second, &[&pid.to_string()]);
    refused.failure(125, &[&format!("it is attached to another session: {first}")]);
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &first, pid)), ["/dev/null"]);
    detach(&scratch, &first, pid).success();
    attach_one(&scratch, &second, &running);
    // Back to where it was.
    detach(&scratch, &second, pid).success();
    attach_one(&scratch, &first, &running);
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &first, pid)), ["/dev/null", "/dev/null"]);
    assert!(events_of(&scratch, &second, pid).is_empty());
}

#[test]
fn programs_that_never_sleep_go_from_session_to_session() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "spinning", SPINNING, &["-O1", NOPS]);
    let mut running = start(scratch.command(&program).arg("2"));
    running.wait_for("ready");
    for turn in 0..6 {
        let place = begin_session(&scratch, &format!("session-{turn}"));
        attach_one(&scratch, &place, &running);
        running.wait_until(|| traced(&scratch, &place).last().is_some_and(|call| call == "leaf <-work"));
        detach(&scratch, &place, running.pid()).success();
        delete(&scratch, &place);
    }
    assert_eq!(field(running.pid(), "TracerPid:"), "0");
    running.signal(Signal::TERM);
    assert!(running.wait().success().stdout.ends_with("ok\n"));
}
