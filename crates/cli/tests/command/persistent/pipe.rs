//! Following a session.

use super::{Persistent, opens};
use crate::common::*;

#[test]
fn the_pipe_takes_events_out_as_they_come() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    persistent.run(&opens("/before"));
    let mut pipe = start(&mut persistent.task("show", &["-p"]));
    pipe.wait_for("/before");
    persistent.run(&opens("/meanwhile"));
    pipe.wait_for("/meanwhile");
    run(&mut persistent.task("show", &["-p"])).failure(125, &["is being recorded by another lookback"]);
    pipe.signal(rustix::process::Signal::INT);
    let outcome = pipe.wait();
    assert_eq!(outcome.signal(), Some(2), "{outcome:?}");
    let shown = Trace::new(&outcome.stdout);
    assert_eq!(shown.events.iter().map(|event| event.comm.as_str()).collect::<Vec<_>>(), ["cat", "cat"]);
    assert!(!outcome.stdout.contains('#'), "trace_pipe has no header");
    assert_eq!(persistent.opened(&[]), [""; 0]);
}

#[test]
fn the_pipe_ends_when_recording_is_stopped_and_all_was_shown() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    let mut pipe = start(&mut persistent.task("show", &["-p"]));
    persistent.run(&opens("/some"));
    pipe.wait_for("/some");
    persistent.done("stop", &[]);
    assert_eq!(pipe.wait().success().stdout.lines().count(), 1);
}

#[test]
fn the_pipe_shows_what_the_options_ask_for() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    persistent.done("set", &["options/context-info", "0"]);
    let mut pipe = start(&mut persistent.task("show", &["-p"]));
    persistent.run(&opens("/bare"));
    pipe.wait_for("/bare");
    persistent.done("set", &["options/context-info", "1"]);
    persistent.done("set", &["options/record-cmd", "0"]);
    persistent.done("set", &["options/irq-info", "0"]);
    persistent.run(&opens("/nameless"));
    pipe.wait_for("/nameless");
    persistent.done("stop", &[]);
    let shown = pipe.wait().success().stdout;
    let [bare, nameless] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert!(bare.starts_with("open") && nameless.starts_with("           <...>-"), "{shown}");
    assert!(!nameless.contains(" ..... "), "{shown}");
}

#[test]
fn an_idle_pipe_costs_next_to_nothing() {
    let persistent = Persistent::new(&[]);
    let pipe = start(&mut persistent.task("show", &["-p"]));
    // utime and stime, in ticks of 10 ms.
    let ticks = || -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pipe.pid())).unwrap();
        let times = stat.rsplit_once(')').unwrap().1.split_whitespace().skip(11).take(2);
        times.map(|time| time.parse::<u64>().unwrap()).sum()
    };
    // It starts by reading the formats of all events, which a busy machine draws out.
    let two_seconds = || {
        let before = ticks();
        std::thread::sleep(std::time::Duration::from_secs(2));
        ticks() - before
    };
    let idle = (0..10).map(|_| two_seconds()).find(|spent| *spent <= 10);
    assert!(idle.is_some(), "it is busy all the time");
    pipe.signal(rustix::process::Signal::TERM);
    assert_eq!(pipe.wait().signal(), Some(15));
}

#[test]
fn what_comes_from_all_cpus_is_in_the_order_of_time_and_complete() {
    let persistent = Persistent::new(&["-e", "sched_process_exit"]);
    let mut pipe = start(&mut persistent.task("show", &["-p"]));
    let script =
        "for i in 1 2 3 4; do (j=0; while [ $j -lt 50 ]; do /bin/true; j=$((j+1)); done) & done; wait";
    persistent.run(&["sh", "-c", script]).success();
    pipe.wait_for("comm=sh");
    persistent.done("stop", &[]);
    let shown = Trace::new(&pipe.wait().success().stdout);
    assert!(shown.events.is_sorted_by_key(|event| event.time));
    assert_eq!(shown.count("sched_process_exit", "comm=true"), 200);
    assert_eq!(shown.count("sched_process_exit", "comm=sh"), 5);
    assert!(shown.events.iter().all(|event| event.comm == "true" || event.comm == "sh"), "all have names");
}
