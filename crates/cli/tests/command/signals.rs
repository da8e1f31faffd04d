//! How a program ends, and signals on their way to it: as without lookback.

use crate::common::*;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::fs;

#[test]
fn exit_codes_are_passed_on() {
    let scratch = Scratch::new();
    for code in [0, 1, 2, 42, 124, 125, 126, 127, 128, 129, 137, 254, 255] {
        let outcome = run(&mut scratch.record(&["-q", "-b", "64"], &["sh", "-c", &format!("exit {code}")]));
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (Some(code), ""));
        assert!(!is_left(outcome.pid));
    }
}

#[test]
fn a_signal_that_ends_the_program_ends_lookback() {
    let scratch = Scratch::new();
    // Hangup, interrupt, quit, abort, kill, user's, segmentation fault, pipe, alarm, terminate, CPU time, and
    // two for real-time programs.
    for signal in [1, 2, 3, 6, 9, 10, 11, 13, 14, 15, 24, 34, 64] {
        let script = format!("kill -{signal} $$; echo survived");
        let outcome = run(&mut scratch.record(&["-b", "64"], &["sh", "-c", &script]));
        assert_eq!((outcome.signal(), outcome.stdout.as_str()), (Some(signal), ""), "{outcome:?}");
        assert!(outcome.stderr.contains(", 0 lost"), "{outcome:?}");
        assert!(!is_left(outcome.pid));
        scratch.trace().expect("sched_process_exit", "comm=sh group_dead=true");
    }
    assert_eq!(scratch.names(), [""; 0], "a core dump is the program's own");
}

/// Reports each signal, and ends after a while in which a second one would come.
const REPORTS: &str =
    "for signal in HUP INT QUIT TERM USR1 USR2; do trap \"echo got $signal; left=10\" $signal; done
    echo ready; left=1000
    while [ $left -gt 0 ]; do sleep 0.02; left=$((left - 1)); done; exit 5";

#[test]
fn signals_reach_the_program_once() {
    let scratch = Scratch::new();
    for (signal, name) in [
        (Signal::HUP, "HUP"),
        (Signal::INT, "INT"),
        (Signal::QUIT, "QUIT"),
        (Signal::TERM, "TERM"),
        (Signal::USR1, "USR1"),
        (Signal::USR2, "USR2"),
    ] {
        let mut running = start(&mut scratch.record(&["-q", "-b", "64"], &["sh", "-c", REPORTS]));
        running.wait_for("ready\n");
        running.signal(signal);
        let outcome = running.wait();
        assert_eq!((outcome.code(), outcome.stdout), (Some(5), format!("ready\ngot {name}\n")));
    }
}

#[test]
fn a_signal_that_ends_both_leaves_a_recording() {
    let scratch = Scratch::new();
    let mut running = start(&mut scratch.record(&[], &["sh", "-c", "sleep 60 & echo $!; wait"]));
    running.wait_for("\n");
    let pid: i32 = running.printed().trim().parse().unwrap();
    let name = format!("/proc/{pid}/comm");
    running.wait_until(|| fs::read_to_string(&name).is_ok_and(|name| name == "sleep\n"));
    // The shell alone has it; its child stays.
    running.signal(Signal::TERM);
    let outcome = running.wait();
    assert_eq!(outcome.signal(), Some(15));
    assert!(outcome.stderr.contains("1 process that is still running"), "{}", outcome.stderr);
    assert!(!is_left(outcome.pid));
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    scratch.trace().expect_of("sh", "sched_process_exit", "comm=sh group_dead=true");
}

#[test]
fn a_signal_from_outside_a_container_is_passed_on() {
    let scratch = Scratch::new();
    let Some(mut command) = in_pid_namespace(&scratch) else { return };
    command.args(["record", "-q", "-b", "64", "-o"]).arg(scratch.outside("trace.dat"));
    let mut running = start(command.args(["sh", "-c", REPORTS]));
    running.wait_for("ready\n");
    // There its number is 1, and who sends has none.
    let children = format!("/proc/{0}/task/{0}/children", running.pid());
    let lookback: i32 = fs::read_to_string(children).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(lookback).unwrap(), Signal::TERM).unwrap();
    assert_eq!(running.wait().stdout, "ready\ngot TERM\n");
}

#[test]
fn what_was_ignored_stays_ignored() {
    let scratch = Scratch::new();
    let script = r#"trap '' HUP INT TERM; exec "$0" record -q -b 64 -o "$1" -- sh -c "$2""#;
    let program = "kill -HUP $$; kill -TERM $$; echo ready; sleep 0.3; exit 5";
    let mut command = scratch.command("sh");
    command.args(["-c", script, LOOKBACK]).arg(scratch.outside("trace.dat")).arg(program);
    let mut running = start(&mut command);
    running.wait_for("ready\n");
    running.signal(Signal::HUP);
    running.signal(Signal::INT);
    assert_eq!(running.wait().code(), Some(5));
}

#[test]
fn nohup_does_what_it_is_for() {
    if is_missing(&["nohup"]) {
        return;
    }
    let scratch = Scratch::new();
    let mut command = scratch.command("nohup");
    command.args([LOOKBACK, "record", "-q", "-b", "64", "-o"]).arg(scratch.outside("trace.dat"));
    let outcome = run(command.args(["sh", "-c", "kill -HUP $$; kill -HUP $PPID; sleep 0.1; echo alive"]));
    assert_eq!((outcome.code(), outcome.stdout.as_str()), (Some(0), "alive\n"));
}

#[test]
fn a_program_that_stops_can_be_continued() {
    let scratch = Scratch::new();
    let mut running =
        start(&mut scratch.record(&["-q"], &["sh", "-c", "echo $$; kill -STOP $$; echo continued; exit 4"]));
    running.wait_for("\n");
    let pid: i32 = running.printed().trim().parse().unwrap();
    let state = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    running.wait_until(|| state().contains(") T "));
    kill_process(Pid::from_raw(pid).unwrap(), Signal::CONT).unwrap();
    let outcome = running.wait();
    assert_eq!((outcome.code(), outcome.stdout), (Some(4), format!("{pid}\ncontinued\n")));
}

#[test]
fn a_stop_of_the_program_is_one_of_lookback() {
    for signal in [Signal::STOP, Signal::TSTP, Signal::TTIN, Signal::TTOU] {
        let scratch = Scratch::new();
        let number = signal.as_raw();
        let program = format!("kill -{number} $$; kill -{number} $$; echo on; exit 6");
        let running = start(&mut scratch.record(&["-q"], &["sh", "-c", &program]));
        let lookback = Pid::from_raw(running.pid() as i32).unwrap();
        for _ in 0..2 {
            let (_, status) = waitpid(Some(lookback), WaitOptions::UNTRACED).unwrap().unwrap();
            assert_eq!(status.stopping_signal(), Some(number));
            // What continues the job alone continues the program.
            running.signal(Signal::CONT);
        }
        let outcome = running.wait();
        assert_eq!((outcome.code(), outcome.stdout.as_str()), (Some(6), "on\n"));
        scratch.trace().expect("sched_process_exit", "comm=sh group_dead=true");
    }
}

#[test]
fn a_request_to_stop_is_the_programs() {
    let scratch = Scratch::new();
    let program = "trap 'echo stopped; exit 5' TSTP; echo ready; while true; do sleep 0.02; done";
    let mut running = start(&mut scratch.record(&["-q"], &["sh", "-c", program]));
    running.wait_for("ready\n");
    running.signal(Signal::TSTP);
    let outcome = running.wait();
    assert_eq!((outcome.code(), outcome.stdout.as_str()), (Some(5), "ready\nstopped\n"));
}
