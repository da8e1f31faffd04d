//! Programs that run already are attached, and notice nothing of it.

use crate::common::*;
use crate::function_interruptions::{LIMIT, MAKING, SITTING, SPINNING, WAIT, ending, field};
use crate::functions::{NOPS, calls, path, session};
use rustix::process::Signal;
use std::fs::read_to_string;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub const ATTACHED: &str = include_str!("programs/attached.c");

/// Calls with a limit of time in which a program can be attached.
const LIMITED: [&str; 7] =
    ["nanosleep", "clock_nanosleep", "poll", "ppoll", "select", "pselect", "epoll_wait"];

/// Those without.
const UNLIMITED: [&str; 17] = [
    "read",
    "eventfd",
    "timerfd",
    "recv",
    "recvmsg",
    "accept",
    "epoll_wait_forever",
    "sigwaitinfo",
    "sigsuspend",
    "pause",
    "msgrcv",
    "semop",
    "wait",
    "waitid",
    "flock",
    "fcntl",
    "io_getevents_forever",
];

/// Calls in which it can't: what is said then.
const REFUSED: [(&str, &str); 3] = [
    ("futex_forever", "waits for a lock"),
    ("write", "sleeps in write, which would end early"),
    ("send", "sleeps in send, which would end early"),
];

/// A program that waits for bytes, which it runs without us.
pub fn begin(scratch: &Scratch, words: &[&str]) -> Running {
    let program = scratch.outside("attached");
    if !program.exists() {
        compile(scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    }
    let mut running = start(scratch.command(&program).args(words).stdin(Stdio::piped()));
    let expected = if words.first() == Some(&"handling") { "handling" } else { "ready" };
    running.wait_for(expected);
    running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    running
}

/// Has it do something.
#[track_caller]
pub fn tell(running: &mut Running, byte: &str) {
    let done = format!("{byte} done, errno 77\n");
    let before = running.printed().matches(&done).count();
    running.child_input().write_all(byte.as_bytes()).unwrap();
    running.wait_until(|| running.printed().matches(&done).count() > before);
}

pub fn attach(scratch: &Scratch, place: &str, processes: &[&str]) -> Outcome {
    run(scratch.lookback(&["attach", "--session", place]).args(processes))
}

/// Where the machine is busy no thread may be found in time that can be stopped: then it is done again.
#[track_caller]
pub fn attach_one(scratch: &Scratch, place: &str, running: &Running) -> String {
    again_and_again(|| attach(scratch, place, &[&running.pid().to_string()])).success().stderr
}

/// What comes of something at last that may have to be tried again.
pub fn again_and_again(act: impl Fn() -> Outcome) -> Outcome {
    let mut done = act();
    for _ in 0..20 {
        if !done.stderr.contains("unharmed: try again") {
            break;
        }
        done = act();
    }
    done
}

/// What a process has done.
pub fn events_of(scratch: &Scratch, place: &str, pid: u32) -> Vec<Event> {
    let text = run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout;
    let events = text.lines().filter_map(Event::parse);
    events.filter(|event| event.pid == pid as i32).collect()
}

/// The files that it has opened, of those that its bytes name.
pub fn opened(events: &[Event]) -> Vec<&str> {
    let exits = events.iter().filter(|event| event.name == "open_exit");
    exits.filter_map(|event| event.field("pathname")).filter(|path| path.starts_with("/dev/")).collect()
}

#[test]
fn calls_and_functions_are_recorded_from_then_on() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &[]);
    let pid = running.pid();
    let said = attach_one(&scratch, &place, &running);
    let expected = format!("lookback: attached-{pid} is attached; its thread {pid} stood still for ");
    assert!(said.starts_with(&expected), "{said}");
    assert_eq!(field(pid, "TracerPid:"), "0");
    tell(&mut running, "c");
    let events = events_of(&scratch, &place, pid);
    assert_eq!(opened(&events), ["/dev/null"]);
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    for name in ["open", "open_exit", "close", "close_exit"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let trace = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    assert_eq!(calls(&trace), ["leaf <-act"]);
    let list = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
    assert!(list.contains("attached  1 process") && list.contains("/attached"), "{list}");
    // With all events disabled the calls go on.
    run(&mut scratch.lookback(&["reset", "--session", &place])).success();
    tell(&mut running, "c");
    assert!(events_of(&scratch, &place, pid).is_empty());
    running.child_input().write_all(b"q").unwrap();
    assert_eq!(running.wait().code(), Some(7));
}

#[test]
fn threads_libraries_and_children_are_recorded_and_programs_that_it_executes_are_not() {
    let scratch = Scratch::new();
    let library = "#include <fcntl.h>\n#include <unistd.h>\n\
                   int plugin_run(void) { return close(open(\"/dev/random\", O_RDONLY)); }\n";
    let library = compile(&scratch, "libplugin.so", library, &["-O1", "-fPIC", "-shared"]);
    let place = session(&scratch, &["-e", "@file", "-e", "@process"]);
    let mut running = begin(&scratch, &["threads", path(&library)]);
    let worker = std::fs::read_dir(format!("/proc/{}/task", running.pid())).unwrap().flatten();
    let tids = worker.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let worker = tids.into_iter().find(|tid| *tid != running.pid()).unwrap();
    attach_one(&scratch, &place, &running);
    for byte in ["t", "p", "c", "f", "x"] {
        tell(&mut running, byte);
    }
    let own = events_of(&scratch, &place, running.pid());
    assert_eq!(opened(&own), ["/dev/random", "/dev/null"]);
    let of_worker = events_of(&scratch, &place, worker);
    assert_eq!(opened(&of_worker), ["/dev/zero"]);
    assert!(of_worker.iter().all(|event| event.comm == "worker"), "{of_worker:?}");
    let text = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    let others: Vec<Event> = text.lines().filter_map(Event::parse).collect();
    assert!(opened(&others).contains(&"/dev/full"), "{text}");
    // Its own execution is none of those that are seen, and neither is what cat(1) does.
    assert!(!others.iter().any(|event| event.comm == "cat"), "{text}");
}

#[test]
fn no_code_is_changed_and_pages_are_as_writable_as_before() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let mut running = begin(&scratch, &[]);
    let mapped = || {
        let maps = read_to_string(format!("/proc/{}/maps", running.pid())).unwrap();
        let lines = maps.lines().filter(|line| line.contains(" /") && !line.contains("lookback"));
        let lines: Vec<String> = lines.filter(|line| !line.contains("/session")).map(String::from).collect();
        lines
    };
    let before = mapped();
    attach_one(&scratch, &place, &running);
    let after = mapped();
    let changed: Vec<&String> = before.iter().filter(|line| !after.contains(line)).collect();
    assert!(changed.is_empty(), "{changed:?} in {after:?}");
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"]);
    assert_code_is_of_files(running.pid());
}

/// Programs that sit in calls, until they sleep.
fn sit(scratch: &Scratch, program: &Path, kinds: &[&'static str]) -> Vec<(&'static str, Running)> {
    let begin = |kind: &&'static str| {
        let mut running = start(scratch.command(program).arg(kind));
        running.wait_for("ready");
        (*kind, running)
    };
    let sitting: Vec<_> = kinds.iter().map(begin).collect();
    for (_, running) in &sitting {
        running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    }
    sitting
}

#[test]
fn calls_with_a_limit_go_on_with_the_time_that_is_left() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", "-lrt"]);
    assert_limits_are_kept(&scratch, &program);
}

/// Attaches the program while it is in each of the calls that have a limit of time.
pub fn assert_limits_are_kept(scratch: &Scratch, program: &Path) {
    let place = session(scratch, &["-e", "@file"]);
    let sitting = sit(scratch, program, &LIMITED);
    let asleep = Instant::now();
    std::thread::sleep(WAIT);
    let slept = asleep.elapsed();
    for (kind, running) in &sitting {
        let said = attach_one(scratch, &place, running);
        assert!(said.contains("is attached; "), "{kind}: {said}");
    }
    for (kind, running) in sitting {
        let ending = ending(running);
        assert!(ending.error != 4 && ending.handled == 0, "{kind}: {}", ending.printed);
        let (passed, longest) = (ending.passed + Duration::from_millis(10), LIMIT + slept);
        assert!(passed >= LIMIT && ending.passed < longest, "{kind}: {}", ending.printed);
    }
}

#[test]
fn calls_without_a_limit_go_on_until_a_handler_runs() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", "-lrt"]);
    let place = session(&scratch, &["-e", "@file"]);
    for (kind, running) in sit(&scratch, &program, &UNLIMITED) {
        let said = attach_one(&scratch, &place, &running);
        assert!(said.contains("is attached; "), "{kind}: {said}");
        running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
        running.signal(Signal::USR1);
        let ending = ending(running);
        assert_eq!((ending.error, ending.handled), (4, 1), "{kind}: {}", ending.printed);
    }
}

#[test]
fn whoever_may_hold_a_lock_or_have_done_a_part_is_left_alone() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", "-lrt"]);
    let place = session(&scratch, &["-e", "@file"]);
    let kinds = REFUSED.map(|(kind, _)| kind);
    let sitting = sit(&scratch, &program, &kinds);
    let pids: Vec<String> = sitting.iter().map(|(_, running)| running.pid().to_string()).collect();
    let pids: Vec<&str> = pids.iter().map(String::as_str).collect();
    let said = attach(&scratch, &place, &pids).failure(125, &[]).stderr;
    for ((kind, running), (_, why)) in sitting.iter().zip(REFUSED) {
        let pid = running.pid();
        let expected = format!(
            "sitting-{pid} was not attached: its thread {pid} {why}; it has gone on unharmed: try again"
        );
        assert!(said.contains(&expected), "{kind}: {said}");
        assert!(!running.printed().contains(kind), "{kind}: {}", running.printed());
    }
    let handling = begin(&scratch, &["handling"]);
    let pid = handling.pid().to_string();
    attach(&scratch, &place, &[&pid]).failure(125, &["is in a handler of a signal"]);
}

#[test]
fn programs_that_never_sleep_are_attached_with_all_their_registers() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "spinning", SPINNING, &["-O1", NOPS]);
    let place = session(&scratch, &["-p", "function", "-l", "leaf", "-b", "64"]);
    let mut running = start(scratch.command(&program).arg("2"));
    running.wait_for("ready");
    attach_one(&scratch, &place, &running);
    let shown = || run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    running.wait_until(|| calls(&shown()).last().is_some_and(|call| call == "leaf <-work"));
    running.signal(Signal::TERM);
    assert!(running.wait().success().stdout.ends_with("ok\n"));
}

#[test]
fn programs_that_make_others_and_load_libraries_are_attached_anywhere() {
    let scratch = Scratch::new();
    let library = "int plugin_step(int x) { return x * 2; }\n\
                   int plugin_run(int x) { return plugin_step(x) + plugin_step(x + 1); }\n";
    let library = compile(&scratch, "libplugin.so", library, &["-O2", "-fPIC", "-shared", NOPS]);
    let program = compile(&scratch, "making", MAKING, &["-O1", NOPS, "-ldl"]);
    let place = session(&scratch, &["-e", "@file", "-b", "64"]);
    for _ in 0..5 {
        let mut running = start(scratch.command(&program).arg(&library));
        running.wait_for("ready");
        attach_one(&scratch, &place, &running);
        running.signal(Signal::TERM);
        assert!(running.wait().success().stdout.ends_with("ok\n"));
    }
}

/// Kills whoever attaches programs that were compiled so.
pub fn assert_kills_do_no_harm(events: &str, options: &[&str]) {
    let scratch = Scratch::new();
    let spinning = compile(&scratch, "spinning", SPINNING, options);
    let sitting = compile(&scratch, "sitting", SITTING, options);
    let place = session(&scratch, &["-e", events, "-b", "64"]);
    let is_traced = |pid| !["", "0"].contains(&field(pid, "TracerPid:").as_str());
    let mut caught = 0;
    for round in 0..12_u64 {
        let mut spinning = start(scratch.command(&spinning).arg("2"));
        spinning.wait_for("ready");
        let (_, sitting) = sit(&scratch, &sitting, &["pause"]).remove(0);
        let running = [&spinning, &sitting];
        let pids = running.map(|running| running.pid().to_string());
        let command = start(scratch.lookback(&["attach", "-q", "--session", &place]).args(&pids));
        let is_ended = || field(command.pid(), "State:").starts_with('Z');
        // The second one as well as the first.
        let watched = running[round as usize % 2].pid();
        command.wait_until(|| is_traced(watched) || is_ended());
        caught += u32::from(!is_ended());
        // Between any two steps.
        std::thread::sleep(Duration::from_micros(round * 150));
        command.signal(Signal::KILL);
        command.wait();
        for pid in &pids {
            let said = again_and_again(|| attach(&scratch, &place, &[pid])).stderr;
            assert!(said.contains("is attached"), "{said}");
        }
        assert_eq!(running.map(|running| field(running.pid(), "TracerPid:")), ["0", "0"]);
        // One whose tracer was killed gets its registers and its mask back by itself, a second later at most.
        let blocked = |running: &Running| u64::from_str_radix(&field(running.pid(), "SigBlk:"), 16).unwrap();
        // SIGUSR2 alone.
        spinning.wait_until(|| (blocked(&spinning), blocked(&sitting)) == (0, 1 << 11));
        sitting.signal(Signal::USR1);
        assert!(sitting.wait().success().stdout.contains("pause -1 4"));
        spinning.signal(Signal::TERM);
        assert!(spinning.wait().success().stdout.ends_with("ok\n"));
    }
    assert!(caught > 0, "none was killed in between");
}
