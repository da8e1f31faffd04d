//! Events say in which state they were recorded: signals blocked, in a handler, locks held.

use crate::common::*;

/// What of the state each call shows, and what it should: calls are made with that in their path.
fn shown(report: &str) -> Vec<(String, String)> {
    let shown = |line: &str| {
        let flags = line.split("] ").nth(1)?.split(' ').next()?;
        let path = line.split("pathname=\"/").nth(1)?.split('"').next()?;
        Some((format!("{flags}/{}", path.split_once('/')?.1), path.to_string()))
    };
    report.lines().filter(|line| line.contains("access_exit")).filter_map(shown).collect()
}

/// Calls of the program: with those of handlers, which come more than once.
const CALLS: usize = 46;

#[test]
fn events_show_masks_handlers_and_locks() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "state", include_str!("programs/state.c"), &["-pthread", "-Wno-unused"]);
    let program = program.to_str().unwrap();
    // Locks are counted past the frame of a call, and in it.
    for more in [&[][..], &["-e", "@lock", "-e", "@signal"]] {
        let events = [&["-q", "-e", "libc:access_exit"], more].concat();
        run(&mut scratch.record(&events, &[program])).success();
        let report = run(&mut scratch.report(&[])).success().stdout;
        let shown = shown(&report);
        let wrong: Vec<_> = shown.iter().filter(|(found, expected)| found != expected).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{report}");
        assert_eq!(shown.len(), CALLS, "{report}");
    }
}

#[test]
fn filters_know_the_state() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "state", include_str!("programs/state.c"), &["-pthread", "-Wno-unused"]);
    let event = "libc:access_exit if common_preempt_count > 0 && common_flags & 1";
    run(&mut scratch.record(&["-q", "-e", event], &[program.to_str().unwrap()])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let expected = "d.h1./handler with a lock held".to_string();
    assert_eq!(shown(&report), [(expected.clone(), expected)], "{report}");
}
