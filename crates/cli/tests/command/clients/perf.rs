//! perf, which is told by `$TRACEFS_PATH` where the tree is.

use super::Place;
use crate::common::*;

#[test]
fn it_lists_the_events_of_the_session() {
    if is_missing(&["perf"]) {
        return;
    }
    let place = Place::new();
    let listed = run(&mut place.lookback(&["exec", "--", "perf", "list", "tracepoint"])).success().stdout;
    let known = run(&mut place.lookback(&["get", "available_events"])).success().stdout;
    let names = listed.lines().filter_map(|line| line.split_once("[Tracepoint event]"));
    let mut names: Vec<&str> = names.map(|(name, _)| name.trim()).collect();
    // As of the kernel's, perf also shows those that have a number and can't be switched.
    let mut known: Vec<&str> = known.lines().chain(["ftrace:function", "ftrace:print"]).collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
    assert!(names.contains(&"libc:open_exit"));
}

/// perf hands the kernel an event's id, and no event of the kernel's has one of ours.
#[test]
fn it_is_refused_when_it_is_to_record_them() {
    if is_missing(&["perf"]) {
        return;
    }
    let place = Place::new();
    let data = place.scratch.outside("perf.data");
    let perf = ["exec", "--", "perf", "record", "-o", data.to_str().unwrap(), "-e", "libc:open", "true"];
    let outcome = run(&mut place.lookback(&perf));
    assert_eq!(outcome.code(), Some(255), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Invalid event (libc:open)"), "{}", outcome.stderr);
}
