//! Which thread runs, while `lookback persist` follows a session: for root and for anybody.

use super::*;
use crate::switches::instances_of;
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// Sleeps again and again until its input ends.
const SLEEPER: &str = r#"
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
int main(void) {
    struct pollfd input = { .fd = 0, .events = POLLIN };
    prctl(PR_SET_NAME, "sleeper");
    puts("begins");
    fflush(stdout);
    while (!poll(&input, 1, 2))
        ;
}"#;

/// What a journal has by now, once there is one.
#[track_caller]
fn copied(scratch: &Scratch) -> Option<Trace> {
    let file = scratch.outside("copied.dat");
    let mut extract = scratch.lookback(&["extract", "--from"]);
    let extracted = run(extract.arg(scratch.outside("journal")).arg("-o").arg(&file));
    if !extracted.status.success() {
        let is_empty = ["has no journal", "no segment has its first entry"];
        assert!(is_empty.iter().any(|said| extracted.stderr.contains(said)), "{extracted:?}");
        return None;
    }
    let mut report = scratch.lookback(&["report"]);
    let report = run(report.arg(&file)).success().stdout;
    let events: Vec<&str> = report.lines().filter(|line| !line.ends_with(" EVENTS]")).collect();
    Some(Trace::new(&events.join("\n")))
}

/// Follows a program that sleeps until that is in the journal, then ends all. What the journal has, and what
/// `persist` has said; nothing where it said at once that it can't.
#[track_caller]
fn followed(
    scratch: &Scratch,
    task: &dyn Fn(&str) -> Command,
    is_there: &dyn Fn(&Trace) -> bool,
) -> Option<(Trace, Outcome)> {
    let program = compile(scratch, "sleeper", SLEEPER, &[]);
    let mut sleeper = start(task("run").arg("--").arg(program).stdin(Stdio::piped()));
    sleeper.wait_for("begins\n");
    let mut persist = start(task("persist").args(["--interval", "0.02"]).arg(scratch.outside("journal")));
    persist.wait_for_error("lookback: copies ");
    let is_refused = || persist.said().contains("context_switch: perf_event_open: ");
    persist.wait_until(|| copied(scratch).is_some_and(|trace| is_there(&trace)) || is_refused());
    let is_refused = is_refused();
    drop(sleeper.input());
    sleeper.wait().success();
    persist.signal(Signal::TERM);
    let ended = persist.wait().success();
    copied(scratch).filter(|_| !is_refused).map(|trace| (trace, ended))
}

#[test]
fn the_kernels_events_are_persisted() {
    if is_missing(&["cc"]) || is_without_tracefs() {
        return;
    }
    let session = Persistent::new(&["-e", "@process", "-e", "@switch"]);
    let task = |task: &str| session.task(task, &[]);
    let is_there = |trace: &Trace| {
        trace.matching("sched_switch", "prev_comm=sleeper").count() > 2
            && trace.matching("sched_waking", "comm=sleeper").count() > 2
    };
    let (trace, ended) = followed(&session.scratch, &task, &is_there).expect("root may");
    assert_eq!(instances_of(ended.pid), Vec::<String>::new(), "it is removed again");
    assert!(is_there(&trace));
    assert!(trace.events.iter().map(|event| event.time).is_sorted());
}

#[test]
fn anybodys_own_event_is_persisted() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    if as_nobody(&scratch).is_none() {
        return;
    }
    fs::set_permissions(scratch.outside(""), fs::Permissions::from_mode(0o777)).unwrap();
    let path = scratch.outside("session");
    let task = |task: &str| {
        let mut lookback = as_nobody(&scratch).expect("what it needs is there");
        lookback.arg(task).arg("--session").arg(&path);
        lookback
    };
    run(task("start").args(["-b", "64", "-e", "@process", "-e", "@switch"])).success();
    let is_there = |trace: &Trace| {
        let switches: Vec<_> =
            trace.named("context_switch").filter(|event| event.comm == "sleeper").collect();
        switches.len() > 4 && switches.iter().any(|event| event.text == "direction=in")
    };
    let Some((trace, ended)) = followed(&scratch, &task, &is_there) else { return };
    assert!(is_there(&trace));
    let missing = "only root may use the kernel's tracefs; context_switch was recorded instead";
    assert!(ended.stderr.contains(missing), "{ended:?}");
    // Of nobody else.
    assert!(trace.named("context_switch").all(|event| event.comm == "sleeper"), "{trace:#?}");
}
