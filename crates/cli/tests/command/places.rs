//! Where sessions and the agent's object lie, whatever the place is called and whoever was there first.

use crate::common::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Runs a program in the session at `path`, and gives how many processes were attached.
#[track_caller]
fn attached(scratch: &Scratch, path: &OsStr) -> usize {
    let task = |arguments: &[&str]| {
        let mut command = scratch.lookback(&arguments[..1]);
        command.arg("--session").arg(path).args(&arguments[1..]);
        run(&mut command).success().stdout
    };
    task(&["start", "-q"]);
    task(&["run", "--", "sh", "-c", "/bin/true; true"]);
    let shown = task(&["show"]);
    task(&["delete"]);
    shown.matches("sched_process_exec: ").count()
}

#[test]
fn a_path_that_is_no_text() {
    let scratch = Scratch::new();
    let path = scratch.outside("").join(OsStr::from_bytes(b"s\xff\xfe"));
    assert_eq!(attached(&scratch, path.as_os_str()), 2);
    let mut record = scratch.lookback(&["record", "-q", "-o"]);
    record.arg(scratch.outside("trace.dat")).arg("--session").arg(&path).args(["--", "true"]);
    run(&mut record).success();
    assert_eq!(scratch.trace().count("sched_process_exec", ""), 1);
    // A name by the environment counts, text or not.
    let mut command = scratch.lookback(&["list"]);
    run(command.env("LOOKBACK_SESSION", &path)).failure(125, &["no session at "]);
    let mut command = scratch.lookback(&["list", "--session"]);
    run(command.arg(OsStr::from_bytes(b"\xff"))).failure(125, &["can't be a session's name"]);
}

#[test]
fn the_longest_path() {
    let scratch = Scratch::new();
    let mut path = scratch.outside("");
    // A slash between, and "/session" with its zero after.
    while path.as_os_str().len() + 200 < 1000 {
        path.push("d".repeat(100));
    }
    std::fs::create_dir_all(&path).unwrap();
    let name = "n".repeat(1024 - 9 - 1 - path.as_os_str().len());
    let longest = path.join(&name);
    assert_eq!(attached(&scratch, longest.as_os_str()), 2);
    let longer = path.join(format!("{name}n"));
    for arguments in [&["start"][..], &["list"], &["run", "--", "true"], &["record", "--", "true"]] {
        let mut command = scratch.lookback(&arguments[..1]);
        command.arg("--session").arg(&longer).args(&arguments[1..]);
        run(&mut command).failure(125, &["is too long", "at most 1015 bytes"]);
    }
    assert!(!longer.exists());
}

#[test]
fn a_cache_that_the_dynamic_linker_would_not_find() {
    for name in ["$LIB", "${ORIGIN}", "$PLATFORM", "a b", "a:b"] {
        let scratch = Scratch::new();
        let Some(mut nobody) = as_nobody(&scratch) else { return };
        let cache = scratch.outside(name);
        std::fs::create_dir(&cache).unwrap();
        std::os::unix::fs::chown(&cache, Some(65534), Some(65534)).unwrap();
        let outcome = run(nobody.arg("preload").env("XDG_CACHE_HOME", &cache)).success();
        assert!(!outcome.stdout.contains(name), "{}", outcome.stdout);
        let object = Path::new(outcome.stdout.trim());
        assert!(object.is_absolute() && object.is_file(), "{}", outcome.stdout);
    }
}

/// A command of nobody's, in a shell that sets something up first.
fn after(setup: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{setup}; exec \"$0\" \"$@\"")]).arg(command.get_program());
    shell.args(command.get_args()).current_dir("/");
    shell
}

#[test]
fn a_mask_of_all_modes_is_the_programs_alone() {
    let scratch = Scratch::new();
    let Some(nobody) = as_nobody(&scratch) else { return };
    let place = scratch.outside("nobodys");
    std::fs::create_dir(&place).unwrap();
    std::os::unix::fs::chown(&place, Some(65534), Some(65534)).unwrap();
    let session = place.join("session").display().to_string();
    let masked = |arguments: &[&str]| {
        let mut command = after("umask 777", &nobody);
        run(command.args(arguments).env_remove("LOOKBACK_SESSION").env_remove("LD_PRELOAD"))
    };
    masked(&["start", "-q", "-b", "64", "--session", &session]).success();
    let said = masked(&["run", "--session", &session, "--", "sh", "-c", "umask"]).success().stdout;
    assert_eq!(said, "0777\n");
    assert!(masked(&["show", "--session", &session]).success().stdout.contains("sched_process_exec"));
    masked(&["delete", "--session", &session]).success();
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn whoever_takes_the_name_of_a_place_switches_nothing_off() {
    let scratch = Scratch::new();
    let session = scratch.outside("session").display().to_string();
    // Somebody else was there first.
    let script = "mount -t tmpfs -o mode=755 none /run; setpriv --reuid 65534 --regid 65534 --clear-groups \
            sh -c 'mkdir /dev/shm/lookback-0 /dev/shm/lookback-1000 && chmod 777 /dev/shm/lookback-*' || exit 1
        unset XDG_RUNTIME_DIR
        for task in start list stop delete; do \"$LOOKBACK\" $task --session $SESSION || exit 2; done
        \"$LOOKBACK\" start -q -b 64 || exit 3
        \"$LOOKBACK\" run -- /bin/true || exit 4
        \"$LOOKBACK\" list --sessions; \"$LOOKBACK\" record -b 64 -o $TRACE -- true || exit 5
        \"$LOOKBACK\" delete";
    let Some(mut command) = with_mount(&scratch, "/dev/shm", "mode=1777", script) else { return };
    command.env("SESSION", &session).env("TRACE", scratch.outside("trace.dat"));
    let outcome = run(&mut command).success();
    assert!(outcome.stdout.contains("/run/lookback/default"), "{outcome:?}");
}
