//! Calls that fail too often take a snapshot.

use super::errors::reasons;
use super::*;
use std::process::Stdio;

/// Asks for a path that isn't there, as often as it is told to, and for one that is.
const FAILING: &str = r#"
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments) {
    for (long rest = atol(arguments[1]); rest; rest--) access("/none", F_OK), access("/", F_OK);
}"#;

fn build(session: &Persistent) -> String {
    compile(&session.scratch, "failing", FAILING, &[]).to_str().unwrap().to_owned()
}

#[test]
fn the_first_error_too_many_takes_one() {
    let session = Persistent::new(&["-e", "libc:access_exit", "--errors", "libc:access > 3/h"]);
    let failing = build(&session);
    session.run(&[&failing, "2"]);
    session.run(&[&failing, "1"]);
    assert_eq!(reasons(&session), [""; 0], "three are allowed");
    session.run(&[&failing, "5"]);
    assert_eq!(reasons(&session), ["errors more than 3/h"], "of all processes together, and once");
    let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
    let failed = kept.events.iter().filter(|event| event.text.contains("error=ENOENT")).count();
    assert_eq!(failed, 4, "the last of them is in it: {kept:?}");
    let text = session.done("snapshots", &[]).stdout;
    assert!(text.contains("errors of libc:access, the last ENOENT: more than 3/h\n"), "{text}");
    let json = session.done("snapshots", &["--json"]).stdout;
    assert!(json.contains(r#""by":"errors","event":"libc:access""#), "{json}");
}

/// Whether the call's event is enabled or not, and processes that run already follow.
#[test]
fn rules_are_chosen_while_programs_run() {
    let session = Persistent::new(&["-e", "libc:read_exit", "--snapshots", "3"]);
    let mut running = start(
        session.running(&["sh", "-c", "echo runs; read line; cd /none; cd /none"]).stdin(Stdio::piped()),
    );
    running.wait_for("runs");
    session.done("start", &["-q", "--errors", "chdir>1/h", "--errors", "libc:chdir > 0/m"]);
    assert_eq!(session.done("get", &["error_rates"]).stdout, "libc:chdir > 1/h\nlibc:chdir > 0/m\n");
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains("libc:chdir_exit error_rate:0/m:unlimited if error != 0"), "{stat}");
    drop(running.input());
    running.wait();
    // Of the second error another rule knows, which may be less than a second later.
    assert_eq!(reasons(&session)[0], "errors more than 0/m");
    session.done("start", &["-q", "--errors", "none"]);
    assert_eq!(session.done("get", &["error_rates"]).stdout, "");
    let before = reasons(&session);
    session.run(&["sh", "-c", "cd /none"]);
    assert_eq!(reasons(&session), before);
}

#[test]
fn what_is_no_rule_is_marked() {
    let session = Persistent::new(&["--errors", "libc:open > 1/s"]);
    for (rule, mark) in [
        ("libc:connect = 5/s", "             ^\nexpected >"),
        ("libc:umask > 5/s", "     ^\nexpected a call that says when it has failed"),
        ("libc:nothing > 5/s", "     ^\nexpected a call that `lookback events` lists"),
    ] {
        let expected = format!("--errors:\n{rule}\n{mark}, as in 'libc:connect > 5/s'");
        run(&mut session.task("start", &["--errors", rule])).failure(125, &[&expected]);
        run(&mut session.task("set", &["-a", "error_rates", rule]))
            .failure(125, &[&format!("  Command: {rule}\n")]);
    }
    assert_eq!(session.done("get", &["error_rates"]).stdout, "libc:open > 1/s\n");
    let none = Persistent::new(&["--snapshots", "0"]);
    run(&mut none.task("start", &["--errors", "libc:open > 1/s"])).failure(125, &["has no snapshots"]);
}
