//! Persistent sessions: their whole life.

mod addresses;
mod clocks;
mod completeness;
mod declared;
mod error_languages;
mod error_rates;
mod errors;
mod filters;
mod governor;
mod in_progress;
mod instances;
mod journal;
mod journal_kills;
mod latency;
mod many;
mod participants;
mod persisted_switches;
mod pids;
mod pipe;
mod reasons;
mod saving;
mod section_functions;
mod service;
mod services;
mod snapshots;
mod snapshots_under_load;
mod stacks;
mod syslog;
mod triggers;
mod wakeup;

use crate::common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A session of its own, at a path next to where programs run.
struct Persistent {
    scratch: Scratch,
    path: PathBuf,
}

impl Persistent {
    #[track_caller]
    fn new(options: &[&str]) -> Persistent {
        Persistent::of_size("64", options)
    }

    /// With so many KB for each CPU.
    #[track_caller]
    fn of_size(buffer_kb: &str, options: &[&str]) -> Persistent {
        let scratch = Scratch::new();
        let path = scratch.outside("session");
        let persistent = Persistent { scratch, path };
        persistent.done("start", &[&["-b", buffer_kb], options].concat());
        persistent
    }

    /// `lookback TASK`, for this session.
    fn task(&self, task: &str, options: &[&str]) -> Command {
        let mut command = self.scratch.lookback(&[task]);
        command.arg("--session").arg(&self.path).args(options);
        command
    }

    #[track_caller]
    fn done(&self, task: &str, options: &[&str]) -> Outcome {
        run(&mut self.task(task, options)).success()
    }

    /// Runs a program that is attached.
    #[track_caller]
    fn run(&self, program: &[&str]) -> Outcome {
        run(&mut self.running(program))
    }

    fn running(&self, program: &[&str]) -> Command {
        self.task("run", &[&["--"], program].concat())
    }

    /// What is shown with these options.
    #[track_caller]
    fn shown(&self, options: &[&str]) -> Trace {
        Trace::new(&self.done("show", options).stdout)
    }

    /// The paths that were opened, as shown with these options.
    #[track_caller]
    fn opened(&self, options: &[&str]) -> Vec<String> {
        opened_in(&self.shown(options))
    }
}

/// The paths that were opened in a trace.
fn opened_in(trace: &Trace) -> Vec<String> {
    let opened = trace.events.iter().filter(|event| event.name.starts_with("open"));
    opened.filter_map(|event| event.text.split('"').nth(1).map(str::to_string)).collect()
}

/// A program that opens a path that is not there.
fn opens(path: &str) -> [&str; 2] {
    ["cat", path]
}

#[test]
fn a_life() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    persistent.run(&opens("/first"));
    assert_eq!(persistent.opened(&[]), ["/first"], "and it is there still:");
    assert_eq!(persistent.opened(&[]), ["/first"]);
    persistent.done("stop", &[]);
    let outcome = persistent.run(&opens("/stopped"));
    assert!(outcome.stderr.contains("recording is stopped; `lookback start"), "{outcome:?}");
    persistent.done("start", &["-q"]);
    persistent.run(&opens("/second"));
    assert_eq!(persistent.opened(&[]), ["/first", "/second"]);
    persistent.done("clear", &[]);
    assert_eq!(persistent.opened(&[]), [""; 0]);
    persistent.done("set", &["libc:*", "off"]);
    persistent.run(&opens("/off"));
    persistent.done("set", &["libc:open*_exit", "on"]);
    persistent.run(&opens("/on"));
    assert_eq!(persistent.opened(&[]), ["/on"]);
    persistent.done("reset", &[]);
    let outcome = persistent.run(&opens("/reset"));
    assert!(outcome.stderr.contains("no event is enabled"), "{outcome:?}");
    assert_eq!(persistent.shown(&[]).events, []);
    persistent.done("start", &["-e", "libc:open*_exit"]);
    persistent.run(&opens("/again"));
    assert_eq!(persistent.opened(&[]), ["/again"]);
    persistent.done("delete", &[]);
    assert!(!persistent.path.exists());
}

#[test]
fn a_snapshot_keeps_what_was_and_recording_goes_on() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit", "--snapshots", "2"]);
    run(&mut persistent.task("snapshot", &[])).failure(125, &["has no snapshot: `lookback snapshot -s"]);
    for path in ["/first", "/second", "/third"] {
        persistent.run(&opens(path));
        let outcome = persistent.done("snapshot", &["-s"]);
        assert!(outcome.stderr.contains("taken"), "{outcome:?}");
    }
    persistent.run(&opens("/now"));
    assert_eq!(persistent.opened(&[]), ["/now"]);
    assert_eq!(persistent.opened(&["-s"]), ["/third"]);
    assert_eq!(persistent.opened(&["--snapshot=1"]), ["/second"]);
    run(&mut persistent.task("show", &["--snapshot=0"])).failure(125, &["has no snapshot 0"]);
    let newest = Trace::new(&persistent.done("snapshot", &[]).stdout);
    newest.expect_same(&persistent.shown(&["-s"]));
    persistent.done("snapshot", &["-r"]);
    run(&mut persistent.task("show", &["-s"])).failure(125, &["has no snapshot"]);
    assert_eq!(persistent.opened(&[]), ["/now"], "which is no snapshot");
    let freed = persistent.done("snapshot", &["-f"]);
    assert!(freed.stderr.contains("2 snapshots"), "{freed:?}");
}

#[test]
fn a_snapshot_of_one_cpu_leaves_the_others_alone() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit", "--snapshots", "3"]);
    let opens_on = |cpu: &str, path: &str| persistent.run(&["taskset", "-c", cpu, "cat", path]);
    let of_ours = |trace: &Trace| -> Vec<String> {
        opened_in(trace).into_iter().filter(|path| path.starts_with("/on")).collect()
    };
    let paths = |options: &[&str]| of_ours(&persistent.shown(options));
    opens_on("0", "/on-0");
    opens_on("1", "/on-1");
    let outcome = persistent.done("snapshot", &["-s", "-c", "1"]);
    assert!(outcome.stderr.contains("snapshot 0 of CPU 1 taken; 1 is kept"), "{outcome:?}");
    assert_eq!(paths(&["-s"]), ["/on-1"]);
    assert_eq!(paths(&[]), ["/on-0"], "which goes on");
    opens_on("1", "/on-1-again");
    let second = persistent.done("snapshot", &["-s", "-c", "1"]).stderr;
    let number = second.split_whitespace().nth(2).unwrap().to_string();
    assert_ne!(number, "0", "two have that: {second}");
    assert_eq!(paths(&[&format!("--snapshot={number}")]), ["/on-1-again"]);
    // One of all has what is left, and the newest is shown.
    persistent.done("snapshot", &["-s"]);
    assert_eq!([paths(&["-s"]), paths(&[])], [vec!["/on-0".to_string()], vec![]]);
    let of = |cpu| of_ours(&Trace::new(&persistent.done("snapshot", &["-c", cpu]).stdout));
    assert_eq!([of("0"), of("1")], [vec!["/on-0".to_string()], vec![]]);
    let stat = persistent.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains(&format!("number {number}:")) && stat.contains("of CPU 1, taken"), "{stat}");
    let file = persistent.scratch.path("one.dat");
    persistent.done("extract", &["-o", file.to_str().unwrap(), &format!("--snapshot={number}")]);
    let report = run(&mut persistent.scratch.lookback(&["report", file.to_str().unwrap()])).success();
    assert_eq!(of_ours(&Trace::new(&report.stdout)), ["/on-1-again"]);

    let wrong = |options: &[&str], parts: &[&str]| {
        run(&mut persistent.task("snapshot", options)).failure(125, parts);
    };
    wrong(&["-s", "-c", "4095"], &["no CPU 4095 in", "expected 0, 1"]);
    wrong(&["-c", "4095"], &["no CPU 4095 in"]);
    wrong(&["-r", "-c", "1"], &["cannot be used with"]);
    run(&mut persistent.task("show", &["--snapshot=1.x"]))
        .failure(125, &["a snapshot's number like 3 or 3.1"]);
    run(&mut persistent.task("show", &["--snapshot=0.9"])).failure(125, &["has no snapshot 0.9"]);
}

#[test]
fn what_is_extracted_is_a_recording() {
    let persistent = Persistent::new(&[]);
    persistent.run(&opens("/some/path"));
    let (file, name) = (persistent.scratch.outside("trace.dat"), "trace.dat");
    let extract = |options: &[&str]| {
        let mut command = persistent.task("extract", options);
        run(command.current_dir(file.parent().unwrap())).success()
    };
    let outcome = extract(&[]);
    assert!(outcome.stderr.contains(&format!("in {name}")), "{outcome:?}");
    let live = persistent.scratch.trace();
    live.expect_of("cat", "open_exit", "error=ENOENT pathname=/some/path");
    live.expect_of("cat", "sched_process_exit", "comm=cat");
    // It has taken nothing out.
    live.expect_same(&persistent.shown(&[]));
    persistent.done("snapshot", &["-s"]);
    extract(&["-s", "-q"]);
    persistent.scratch.trace().expect_same(&live);
    if !is_missing(&["trace-cmd"]) {
        let mut other = persistent.scratch.command("trace-cmd");
        let text = run(other.arg("report").arg("-i").arg(&file)).success().stdout;
        assert!(text.contains("pathname=\"/some/path\""), "{text}");
    }
}

#[test]
fn without_a_session_everything_says_how_to_make_one() {
    let scratch = Scratch::new();
    let path = scratch.outside("none");
    let tasks: [&[&str]; 10] = [
        &["stop"],
        &["show"],
        &["show", "-p"],
        &["snapshot", "-s"],
        &["extract"],
        &["set", "libc", "on"],
        &["list"],
        &["stat"],
        &["clear"],
        &["reset"],
    ];
    for task in tasks {
        let (name, options) = task.split_first().unwrap();
        let mut command = scratch.lookback(&[name, "--session"]);
        run(command.arg(&path).args(options)).failure(125, &["no session at", "`lookback start --session"]);
    }
    assert_eq!(scratch.names(), [""; 0], "nothing ran, nothing was written");
}

#[test]
fn the_program_is_as_without_lookback() {
    let persistent = Persistent::new(&[]);
    assert_eq!(persistent.run(&["sh", "-c", "echo out; echo err >&2; exit 7"]).code(), Some(7));
    assert_eq!(persistent.run(&["sh", "-c", "kill -TERM $$"]).signal(), Some(15));
    run(&mut persistent.running(&["/no/such/program"])).failure(127, &["/no/such/program"]);
    assert_eq!(persistent.scratch.names(), [""; 0]);
}

#[test]
fn bad_wishes_change_nothing() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    let before = persistent.done("list", &["--events", "--json"]).stdout;
    run(&mut persistent.task("start", &["-b", "128"])).failure(125, &["exists already", "leave out -b"]);
    run(&mut persistent.task("start", &["-e", "libc:read", "-e", "libc:opne"]))
        .failure(125, &["similar: libc:open"]);
    run(&mut persistent.task("set", &["libc:opne", "on"])).failure(125, &["similar: libc:open"]);
    run(&mut persistent.task("set", &["libc:open", "maybe"])).failure(125, &["on|off"]);
    run(&mut persistent.task("show", &["-p", "-s"])).failure(125, &["cannot be used with"]);
    run(&mut persistent.task("show", &["-c", "9999"])).failure(125, &["there is no CPU 9999"]);
    assert_eq!(persistent.done("list", &["--events", "--json"]).stdout, before);
    let small = Persistent::new(&["--snapshots", "0"]);
    run(&mut small.task("snapshot", &["-s"])).failure(125, &["has no snapshots", "--snapshots N"]);
    let scratch = Scratch::new();
    let path = scratch.outside("s");
    let mut command = scratch.lookback(&["start", "--snapshots", "8", "--session"]);
    run(command.arg(&path)).failure(125, &["8 snapshots can't be kept: expected 0 to 7"]);
    let mut command = scratch.lookback(&["start", "-e", "libc:opne", "--session"]);
    run(command.arg(&path)).failure(125, &["similar: libc:open"]);
    assert!(!path.exists());
}

#[test]
fn only_a_session_is_deleted() {
    let persistent = Persistent::new(&[]);
    let more = persistent.path.join("mine");
    std::fs::write(&more, "mine").unwrap();
    let file = persistent.path.join("session");
    let session = std::fs::read(&file).unwrap();
    std::fs::write(&file, "no session").unwrap();
    run(&mut persistent.task("delete", &[])).failure(125, &["there is more in it than a session"]);
    std::fs::remove_file(more).unwrap();
    run(&mut persistent.task("delete", &[])).failure(125, &["`session` is not lookback's"]);
    // Of another version, cut short.
    std::fs::write(&file, [&session[..8], &[0xff; 100]].concat()).unwrap();
    let outcome = persistent.done("delete", &[]);
    assert!(outcome.stderr.contains("removed all the same"), "{outcome:?}");
    assert!(!persistent.path.exists());
}

#[test]
fn figures_are_the_kernels() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    persistent.run(&["sh", "-c", "for i in 1 2 3; do cat /none; done"]);
    let json = persistent.done("stat", &["--json", "--interval", "0"]).stdout;
    let sum = |name: &str| -> u64 {
        let key = format!("\"{name}\":");
        let after = json.split(&key).skip(1);
        after.map(|rest| rest.split([',', '}']).next().unwrap().parse::<u64>().unwrap()).sum()
    };
    let shown = persistent.shown(&[]).events.len() as u64;
    assert!(shown >= 3);
    assert_eq!((sum("entries"), sum("overrun"), sum("dropped_events"), sum("read_events")), (shown, 0, 0, 0));
    assert!(sum("bytes") > 0 && sum("memory_bytes") <= sum("memory_limit_bytes"), "{json}");
    assert!(json.contains("\"events_per_second\":null") && json.contains("\"tracing_on\":true"), "{json}");
    persistent.run(&["sh", "-c", "i=0; while [ $i -lt 3000 ]; do : < /dev/null; i=$((i+1)); done"]);
    persistent.done("set", &["libc:*", "on"]);
    persistent.run(&["python3", "-c", "import os\nfor i in range(20000): os.getppid(); os.access('/', 0)"]);
    let text = persistent.done("stat", &[]).stdout;
    let row = text.lines().find(|line| line.starts_with("CPU")).unwrap();
    let names = ["CPU", "entries", "overrun", "bytes", "oldest ts", "now ts", "dropped", "read", "per s"];
    let split: Vec<&str> = row.split("  ").map(str::trim).filter(|name| !name.is_empty()).collect();
    assert_eq!(split, names, "{text}");
    assert!(row.len() <= 80, "{text}");
    let header = persistent.done("show", &[]).stdout;
    let numbers = header.lines().find_map(|line| line.strip_prefix("# entries-in-buffer/entries-written: "));
    let (entries, written) = numbers.unwrap().split_whitespace().next().unwrap().split_once('/').unwrap();
    assert!(entries.parse::<u64>().unwrap() < written.parse().unwrap(), "{header:.300}");
    assert!(!header.contains("LOST"), "a full buffer has lost its start: the header says it");
}
