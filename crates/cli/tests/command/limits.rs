//! Where the system gives less than is asked for: full devices, small files, long arguments.

use crate::common::*;
use std::fs::File;
use std::process::{Command, Stdio};

/// Runs `command` with standard error on a device that is full; its exit code or signal.
fn with_full_error(command: &mut Command) -> (Option<i32>, String) {
    use std::os::unix::process::ExitStatusExt;
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = command.stderr(full).stdout(Stdio::piped()).output().unwrap();
    let code = output.status.code().or(output.status.signal().map(|signal| 1000 + signal));
    (code, String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_full_standard_error_changes_no_status() {
    let scratch = Scratch::new();
    for (program, code) in [("echo said", 0), ("exit 7", 7), ("kill -TERM $$", 1015)] {
        let (found, said) = with_full_error(&mut scratch.record(&[], &["sh", "-c", program]));
        assert_eq!((found, said.as_str()), (Some(code), if code == 0 { "said\n" } else { "" }));
    }
    assert_eq!(with_full_error(&mut scratch.record(&[], &["/no/such"])).0, Some(127));
    assert_eq!(with_full_error(&mut scratch.lookback(&["record", "--no-such"])).0, Some(125));
    let session = scratch.beside("session").display().to_string();
    for task in ["start", "stop", "delete"] {
        assert_eq!(
            with_full_error(&mut scratch.lookback(&[task, "--session", &session])).0,
            Some(0),
            "{task}"
        );
    }
}

#[test]
fn a_full_standard_output_is_told() {
    let scratch = Scratch::new();
    for arguments in [&["--help"][..], &["events"], &["list", "--sessions"], &["preload"], &["report", "-h"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = scratch.lookback(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{arguments:?} {said}");
        assert!(said.contains("No space left on device"), "{arguments:?} {said}");
    }
}

/// Runs a shell script, which finds lookback in `$LOOKBACK`, with a session beside in `$SESSION`.
fn script(scratch: &Scratch, script: &str) -> Command {
    let mut command = scratch.command("bash");
    command.args(["-c", script]).env("LOOKBACK", LOOKBACK).env("SESSION", scratch.beside("session"));
    command.env("TRACE", scratch.beside("trace.dat"));
    command
}

#[test]
fn a_limit_of_the_size_of_files_is_told() {
    let scratch = Scratch::new();
    let hint = "the size of files is limited (ulimit -f)";
    run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" start --session $SESSION")).failure(125, &[hint]);
    run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" record -o $TRACE -- ls")).failure(125, &[hint]);
    assert_eq!(run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" list --sessions")).code(), Some(0));
}

/// What bash prints about the signal, and what a program finds.
const TOO_LARGE: &str = "dd if=/dev/zero of=large bs=1024 count=200 2>/dev/null; echo $?
    grep ^Sig[IC] /proc/self/status";

#[test]
fn programs_meet_the_limit_of_files_as_without() {
    let scratch = Scratch::new();
    run(&mut script(&scratch, "\"$LOOKBACK\" start -q --session $SESSION")).success();
    for before in ["", "trap '' XFSZ;"] {
        let plain = run(&mut script(&scratch, &format!("ulimit -f 100; {before} sh -c '{TOO_LARGE}'")));
        let command =
            format!("ulimit -f 100; {before} \"$LOOKBACK\" run --session $SESSION -- sh -c '{TOO_LARGE}'");
        assert_eq!(run(&mut script(&scratch, &command)).visible(), plain.visible());
        let command =
            format!("{before} \"$LOOKBACK\" record -q -o $TRACE -- sh -c 'ulimit -f 100; {TOO_LARGE}'");
        assert_eq!(run(&mut script(&scratch, &command)).visible(), plain.visible());
    }
    run(&mut script(&scratch, "\"$LOOKBACK\" delete --session $SESSION")).success();
}
