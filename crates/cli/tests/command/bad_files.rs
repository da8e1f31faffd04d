//! Events that don't exist, files that can't be written, files that are no recordings.

use crate::common::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Checks that a command fails with this message and leaves nothing.
#[track_caller]
fn refused(scratch: &Scratch, command: &mut Command, parts: &[&str]) {
    let outcome = run(command).failure(125, parts);
    assert!(!scratch.path("ran").exists(), "the program has run");
    assert_nothing_left(scratch, outcome.pid);
}

/// A program that shows that it has run.
const PROGRAM: [&str; 2] = ["touch", "ran"];

#[test]
fn events_that_there_are_not() {
    let scratch = Scratch::new();
    for (event, parts) in [
        ("libc:opne", &["no event is called libc:opne; similar: libc:open"][..]),
        ("libc:opena", &["libc:openat"]),
        ("epoll", &["epoll", "similar: libc:epoll_"]),
        ("@nothing", &["@nothing", "`lookback events` shows all"]),
        ("sched:open", &["sched:open"]),
        ("libc:[0-9]*", &["libc:[0-9]*", "`lookback events` shows all"]),
    ] {
        refused(&scratch, &mut scratch.record(&["-e", "libc:open", "-e", event], &PROGRAM), parts);
        refused(&scratch, &mut scratch.lookback(&["events", event]), &[event]);
    }
    assert!(!scratch.outside("trace.dat").exists());
}

#[test]
fn texts_that_name_no_event() {
    let scratch = Scratch::new();
    for event in ["", ":", "@", ":open", "a:b:c", "libc open", "libc:open,close", "libc:öffnen"] {
        for command in [&mut scratch.record(&["-e", event], &PROGRAM), &mut scratch.report(&["-e", event])] {
            refused(&scratch, command, &["--event <EVENT>", "names no events: expected SYSTEM:EVENT"]);
        }
    }
}

#[test]
fn arguments_that_there_are_not() {
    let scratch = Scratch::new();
    let nothing: [&str; 0] = [];
    refused(&scratch, &mut scratch.lookback(&nothing), &["Usage: lookback"]);
    refused(&scratch, &mut scratch.lookback(&["recrod"]), &["no task is called recrod; similar: record"]);
    refused(&scratch, &mut scratch.lookback(&["record"]), &["<CMD>", "Usage"]);
    refused(&scratch, &mut scratch.lookback(&["record", "--"]), &["<CMD>"]);
    refused(&scratch, &mut scratch.lookback(&["record", "--evnt", "x", "true"]), &["--evnt", "--event"]);
    refused(&scratch, &mut scratch.lookback(&["report", "a", "b"]), &["'b'"]);
    refused(
        &scratch,
        &mut scratch.lookback(&["report", "-C", "3-1"]),
        &["3-1", "expected numbers and ranges like 0,2-3"],
    );
    refused(&scratch, &mut scratch.lookback(&["report", "-P", "x"]), &["expected numbers and ranges"]);
}

#[test]
fn options_of_the_program_are_its_own() {
    let scratch = Scratch::new();
    let outcome = run(scratch
        .lookback(&["record", "-q", "-o"])
        .arg(scratch.outside("trace.dat"))
        .args(["echo", "-q", "--help", "--", "-o"]));
    assert_eq!(outcome.success().stdout, "-q --help -- -o\n");
}

#[test]
fn a_directory_to_write_to() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("directory")).unwrap();
    for name in ["directory", "."] {
        refused(
            &scratch,
            &mut scratch.lookback(&["record", "-o", name, "touch", "ran"]),
            &[name, "is a directory, expected a file"],
        );
    }
    refused(&scratch, &mut scratch.lookback(&["record", "-o", "", "touch", "ran"]), &["-o"]);
    assert_eq!(scratch.names(), ["directory"]);
}

#[test]
fn a_directory_that_is_not_there() {
    let scratch = Scratch::new();
    for name in ["missing/trace.dat", "file/trace.dat"] {
        scratch.write("file", "mine");
        refused(
            &scratch,
            &mut scratch.lookback(&["record", "-o", name, "touch", "ran"]),
            &[name, "choose another by -o FILE"],
        );
    }
    assert_eq!(scratch.names(), ["file"]);
}

#[test]
fn a_directory_without_permission() {
    let scratch = Scratch::new();
    let Some(mut command) = as_nobody(&scratch) else { return };
    let old = scratch.write("trace.dat", "mine");
    let parts = ["trace.dat", "ermission denied", "choose another by -o FILE"];
    refused(&scratch, command.args(["record", "true"]), &parts);
    assert_eq!(fs::read_to_string(old).unwrap(), "mine");
    assert_eq!(scratch.names(), ["trace.dat"]);
}

#[test]
fn a_recording_without_permission() {
    let scratch = Scratch::new();
    let Some(mut command) = as_nobody(&scratch) else { return };
    let file = scratch.write("trace.dat", "mine");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    refused(&scratch, command.args(["report"]), &["trace.dat", "Permission denied"]);
}

#[test]
fn a_file_system_that_is_read_only() {
    let scratch = Scratch::new();
    let script = r#""$LOOKBACK" record -o place/trace.dat touch ran"#;
    let Some(mut command) = with_mount(&scratch, "place", "ro", script) else { return };
    refused(&scratch, &mut command, &["place/trace.dat", "ead-only file", "choose another by -o FILE"]);
}

#[test]
fn a_file_system_that_is_full_from_the_start() {
    let scratch = Scratch::new();
    let script = r#"dd if=/dev/zero of=place/full bs=4k 2>/dev/null
        "$LOOKBACK" record -o place/trace.dat true; echo "code $?"; ls -A place"#;
    let Some(mut command) = with_mount(&scratch, "place", "size=64k", script) else { return };
    let outcome = run(&mut command);
    assert_eq!(outcome.stdout, "code 125\nfull\n", "{outcome:?}");
    assert!(
        outcome.stderr.contains("place") && outcome.stderr.contains("No space left on device"),
        "{outcome:?}"
    );
}

#[test]
fn a_file_system_that_becomes_full() {
    let scratch = Scratch::new();
    let script = r#"echo mine > place/trace.dat
        "$LOOKBACK" record -o place/trace.dat sh -c 'for i in $(seq 20000); do [ -e / ]; done; echo done; exit 3'
        echo "code $?"; ls -A place; cat place/trace.dat"#;
    let Some(mut command) = with_mount(&scratch, "place", "size=600k", script) else { return };
    let outcome = run(&mut command);
    assert_eq!(outcome.stdout, "done\ncode 125\ntrace.dat\nmine\n", "{outcome:?}");
    assert!(
        outcome.stderr.contains("place") && outcome.stderr.contains("No space left on device"),
        "{outcome:?}"
    );
}

#[test]
fn what_was_there_stays_until_the_recording_is_complete() {
    let scratch = Scratch::new();
    let file = scratch.write("trace.dat", "mine");
    let outcome = run(&mut scratch.lookback(&["record", "-q", "cat", "trace.dat"])).success();
    assert_eq!(outcome.stdout, "mine");
    assert!(fs::metadata(file).unwrap().len() > 1000);
    assert_eq!(scratch.names(), ["trace.dat"]);
}

#[test]
fn devices_and_pipes_are_written_to() {
    let scratch = Scratch::new();
    run(&mut scratch.lookback(&["record", "-q", "-o", "/dev/null", "true"])).success();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let script =
        r#"mkfifo pipe; cat pipe > trace.dat & "$LOOKBACK" record -q -o pipe true; wait; "$LOOKBACK" report"#;
    let outcome = run(scratch.command("sh").args(["-c", script]).env("LOOKBACK", LOOKBACK)).success();
    assert!(outcome.stdout.contains("sched_process_exec"), "{outcome:?}");
    let outcome = run(&mut scratch.lookback(&["record", "-q", "-o", "/dev/full", "true"]))
        .failure(125, &["/dev/full", "No space"]);
    assert!(!is_left(outcome.pid));
}

#[test]
fn reports_of_what_is_not_there() {
    let scratch = Scratch::new();
    refused(
        &scratch,
        &mut scratch.lookback(&["report"]),
        &["trace.dat", "No such file", "lookback record -- CMD"],
    );
    refused(&scratch, &mut scratch.lookback(&["report", "."]), &["."]);
}

#[test]
fn reports_of_what_is_no_recording() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q"], &["true"])).success();
    let whole = fs::read(scratch.outside("trace.dat")).unwrap();
    // The version is after the magic number and stands for itself.
    let version = whole.windows(2).position(|bytes| bytes == b"6\0").unwrap();
    let newer = [&whole[..version], b"99\0", &whole[version + 2..]].concat();
    let text = b"This is a text of some length that has nothing to do with recordings.\n".repeat(100);
    let mut cases: Vec<(String, Vec<u8>)> = vec![
        ("empty".into(), Vec::new()),
        ("a text".into(), text),
        ("zeros".into(), vec![0; 10_000]),
        ("of another version".into(), newer),
        ("an object".into(), fs::read(LOOKBACK).unwrap()[..10_000].to_vec()),
    ];
    for len in [1, 3, 10, 11, 20, 100, 5000, whole.len() / 2] {
        cases.push((format!("its first {len} bytes"), whole[..len].to_vec()));
    }
    for (name, content) in cases {
        let path = scratch.write("file.dat", content);
        let outcome = run(&mut scratch.lookback(&["report", "file.dat"]));
        assert_eq!(outcome.code(), Some(125), "{name}: {outcome:?}");
        assert!(outcome.stderr.starts_with("lookback: file.dat: "), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("; expected a file that"), "{name}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("panic"), "{name}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{name}: {}", outcome.stderr);
        assert!(path.exists());
    }
}

#[test]
fn reports_of_a_recording_that_ends_early() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q"], &["ls", "/"])).success();
    let whole = fs::read(scratch.outside("trace.dat")).unwrap();
    // Its last bytes but eight say where the pages end: what stands after them can be done without.
    let (_, footer) = whole.split_last_chunk::<16>().unwrap();
    let end = u64::from_le_bytes(*footer.first_chunk().unwrap()) as usize;
    scratch.write("file.dat", &whole[..end - 100]);
    let parts = ["file.dat: ", "bytes", "are there; expected a file that"];
    run(&mut scratch.lookback(&["report", "file.dat"])).failure(125, &parts);
}
