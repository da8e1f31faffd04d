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
    let mut known: Vec<&str> = known.lines().chain(["ftrace:print"]).collect();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
    assert!(names.contains(&"libc:open_exit"));
}
