//! Programs that don't come by by themselves are interrupted, and notice nothing of it.

use crate::common::*;
use crate::functions::{NOPS, calls, path, session};
use rustix::process::Signal;
use std::fs::read_to_string;
use std::process::Stdio;
use std::time::{Duration, Instant};

pub const SITTING: &str = include_str!("programs/sitting.c");
pub const SPINNING: &str = include_str!("programs/spinning.c");
pub const MAKING: &str = include_str!("programs/making.c");

/// How long calls with a limit take: `MILLISECONDS` of the program.
pub const LIMIT: Duration = Duration::from_secs(10);

/// After so much of it, at least, they are interrupted.
pub const WAIT: Duration = Duration::from_secs(3);

const LIMITED: [&str; 12] = [
    "nanosleep",
    "clock_nanosleep",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "epoll_pwait2",
    "futex",
    "sigtimedwait",
    "semtimedop",
    "io_getevents",
];

const UNLIMITED: [&str; 18] = [
    "read",
    "eventfd",
    "timerfd",
    "recv",
    "recvmsg",
    "accept",
    "epoll_wait_forever",
    "futex_forever",
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

pub fn field(pid: u32, name: &str) -> String {
    let status = read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_default().trim().to_string()
}

/// Runs a program in a session, until it says that it is ready.
fn begin(scratch: &Scratch, place: &str, words: &[&str]) -> Running {
    let arguments = [&["run", "--session", place, "--"], words].concat();
    let mut running = start(&mut scratch.lookback(&arguments));
    running.wait_for("ready");
    running
}

/// Runs programs that sit in calls, until they sleep.
fn sit(
    scratch: &Scratch,
    place: &str,
    program: &str,
    kinds: &[&'static str],
) -> Vec<(&'static str, Running)> {
    let sitting: Vec<_> = kinds.iter().map(|kind| (*kind, begin(scratch, place, &[program, kind]))).collect();
    for (_, running) in &sitting {
        running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    }
    sitting
}

/// Has the session trace a function, now.
fn trace_now(scratch: &Scratch, place: &str, function: &str) -> Outcome {
    run(&mut scratch.lookback(&["set", "--now", "--session", place, "set_ftrace_filter", function]))
}

/// What a program prints that has sat in a call.
pub struct Ending {
    pub error: i32,
    pub passed: Duration,
    pub handled: u32,
    pub printed: String,
}

pub fn ending(running: Running) -> Ending {
    let printed = running.wait().success().stdout;
    let words: Vec<&str> = printed.split_whitespace().collect();
    Ending {
        error: words[3].parse().unwrap(),
        passed: Duration::from_millis(words[4].parse().unwrap()),
        handled: words[5].parse().unwrap(),
        printed,
    }
}

/// Interrupts all three times, so that they trace `leaf`.
fn interrupt(scratch: &Scratch, place: &str, sitting: &[(&str, Running)]) {
    let said = trace_now(scratch, place, "leaf").success().stderr;
    for (kind, running) in sitting {
        let expected = format!("sitting-{} was interrupted for ", running.pid());
        assert!(said.contains(&expected), "{kind}: {said}");
    }
    for function in ["le*", "l*"] {
        trace_now(scratch, place, function);
    }
}

/// What a process has called.
fn calls_of(scratch: &Scratch, place: &str, pid: u32) -> Vec<String> {
    let trace = run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout;
    let own = trace.lines().filter(|line| line.contains(&format!("-{pid} ")));
    calls(&own.collect::<Vec<_>>().join("\n"))
}

#[test]
fn calls_with_a_limit_go_on_with_the_time_that_is_left() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-e", "sched_process_exit"]);
    let sitting = sit(&scratch, &place, path(&program), &LIMITED);
    let asleep = Instant::now();
    std::thread::sleep(WAIT);
    let slept = asleep.elapsed();
    interrupt(&scratch, &place, &sitting);
    for (kind, running) in sitting {
        let pid = running.pid();
        let Ending { error, passed, handled, printed } = ending(running);
        assert!(error != 4 && handled == 0, "{kind}: {printed}");
        // With all of its limit once more it would have taken longer by what it had slept.
        assert!(passed + Duration::from_millis(10) >= LIMIT && passed < LIMIT + slept, "{kind}: {printed}");
        assert_eq!(calls_of(&scratch, &place, pid), ["leaf <-main"], "{kind}");
    }
}

#[test]
fn calls_without_a_limit_go_on_until_a_handler_runs() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-e", "sched_process_exit"]);
    let sitting = sit(&scratch, &place, path(&program), &UNLIMITED);
    interrupt(&scratch, &place, &sitting);
    for (kind, running) in sitting {
        let pid = running.pid();
        running.wait_until(|| field(pid, "State:").starts_with('S'));
        running.signal(Signal::USR1);
        let Ending { error, handled, printed, .. } = ending(running);
        assert_eq!((error, handled), (4, 1), "{kind}: {printed}");
        assert_eq!(calls_of(&scratch, &place, pid), ["leaf <-main"], "{kind}");
    }
}

#[test]
fn calls_that_might_have_done_a_part_are_left_alone() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-e", "sched_process_exit"]);
    let sitting = sit(&scratch, &place, path(&program), &["write", "send", "open", "recv_limited"]);
    let said = trace_now(&scratch, &place, "leaf").failure(1, &[]).stderr;
    for ((kind, running), name) in sitting.iter().zip(["write", "send", "open", "recv"]) {
        let pid = running.pid();
        let expected = format!(
            "sitting-{pid} was not interrupted: its thread {pid} sleeps in {name}, which would end early"
        );
        assert!(said.contains(&expected), "{kind}: {said}");
        assert!(!running.printed().contains(kind), "{kind}: {}", running.printed());
    }
}

#[test]
fn registers_stay_as_they_are() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "spinning", SPINNING, &["-O1", NOPS]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-b", "64"]);
    let running = begin(&scratch, &place, &[path(&program), "2"]);
    for round in 0..6 {
        let function = ["leaf", "other"][round % 2];
        let said = trace_now(&scratch, &place, function).success().stderr;
        assert!(said.contains("was interrupted for"), "{said}");
        let shown = || run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
        let expected = format!("{function} <-work");
        running.wait_until(|| calls(&shown()).last() == Some(&expected));
    }
    running.signal(Signal::TERM);
    assert!(running.wait().success().stdout.ends_with("ok\n"));
}

#[test]
fn whoever_is_killed_while_he_interrupts_leaves_the_program_well() {
    let scratch = Scratch::new();
    let spinning = compile(&scratch, "spinning", SPINNING, &["-O1", NOPS]);
    let sitting = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-b", "64"]);
    let spinning = begin(&scratch, &place, &[path(&spinning), "2"]);
    let sitting = begin(&scratch, &place, &[path(&sitting), "pause"]);
    let is_traced = |pid| !["", "0"].contains(&field(pid, "TracerPid:").as_str());
    let mut caught = 0;
    for round in 0..20_u32 {
        let function = ["leaf", "other"][round as usize % 2];
        let set = ["set", "--now", "-q", "--session", &place, "set_ftrace_filter", function];
        let command = start(&mut scratch.lookback(&set));
        let is_ended = || field(command.pid(), "State:").starts_with('Z');
        command.wait_until(|| is_traced(spinning.pid()) || is_traced(sitting.pid()) || is_ended());
        caught += u32::from(!is_ended());
        // Between any two steps.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 100));
        command.signal(Signal::KILL);
        command.wait();
    }
    assert!(caught > 0, "none was killed in between");
    run(&mut scratch.lookback(&["set", "--now", "--session", &place])).success();
    for running in [&spinning, &sitting] {
        assert_eq!(field(running.pid(), "TracerPid:"), "0");
    }
    let blocked = |running: &Running| u64::from_str_radix(&field(running.pid(), "SigBlk:"), 16).unwrap();
    assert_eq!((blocked(&spinning), blocked(&sitting)), (0, 1 << 11), "SIGUSR2 alone");
    sitting.wait_until(|| field(sitting.pid(), "State:").starts_with('S'));
    sitting.signal(Signal::USR1);
    assert!(sitting.wait().success().stdout.contains("pause -1 4"));
    spinning.signal(Signal::TERM);
    assert!(spinning.wait().success().stdout.ends_with("ok\n"));
}

#[test]
fn programs_that_make_others_are_interrupted_anywhere() {
    let scratch = Scratch::new();
    let library = "int plugin_step(int x) { return x * 2; }\n\
                   int plugin_run(int x) { return plugin_step(x) + plugin_step(x + 1); }\n";
    let library = compile(&scratch, "libplugin.so", library, &["-O2", "-fPIC", "-shared", NOPS]);
    let program = compile(&scratch, "making", MAKING, &["-O1", NOPS, "-ldl"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-b", "64", "-e", "sched_process_exit"]);
    let running = begin(&scratch, &place, &[path(&program), path(&library)]);
    for round in 0..12 {
        let function = ["leaf", "plugin_*", "*"][round % 3];
        trace_now(&scratch, &place, function);
    }
    running.signal(Signal::TERM);
    assert!(running.wait().success().stdout.ends_with("ok\n"));
}

#[test]
fn what_does_not_follow_is_said_with_why() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-e", "sched_process_exit"]);
    let sitting = sit(&scratch, &place, path(&program), &["pause", "read"]);
    let [(_, asleep), (_, stopped)] = &sitting[..] else { unreachable!() };
    stopped.signal(Signal::STOP);
    stopped.wait_until(|| field(stopped.pid(), "State:").starts_with('T'));
    let set = ["set", "--session", &place, "set_ftrace_filter", "leaf"];
    let said = run(&mut scratch.lookback(&set)).success().stderr;
    let lines = [
        format!("sitting-{}: sleeps in pause", asleep.pid()),
        format!("sitting-{}: is stopped (SIGSTOP, SIGTSTP): follows once it continues", stopped.pid()),
        format!("`lookback set --now --session {place}` interrupts them"),
    ];
    let show = |what: &[&str]| {
        let arguments = [what, &["--session", &place]].concat();
        run(&mut scratch.lookback(&arguments)).success().stdout
    };
    let stat = show(&["stat", "--interval", "0"]);
    for line in &lines {
        assert!(said.contains(line) && stat.contains(line), "{line}\n{said}\n{stat}");
    }
    let list = show(&["list"]);
    assert!(list.contains("(functions pending: sleeps in pause") && list.contains(&lines[2]), "{list}");
    let json = show(&["list", "--json"]) + &show(&["stat", "--json", "--interval", "0"]);
    assert!(json.contains("\"functions_pending_because\":\"is stopped"), "{json}");
    assert!(json.contains("\"functions_pending\":[{\"pid\":"), "{json}");
    // The stopped one stays so.
    let now = ["set", "--now", "--session", &place];
    let said = run(&mut scratch.lookback(&now)).failure(1, &["was interrupted for"]).stderr;
    let expected = format!("sitting-{} was not interrupted: it is stopped", stopped.pid());
    assert!(said.contains(&expected), "{said}");
    assert!(field(stopped.pid(), "State:").starts_with('T'));
    stopped.signal(Signal::CONT);
    stopped.wait_until(|| field(stopped.pid(), "State:").starts_with('S'));
    run(&mut scratch.lookback(&now)).success();
    assert!(!show(&["list"]).contains("pending") && !show(&["stat", "--interval", "0"]).contains("pending"));
}

#[test]
fn a_debugger_a_filter_and_a_namespace_are_told_apart() {
    if is_missing(&["strace"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", NOPS, "-lrt"]);
    let place = session(&scratch, &["-p", "function", "-l", "other", "-e", "sched_process_exit"]);
    let sitting = sit(&scratch, &place, path(&program), &["pause"]);
    let pid = sitting[0].1.pid().to_string();
    let mut strace = scratch.command("strace");
    let strace = start(strace.args(["-p", &pid, "-o", "/dev/null"]).stdin(Stdio::null()));
    strace.wait_until(|| field(sitting[0].1.pid(), "TracerPid:") == strace.pid().to_string());
    let said = trace_now(&scratch, &place, "leaf").failure(1, &[]).stderr;
    let expected = format!("was not interrupted: process {} traces it already", strace.pid());
    assert!(said.contains(&expected), "{said}");
    strace.signal(Signal::INT);
    strace.wait();
    trace_now(&scratch, &place, "leaf").success();
    let Some(mut elsewhere) = in_pid_namespace(&scratch) else { return };
    elsewhere.args(["run", "--session", &place, "--", path(&program), "pause"]);
    let mut elsewhere = start(&mut elsewhere);
    elsewhere.wait_for("ready");
    let said = trace_now(&scratch, &place, "other").success().stderr;
    assert!(said.contains("sitting-1 was interrupted for"), "{said}");
}
