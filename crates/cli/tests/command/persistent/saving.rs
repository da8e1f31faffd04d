//! Snapshots that are saved as files, by whoever looks at the session.

use super::*;
use rustix::process::Signal;
use std::fs;
use std::process::Stdio;

impl Persistent {
    fn kept(&self) -> PathBuf {
        self.scratch.outside("kept")
    }

    /// One that saves its snapshots, and has space for three.
    fn saving(options: &[&str]) -> Persistent {
        let session = Persistent::new(&[&["-e", "libc:open_exit", "--snapshots", "3"], options].concat());
        session.done("start", &["-q", "--save-to", session.kept().to_str().unwrap()]);
        session
    }

    /// The files that are there, by their numbers: with the reason, without the time.
    fn saved(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.kept())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        let part = |name: &String| {
            let name = name.strip_prefix("snapshot-session-").unwrap().strip_suffix("Z.dat").unwrap();
            name.rsplit_once('-').unwrap().0.to_owned()
        };
        names.iter().map(part).collect()
    }

    /// What was opened, by the file of this number and reason.
    fn opened_in_file(&self, what: &str) -> Vec<String> {
        let start = format!("snapshot-session-{what}-");
        let mut files = fs::read_dir(self.kept()).unwrap().map(|entry| entry.unwrap());
        let file = files.find(|file| file.file_name().to_str().unwrap().starts_with(&start)).unwrap();
        let mut report = self.scratch.lookback(&["report"]);
        opened_in(&Trace::new(&run(report.arg(file.path())).success().stdout))
    }
}

#[test]
fn whoever_looks_saves_what_is_new() {
    let session = Persistent::saving(&[]);
    session.run(&["cat", "/first"]);
    let ended = session.run(&["sh", "-c", "kill -SEGV $$"]);
    assert!(!ended.status.success() && session.saved().is_empty(), "no traced process writes a file");
    let said = session.done("stat", &["--interval", "0"]).stderr;
    assert!(said.contains("lookback: snapshot 0 saved as ") && said.lines().count() == 1, "{said}");
    assert_eq!(session.saved(), ["0-SIGSEGV"]);
    assert_eq!(session.opened_in_file("0-SIGSEGV"), ["/first"]);
    assert_eq!(session.done("snapshots", &[]).stderr, "", "it is saved once");
    session.run(&["cat", "/second"]);
    session.done("snapshot", &["-s"]);
    assert_eq!(session.saved(), ["0-SIGSEGV", "1-command"]);
    assert_eq!(session.opened_in_file("1-command"), ["/second"]);
    session.done("set", &["events/libc/open_exit/trigger", "snapshot:1"]);
    session.run(&["cat", "/third"]);
    session.done("delete", &[]);
    assert_eq!(session.saved(), ["0-SIGSEGV", "1-command", "2-libc_open_exit"], "before it is gone");
}

#[test]
fn it_is_chosen_and_read_while_the_session_records() {
    let session = Persistent::new(&["--snapshots", "3", "--snapshot-on", "signal"]);
    let get = |file: &str| session.done("get", &[file]).stdout;
    let all = || ["snapshot_on", "snapshot_save_to", "snapshot_save_size_mb"].map(get);
    assert_eq!(all(), ["signal\n", "\n", "256\n"]);
    session.done("snapshot", &["-s"]);
    let kept = session.kept().display().to_string();
    session.done("set", &["snapshot_save_to", &kept]);
    session.done("start", &["-q", "--save-size", "7", "--snapshot-on", "exit"]);
    assert_eq!(all(), ["exit\n", &format!("{kept}\n"), "7\n"]);
    session.done("list", &[]);
    assert_eq!(session.saved(), ["0-command"], "also one that was there before");
    session.done("set", &["snapshot_save_to", ""]);
    session.done("snapshot", &["-s"]);
    assert_eq!((session.saved().len(), all()[1].as_str()), (1, "\n"));
    for (file, value, expected) in [
        ("snapshot_on", "segv", "none, or some of signal, panic, abort, assert, terminate, exit, kill"),
        ("snapshot_save_to", "kept", "the path of a directory from / on"),
        ("snapshot_save_size_mb", "0", "a number of MB from 1 on"),
    ] {
        let expected = format!("lookback: {file}: Invalid argument (os error 22); expected {expected}");
        run(&mut session.task("set", &[file, value])).failure(125, &[&expected]);
    }
    // A process that runs already.
    let mut running =
        start(session.running(&["sh", "-c", "echo runs; read line; exit 3"]).stdin(Stdio::piped()));
    running.wait_for("runs");
    session.done("set", &["snapshot_on", "signal,exit"]);
    session.done("set", &["snapshot_save_to", &kept]);
    drop(running.input());
    running.wait();
    session.done("snapshots", &["show", "2"]);
    assert_eq!(session.saved(), ["0-command", "1-command", "2-exit3"]);
}

#[test]
fn who_stands_by_saves_at_once() {
    let journal = |session: &Persistent| session.scratch.outside("journal").display().to_string();
    for is_copied in [false, true] {
        let session = Persistent::saving(&["--snapshot-on", "kill"]);
        let task: &[&str] =
            if is_copied { &["persist", &journal(&session)] } else { &["snapshots", "watch"] };
        let mut standing = start(&mut session.task(task[0], &task[1..]));
        standing.wait_for_error("lookback: ");
        session.run(&["sh", "-c", "kill -KILL $$"]);
        standing.wait_until(|| session.saved() == ["0-killed"]);
        standing.signal(Signal::TERM);
        standing.wait().success();
    }
    let session = Persistent::saving(&[]);
    let mut watching = start(&mut session.task("snapshots", &["watch"]));
    watching.wait_for_error("lookback: saves snapshots of ");
    session.done("delete", &[]);
    assert!(watching.wait().success().stderr.contains("the session was removed\n"));
}

/// Where others have filled the disk it is said, and nothing looks whole that isn't; once there is space it
/// is saved.
#[test]
fn a_full_disk_is_said_and_waited_for() {
    let session = Persistent::of_size("1024", &["-e", "libc:open_exit", "--snapshots", "3"]);
    let place = session.scratch.outside("small");
    let script = format!(
        "cd {}; take() {{
            $LOOKBACK run --session $SESSION -- sh -c 'n=0; while [ $n -lt 9000 ]; do n=$((n+1)); : <$0; done' \
                /dev/null
            $LOOKBACK snapshot --session $SESSION -s 2>&1
        }}
        $LOOKBACK start -q --session $SESSION --save-to $PWD/kept
        take; ls kept; mv kept/snapshot-* .; head -c 9M /dev/zero >filler 2>/dev/null
        take; ls -A kept; rm filler; $LOOKBACK snapshots --session $SESSION; ls kept",
        place.display()
    );
    let Some(mut command) = with_mount(&session.scratch, place.to_str().unwrap(), "size=4m", &script) else {
        return;
    };
    let outcome = run(command.env("SESSION", &session.path)).success();
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let files = |number: u32| {
        let start = format!("snapshot-session-{number}-command-");
        lines.iter().filter(|line| line.starts_with(&start)).count()
    };
    let failed = lines.iter().filter(|line| line.contains("No space left on device")).count();
    assert_eq!((files(0), failed), (1, 1), "{outcome:?}");
    assert_eq!(files(1), 1, "saved once there was space: {outcome:?}");
    assert!(!lines.iter().any(|line| line.starts_with(".unfinished")), "{outcome:?}");
}
