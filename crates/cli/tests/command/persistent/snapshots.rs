//! Snapshots, read together with what was recorded after them.

use super::*;
use std::io::{Read, Write};
use std::process::Stdio;

const ALL: &[&str] = &["--with-snapshots"];

#[test]
fn snapshots_and_what_follows_are_read_as_one() {
    let session = Persistent::new(&["-e", "libc:open*_exit", "--snapshots", "3"]);
    assert_eq!(session.opened(ALL), [""; 0]);
    for path in ["/first", "/second"] {
        session.run(&opens(path));
        session.done("snapshot", &["-s", "-q"]);
    }
    session.run(&opens("/now"));
    assert_eq!(session.opened(&[]), ["/now"]);
    assert_eq!(session.opened(ALL), ["/first", "/second", "/now"]);
    let shown = session.shown(ALL);
    assert!(shown.events.is_sorted_by_key(|event| event.time));
    for form in [&["--calls"][..], &["--json"], &["--stat"], &["--pair", "open"]] {
        let shown = session.done("show", &[ALL, form].concat()).stdout;
        let is_whole = match form {
            ["--stat"] => shown.starts_with("3 events, ") && shown.contains(" 0 lost"),
            ["--pair", _] => shown.lines().nth(1).unwrap().split_whitespace().nth(1) == Some("3"),
            _ => ["/first", "/second", "/now"].iter().all(|path| shown.contains(path)),
        };
        assert!(is_whole, "{form:?}: {shown}");
    }
    let file = session.scratch.outside("trace.dat");
    session.done("extract", &["-q", "--with-snapshots", "-o", file.to_str().unwrap()]);
    let mut report = session.scratch.lookback(&["report"]);
    assert_eq!(opened_in(&Trace::new(&run(report.arg(&file)).success().stdout)), session.opened(ALL));
    for options in [&["--with-snapshots", "-s"], &["--with-snapshots", "-p"]] {
        run(&mut session.task("show", options)).failure(125, &["cannot be used with"]);
    }
}

/// What is gone between a snapshot and what follows is counted, and no pair is measured across it.
#[test]
fn what_is_gone_between_snapshots_is_lost() {
    if is_missing(&["python3"]) {
        return;
    }
    let session = Persistent::new(&["-e", "libc:chdir", "-e", "libc:umask"]);
    let program = "
import os, sys
os.sched_setaffinity(0, {0})
def on(): sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.readline()
os.chdir('/'); on()
os.umask(0); os.chdir('/'); os.umask(0); on()
os.umask(0); os.chdir('/'); os.umask(0)
";
    let mut running = session.running(&["python3", "-c", program]);
    let mut child = running.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = child.stdout.take().unwrap();
    let mut go_on = |task: &str, options: &[&str]| {
        said.read_exact(&mut [0]).unwrap();
        session.done(task, options);
        writeln!(child.stdin.as_mut().unwrap()).unwrap();
    };
    go_on("snapshot", &["-s", "-q"]);
    go_on("clear", &["-q"]);
    assert!(child.wait().unwrap().success());
    let text = session.done("show", ALL).stdout;
    assert!(
        text.contains("\nCPU:0 [LOST 3 EVENTS]\n") && text.contains("\n# complete for the last "),
        "{text}"
    );
    let pairs = session.done("show", &[ALL, &["--pair", "chdir..umask"]].concat()).stdout;
    let row: Vec<&str> = pairs.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[1], "1", "{pairs}");
    assert!(pairs.contains(" not measured: events were lost"), "{pairs}");
}

/// Snapshots of single CPUs are of the same time as what follows on others.
#[test]
fn snapshots_of_one_cpu_take_their_place() {
    let session = Persistent::new(&["-e", "libc:open*_exit", "--snapshots", "3"]);
    let on = |cpu, path| session.run(&["taskset", "-c", cpu, "cat", path]);
    for (path, taken) in [("/1", "0"), ("/2", "1"), ("/3", "0")] {
        on("0", path);
        on("1", path);
        session.done("snapshot", &["-s", "-q", "-c", taken]);
    }
    on("1", "/4");
    let ours = |paths: Vec<String>| paths.into_iter().filter(|path| path.len() == 2).collect::<Vec<_>>();
    assert_eq!(ours(session.opened(ALL)), ["/1", "/1", "/2", "/2", "/3", "/3", "/4"]);
}

/// What `stat` says of the snapshots, and `stat --json`.
fn who(session: &Persistent) -> [String; 2] {
    let stat = |options: &[&str]| session.done("stat", &[&["--interval", "0"], options].concat()).stdout;
    [stat(&[]), stat(&["--json"])]
}

fn user() -> String {
    run(Command::new("id").arg("-un")).success().stdout.trim().to_string()
}

#[test]
fn a_command_takes_a_snapshot() {
    let session = Persistent::new(&["-e", "libc:open*_exit"]);
    let pid = session.done("snapshot", &["-s", "-q"]).pid;
    let [text, json] = who(&session);
    assert!(text.contains(&format!("\n             by lookback-{pid}, user {}\n", user())), "{text}");
    assert!(
        text.contains(": 0 events, taken ") && text.contains(" ago, 20") && text.contains("Z\n"),
        "{text}"
    );
    let parts =
        ["\"by\":\"process\",\"event\":null", &format!("\"pid\":{pid},\"comm\":\"lookback\",\"uid\":")];
    assert!(parts.iter().all(|part| json.contains(part)), "{json}");
    let line = format!("by lookback-{pid}, user {}\n", user());
    for shown in [session.done("snapshot", &[]), session.done("show", ALL)] {
        let head = shown.stdout.lines().find(|line| line.starts_with("# snapshot 0: taken 20"));
        assert!(head.is_some_and(|head| format!("{head}\n").ends_with(&line)), "{shown:?}");
    }
    assert!(!session.done("show", &[]).stdout.contains("# snapshot"));
    let file = session.scratch.outside("trace.dat");
    let said = session.done("extract", &["-s", "-o", file.to_str().unwrap()]).stderr;
    assert!(said.contains("\n  snapshot 0: taken 20") && said.ends_with(&line), "{said}");
}

#[test]
fn a_trigger_takes_a_snapshot() {
    let session = Persistent::new(&["-e", "libc:open*_exit", "-R", "snapshot:1 if error == 2"]);
    session.run(&opens("/nowhere"));
    let [text, json] = who(&session);
    let event = session.shown(&["-s"]).events.pop().unwrap();
    let (comm, pid, name) = (&event.comm, event.pid, &event.name);
    assert!(
        text.contains(&format!("\n             by the trigger of libc:{name} in {comm}-{pid}\n")),
        "{text}"
    );
    let json_of = format!("\"by\":\"trigger\",\"event\":\"libc:{name}\",\"pid\":{pid},\"comm\":\"{comm}\",");
    assert!(json.contains(&json_of), "{json}");
}

#[test]
fn a_write_to_the_tree_takes_a_snapshot() {
    let session = Persistent::new(&["-e", "libc:open*_exit"]);
    let pid = session.done("set", &["snapshot", "1"]).pid;
    let [text, json] = who(&session);
    let line = format!("\n             by a write to the file snapshot, lookback-{pid}, user {}\n", user());
    assert!(text.contains(&line) && json.contains("\"by\":\"file\""), "{text}{json}");
}
