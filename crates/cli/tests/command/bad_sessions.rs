//! Sessions that can't be made or used, for want of space or rights or because of what is there.

use crate::common::*;
use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;

/// Checks that a recording fails, with a message in one line, and leaves nothing.
#[track_caller]
fn refused(scratch: &Scratch, command: &mut Command, parts: &[&str]) {
    let outcome = run(command).failure(125, parts);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    assert!(!scratch.path("ran").exists(), "the program has run");
    assert_nothing_left(scratch, outcome.pid);
}

/// A program that shows that it has run.
const PROGRAM: [&str; 2] = ["touch", "ran"];

#[test]
fn buffers_of_no_size_or_an_absurd_one() {
    let scratch = Scratch::new();
    for size in ["0", "16777217", "18446744073709551615"] {
        refused(
            &scratch,
            &mut scratch.record(&["-b", size], &PROGRAM),
            &[size, "KB can't be a buffer's size: expected 8 to"],
        );
    }
    for size in ["-1", "many", "4q", "18446744073709551616", "18446744073709551615G"] {
        let outcome = run(&mut scratch.record(&[&format!("-b={size}")], &PROGRAM))
            .failure(125, &["invalid value", size]);
        assert!(!is_left(outcome.pid));
    }
    // More than there is memory, but not more than there can be.
    refused(
        &scratch,
        &mut scratch.record(&["-b", "16777216"], &PROGRAM),
        &["/dev/shm", "KB free", "KB are needed", "-b KB", "--session"],
    );
}

#[test]
fn names_that_no_session_can_have() {
    let scratch = Scratch::new();
    for name in ["", "..", ".hidden", "a b", "a:b", "-x"] {
        let option = format!("--session={name}");
        refused(
            &scratch,
            &mut scratch.record(&[&option], &PROGRAM),
            &[&format!("{name:?}"), "can't be a session's name", "letters, digits"],
        );
    }
}

#[test]
fn a_place_that_is_not_there() {
    let scratch = Scratch::new();
    let path = scratch.outside("missing/session");
    refused(
        &scratch,
        &mut scratch.record(&["--session", path.to_str().unwrap()], &PROGRAM),
        &[path.to_str().unwrap(), "doesn't exist: make it"],
    );
}

#[test]
fn something_else_in_its_place() {
    let scratch = Scratch::new();
    let path = scratch.outside("session");
    fs::write(&path, "mine").unwrap();
    refused(
        &scratch,
        &mut scratch.record(&["--session", path.to_str().unwrap()], &PROGRAM),
        &[path.to_str().unwrap()],
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("mine"), "mine").unwrap();
    refused(
        &scratch,
        &mut scratch.record(&["--session", path.to_str().unwrap()], &PROGRAM),
        &[path.to_str().unwrap()],
    );
    assert_eq!(fs::read_to_string(path.join("mine")).unwrap(), "mine");
}

/// A session that stays, small and with one event on.
fn session(scratch: &Scratch) -> PathBuf {
    // A recording removes only what it has made; so this one is interrupted before it can.
    let path = scratch.outside("session");
    let running = start(
        &mut scratch.record(&["-q", "-b", "64", "--session", path.to_str().unwrap()], &["sleep", "0.1"]),
    );
    running.wait_until(|| path.join("session").is_file());
    let kept = scratch.outside("kept");
    fs::create_dir(&kept).unwrap();
    fs::copy(path.join("session"), kept.join("session")).unwrap();
    running.wait().success();
    fs::remove_file(scratch.outside("trace.dat")).unwrap();
    kept
}

#[test]
fn clocks_that_there_are_not_or_that_a_session_has_not() {
    let scratch = Scratch::new();
    for clock in ["", "monotonic", "MONO", "mono raw"] {
        let known = "local, global, counter, uptime, perf, mono, mono_raw, boot, tai, x86-tsc";
        let outcome = run(&mut scratch.record(&["-C", clock], &PROGRAM))
            .failure(125, &["no clock is called", clock, known]);
        assert!(!is_left(outcome.pid));
    }
    let path = session(&scratch);
    let kept = path.to_str().unwrap();
    refused(
        &scratch,
        &mut scratch.record(&["-C", "boot", "--session", kept], &PROGRAM),
        &[kept, "with the clock mono", "-C", "another session"],
    );
    run(&mut scratch.record(&["-C", "mono", "--session", kept], &PROGRAM)).success();
}

#[test]
fn sessions_of_another_version_or_damaged() {
    let scratch = Scratch::new();
    let path = session(&scratch);
    let file = fs::File::options().read(true).write(true).open(path.join("session")).unwrap();
    let name = path.to_str().unwrap();
    let record = || scratch.record(&["--session", name], &PROGRAM);
    for (offset, bytes, message) in [
        (8, &99u32.to_le_bytes()[..], "session layout version 99, expected"),
        (0, b"somethin", "not a lookback session"),
    ] {
        let mut before = vec![0; bytes.len()];
        file.read_exact_at(&mut before, offset).unwrap();
        file.write_all_at(bytes, offset).unwrap();
        refused(&scratch, &mut record(), &[name, message]);
        file.write_all_at(&before, offset).unwrap();
    }
    let len = file.metadata().unwrap().len();
    for shorter in [len - 1, len / 2, 4096, 1, 0] {
        file.set_len(shorter).unwrap();
        refused(&scratch, &mut record(), &[name, "damaged"]);
    }
    assert!(path.join("session").is_file(), "what is not ours is not removed");
}

#[test]
fn a_session_that_is_being_recorded() {
    let scratch = Scratch::new();
    let other = Scratch::new();
    let path = scratch.outside("session");
    let name = path.to_str().unwrap();
    let options = ["-q", "-b", "64", "--session", name];
    let running = start(&mut scratch.record(&options, &["sh", "-c", "touch started; sleep 1"]));
    running.wait_until(|| scratch.path("started").exists());
    refused(
        &other,
        &mut other.record(&["--session", name], &PROGRAM),
        &[name, "is being recorded by another lookback"],
    );
    refused(&other, &mut other.record(&["--session", name, "-b", "64"], &PROGRAM), &[name, "leave out -b"]);
    running.wait().success();
    assert!(!path.exists(), "it goes with the recording that has made it");
}

/// A shell script with a `/dev/shm` of its own.
fn with_shm(scratch: &Scratch, size: &str, script: &str) -> Option<Command> {
    with_mount(scratch, "/dev/shm", &format!("size={size}"), script)
}

#[test]
fn a_full_shm() {
    let scratch = Scratch::new();
    let script = r#"dd if=/dev/zero of=/dev/shm/full bs=4k 2>/dev/null; rm -f /dev/shm/full.*
        "$LOOKBACK" record -- touch ran; echo "code $?"; ls -A /dev/shm /dev/shm/lookback-0"#;
    let Some(mut command) = with_shm(&scratch, "1m", script) else { return };
    let outcome = run(&mut command);
    assert!(outcome.stdout.contains("code 125"), "{outcome:?}");
    assert!(outcome.stderr.contains("/dev/shm/lookback-0"), "{outcome:?}");
    assert!(outcome.stderr.contains("-b KB") || outcome.stderr.contains("No space left"), "{outcome:?}");
    assert!(!outcome.stdout.contains("record-"), "{outcome:?}");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn a_small_shm_gets_small_buffers() {
    let scratch = Scratch::new();
    let script = r#""$LOOKBACK" record -- touch ran; echo "code $?"; ls -A /dev/shm/lookback-0"#;
    let Some(mut command) = with_shm(&scratch, "16m", script) else { return };
    let outcome = run(&mut command);
    assert!(outcome.stdout.starts_with("code 0"), "{outcome:?}");
    assert!(outcome.stderr.contains(", 0 lost"), "{outcome:?}");
    assert!(!outcome.stdout.contains("record-"), "{outcome:?}");
    assert!(scratch.path("ran").exists());
}

#[test]
fn an_shm_where_nothing_can_be_executed() {
    let scratch = Scratch::new();
    let script = r#"mount -o remount,noexec /dev/shm && "$LOOKBACK" record -- touch ran; echo "code $?""#;
    let Some(mut command) = with_shm(&scratch, "64m", script) else { return };
    let outcome = run(command.env("XDG_CACHE_HOME", scratch.outside("cache")));
    assert!(outcome.stdout.starts_with("code 0"), "{outcome:?}");
    assert!(outcome.stderr.contains(" events, "), "{outcome:?}");
}

#[test]
fn a_directory_of_sessions_of_somebody_else() {
    let scratch = Scratch::new();
    // Nor is there another place.
    let script = r#"unset XDG_RUNTIME_DIR; mount -t tmpfs -o ro none /run; mkdir -m 0777 /dev/shm/lookback-0
        "$LOOKBACK" record -- touch ran; echo "code $?""#;
    let Some(mut command) = with_shm(&scratch, "64m", script) else { return };
    let outcome = run(&mut command);
    assert_eq!(outcome.stdout, "code 125\n");
    assert!(
        outcome.stderr.contains("/dev/shm/lookback-0 is not your own directory with mode 0700"),
        "{outcome:?}"
    );
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn a_session_of_somebody_else() {
    let scratch = Scratch::new();
    let Some(mut command) = as_nobody(&scratch) else { return };
    let path = session(&scratch);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    command.args(["record", "-o", "/dev/null", "--session", path.to_str().unwrap(), "--"]).args(PROGRAM);
    refused(&scratch, &mut command, &[path.to_str().unwrap(), "Permission denied"]);
}
