//! A controller that is killed at any moment leaves whole values, free locks, and space for the next one.

use control::Context;
use rustix::fs::OFlags;
use session::{Author, Instance, Session, SessionOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tracefs::Tree;

/// Controllers that are killed.
const KILLED: u64 = 50;

/// How long one lives at most that nobody kills.
const LIFE: Duration = Duration::from_secs(60);

/// Where the session is that the other process controls.
const SESSION: &str = "LOOKBACK_TEST_SESSION";

/// What is written over and over, and what is read then. With a snapshot there is no space for other sizes.
const VALUES: &[(&str, &[(&str, &str)])] = &[
    ("snapshot", &[("1", ""), ("0", "freed")]),
    ("tracing_on", &[("0", "0\n"), ("1", "1\n")]),
    ("buffer_percent", &[("0", "0\n"), ("100", "100\n")]),
    ("options/irq-info", &[("0", "0\n"), ("1", "1\n")]),
    ("options/overwrite", &[("0", "0\n"), ("1", "1\n")]),
    ("trace_clock", &[("mono", "[mono]"), ("boot", "[boot]")]),
    ("tracing_cpumask", &[("1", "1\n"), ("3", "3\n")]),
    ("events/sched/sched_process_exec/enable", &[("0", "0\n"), ("1", "1\n")]),
    ("events/sched/enable", &[("0", "0\n"), ("1", "1\n")]),
    ("per_cpu/cpu0/buffer_size_kb", &[("8", "11\n"), ("64", "67\n")]),
    ("buffer_size_kb", &[("16", "19\n"), ("32", "35\n")]),
    (
        FILTER,
        &[("0", "none\n"), ("fd == 3", "fd == 3\n"), ("fd == 4 || fd == 4444", "fd == 4 || fd == 4444\n")],
    ),
];

/// Files of which several others are made: each of those is whole.
const MADE_OF_OTHERS: &[&str] = &["buffer_size_kb", "events/sched/enable"];

/// All sizes that a CPU's buffer is given.
const SIZES: &[&str] = &["63\n", "11\n", "67\n", "19\n", "35\n"];

const FILTER: &str = "events/libc/close/filter";

/// A command that is refused, as `error_log` shows it.
const WRONG: &str = "nothing == 1";

fn open(path: &Path) -> Tree {
    Tree::new(Instance::open(path).unwrap())
}

fn write(tree: &Tree, path: &str, text: &str) -> rustix::io::Result<()> {
    tree.open(path, OFlags::WRONLY)?.write_all(Author::current(), text.as_bytes())
}

fn read(tree: &Tree, path: &str) -> String {
    let bytes = tree.open(path, OFlags::RDONLY).and_then(|mut file| file.read_to_end());
    String::from_utf8(bytes.unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap()
}

/// What the process does that is killed, when it is told where the session is: everything, over and over.
#[test]
#[ignore = "started by the other test, which kills it"]
fn controls() {
    let Some(path) = std::env::var_os(SESSION) else { return };
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::abort();
    }));
    let tree = open(Path::new(&path));
    println!("\nready");
    let start = Instant::now();
    for round in (0..).take_while(|_| start.elapsed() < LIFE) {
        for (path, values) in VALUES {
            for (value, _) in *values {
                write(&tree, path, value).unwrap_or_else(|error| panic!("{path}: {value}: {error}"));
            }
        }
        assert!(write(&tree, FILTER, WRONG).is_err());
        if round % 16 == 0 {
            drop(tree.open("error_log", OFlags::WRONLY | OFlags::TRUNC).unwrap());
        }
        drop(tree.open("trace_pipe", OFlags::RDONLY).unwrap());
    }
}

fn start(session: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["controls", "--exact", "--ignored", "--nocapture"]).env(SESSION, session);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "ready"), "it has not started");
    child
}

#[test]
fn who_is_killed_leaves_whole_values_and_free_locks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    let options = SessionOptions { buffer_kb: 64, snapshots: 1, ..SessionOptions::default() };
    let tree = Tree::new(Session::create(&path, &options).unwrap());
    for killed in 0..KILLED {
        let mut child = start(&path);
        // Some 1000 writes a second: every moment comes.
        std::thread::sleep(Duration::from_micros(killed * 7919 % 20_000));
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "it goes on until it is killed");
        // Who comes now, and who was there before.
        for tree in [&open(&path), &tree] {
            values_are_whole(tree);
            filter_is_its_text(tree);
            errors_are_whole(tree);
        }
        next_writer_works(&tree);
    }
}

fn values_are_whole(tree: &Tree) {
    for (path, values) in VALUES {
        let found = read(tree, path);
        let is_known = values.iter().any(|(_, expected)| found.contains(expected));
        let is_mixed = MADE_OF_OTHERS.contains(path) && found == "X\n";
        // Two files set the same; and what it was at the start.
        let is_other = path.ends_with("buffer_size_kb") && SIZES.contains(&found.as_str());
        assert!(is_known || is_mixed || is_other, "{path}: {found:?}");
    }
}

/// The event's filter refuses and lets pass what its text says.
fn filter_is_its_text(tree: &Tree) {
    struct Nowhere;
    impl Context for Nowhere {
        fn cpu(&self) -> u32 {
            0
        }
        fn comm(&self) -> &[u8] {
            b""
        }
    }
    let id: u16 = read(tree, "events/libc/close/id").trim().parse().unwrap();
    let passes = |fd: u64| {
        let record = [abi::common::word(id, 0, 0, 1), fd].map(u64::to_le_bytes).concat();
        // Writers look whether the event has a filter before they look which.
        let (control, instance) = (tree.instance().control(), 0);
        !control.has_filter(id, instance) || control.passes(instance, &record, &Nowhere)
    };
    let expected = match read(tree, FILTER).as_str() {
        "fd == 3\n" => [true, false, false],
        "fd == 4 || fd == 4444\n" => [false, true, true],
        _ => [true; 3],
    };
    assert_eq!([3, 4, 4444].map(passes), expected);
}

fn errors_are_whole(tree: &Tree) {
    let log = read(tree, "error_log");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() <= 8 * 3, "{log}");
    for error in lines.chunks(3) {
        let [head, command, mark] = error else { panic!("{log}") };
        assert!(head.ends_with("] event filter parse error: error: Field not found"), "{log}");
        assert_eq!((*command, mark.trim_end()), ("  Command: nothing == 1", "                   ^"), "{log}");
    }
}

/// Whoever comes next can set everything.
fn next_writer_works(tree: &Tree) {
    for (path, values) in VALUES {
        for (value, expected) in *values {
            write(tree, path, value).unwrap_or_else(|error| panic!("{path}: {value}: {error}"));
            assert!(read(tree, path).contains(expected), "{path}: {value}");
        }
    }
    drop(tree.open("trace_pipe", OFlags::RDONLY).expect("nobody reads it"));
    assert_eq!(write(tree, FILTER, WRONG), Err(rustix::io::Errno::INVAL));
    assert!(read(tree, "error_log").contains(WRONG));
}
