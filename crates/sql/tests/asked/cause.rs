//! What `docs/looking.md` asks on the way from a snapshot to the cause.

use crate::support::{answer_of, lookback, root};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// The page.
const LOOKING: &str = include_str!("../../../../docs/looking.md");

/// What it asks in SQL about the snapshot.
fn query() -> &'static str {
    let (_, asked) = LOOKING.split_once("$ lookback sql bad.dat \"").unwrap();
    asked.split_once('"').unwrap().0
}

#[test]
fn the_last_errors_before_a_crash_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let (server, session, trace) = (place("server"), place("session"), place("bad.dat"));
    let source = root().join("examples/hunt/server.c");
    let built = Command::new("cc").args(["-g", "-pthread", "-o"]).args([&server, &source]).status();
    assert!(built.unwrap().success());
    let task = |name: &str| {
        let mut command = lookback();
        command.args([name, "-q", "--session"]).arg(&session);
        command
    };
    assert!(task("start").status().unwrap().success());
    let crashed = task("run").arg("--").arg(&server).arg("4000").output().unwrap();
    assert_eq!(crashed.status.signal(), Some(11), "{crashed:?}");
    assert!(task("extract").args(["-s", "-o"]).arg(&trace).status().unwrap().success());

    let answer = answer_of(&trace, query());
    let error = |page: u32| format!("openat,page-{page},2,1,");
    let expected = [3999, 3749, 3499].map(error);
    assert_eq!(answer.len(), expected.len(), "{answer:?}");
    assert!(answer.iter().zip(&expected).all(|(line, error)| line.starts_with(error)), "{answer:?}");
}
