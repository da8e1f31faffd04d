//! What the command answers: help, and errors that say what was expected and the way out.

use crate::common::*;

/// A session for these tests, with buffers of 64 KB.
fn session(scratch: &Scratch) -> String {
    let path = scratch.outside("session").to_str().unwrap().to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "64", "--session", &path])).success();
    path
}

#[test]
fn every_task_can_be_quiet() {
    let scratch = Scratch::new();
    let path = session(&scratch);
    for task in [&["set", "libc:open", "off"][..], &["list"], &["stat"], &["stop"], &["clear"], &["delete"]] {
        let outcome = run(scratch.lookback(task).args(["-q", "--session", &path])).success();
        assert_eq!(outcome.stderr, "", "{task:?}");
    }
    let outcome = run(&mut scratch.lookback(&["delete", "-q", "--session", &path]));
    outcome.failure(125, &[&path]);
}
