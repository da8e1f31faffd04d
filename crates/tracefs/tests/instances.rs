//! Many instances, made, used and removed by many at once, who may be killed at any moment.

use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, FLIGHT, Instance, MOST_INSTANCES, Session, SessionOptions};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tracefs::{Node, Tree};

/// Where the session is that another process makes instances in, and what that calls those that are its own.
const SESSION: &str = "LOOKBACK_TEST_SESSION";
const OWN: &str = "LOOKBACK_TEST_OWN";

/// Processes that make and remove instances at once, and for how long.
const PROCESSES: usize = 5;
const TIME: Duration = Duration::from_secs(3);

/// Processes that are killed over it.
const KILLED: u64 = 40;

/// How long one lives at most that nobody kills.
const LIFE: Duration = Duration::from_secs(60);

/// What all of them make and remove.
const COMMON: [&str; 2] = ["common-a", "common-b"];

fn session() -> (TempDir, Tree) {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = SessionOptions {
        buffer_kb: 16,
        snapshots: 1,
        instances: MOST_INSTANCES,
        ..SessionOptions::default()
    };
    let session = Session::create(&directory.path().join("s"), &options).unwrap();
    (directory, Tree::new(session))
}

fn open(path: &Path) -> Tree {
    Tree::new(Instance::open(path).unwrap())
}

fn read(tree: &Tree, path: &str) -> Result<String, Errno> {
    let bytes = tree.open(path, OFlags::RDONLY)?.read_to_end()?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn write(tree: &Tree, path: &str, text: &str) -> Result<(), Errno> {
    tree.open(path, OFlags::WRONLY)?.write_all(Author::current(), text.as_bytes())
}

fn names(tree: &Tree) -> Vec<String> {
    let Node::Directory(found) = tree.find("instances").unwrap() else { panic!("a file") };
    found.names()
}

/// Bytes of memory that the session's file takes.
fn memory(tree: &Tree) -> u64 {
    use std::os::unix::fs::MetadataExt;
    tree.instance().file().metadata().unwrap().blocks() * 512
}

#[test]
fn there_can_be_sixty_four() {
    let (_directory, tree) = session();
    let before = memory(&tree);
    let name = |number: u32| format!("instances/number {number}");
    for number in 0..MOST_INSTANCES {
        tree.make_directory(&name(number)).unwrap();
        write(&tree, &format!("{}/trace_marker", name(number)), &format!("to {number}.")).unwrap();
        write(&tree, &format!("{}/events/libc/open/enable", name(number)), "1").unwrap();
    }
    assert_eq!((MOST_INSTANCES, tree.make_directory("instances/more")), (64, Err(Errno::NOMEM)));
    assert_eq!(names(&tree).len(), 65, "and the recording");
    let id = tree.instance().events().find(|event| event.name == "open").unwrap().id;
    assert_eq!(tree.instance().control().switched(id).on.iter().count(), 64);
    for number in 0..MOST_INSTANCES {
        let text = read(&tree, &format!("{}/trace", name(number))).unwrap();
        assert!(text.contains("written: 1/1") && text.contains(&format!(": to {number}.\n")), "{text}");
        assert_eq!(read(&tree, &format!("{}/set_event", name(number))).unwrap(), "libc:open\n");
    }
    let with_all = memory(&tree);
    for number in 0..MOST_INSTANCES {
        tree.remove_directory(&name(number)).unwrap();
        assert_eq!(tree.remove_directory(&name(number)), Err(Errno::NOENT));
    }
    assert_eq!(names(&tree), [FLIGHT]);
    assert!(tree.instance().control().switched(id).on.is_empty());
    assert!(with_all > before && memory(&tree) < with_all, "{before}, {with_all}, {}", memory(&tree));
}

/// One round of somebody who makes an instance, uses it, and removes it.
fn use_one(tree: &Tree, name: &str) {
    let is_others = COMMON.contains(&name);
    let path = |file: &str| format!("instances/{name}/{file}");
    // What may become of an instance that others make and remove at the same time.
    let check = |result: Result<(), Errno>, what: &str| match result {
        Ok(()) => {}
        Err(Errno::EXIST | Errno::NOENT | Errno::BUSY | Errno::BADF) if is_others => {}
        Err(error) => panic!("{what} {name}: {error}"),
    };
    check(tree.make_directory(&format!("instances/{name}")), "mkdir");
    check(write(tree, &path("events/libc/open/enable"), "1"), "enable");
    check(write(tree, &path("trace_marker"), "mine."), "mark");
    match read(tree, &path("trace")) {
        Ok(text) => {
            assert!(is_others || text.contains("written: 1/1") && text.contains(": mine.\n"), "{text}")
        }
        error => check(error.map(drop), "read"),
    }
    let found = names(tree);
    assert!(is_others || found.iter().any(|found| found == name), "{name} is not in {found:?}");
    let remove = || tree.remove_directory(&format!("instances/{name}"));
    // Somebody may just be reading it.
    let removed = std::iter::repeat_with(remove).find(|removed| is_others || *removed != Err(Errno::BUSY));
    check(removed.unwrap(), "rmdir");
}

/// What another process does, when it is told where the session is.
#[test]
#[ignore = "started by the other tests"]
fn makes_and_removes() {
    let Some(path) = std::env::var_os(SESSION) else { return };
    let own = std::env::var(OWN).unwrap();
    let tree = open(Path::new(&path));
    // The first text takes far longer than others: the formats of all events are read for it.
    read(&tree, "trace").unwrap();
    println!("\nready");
    let (start, life) = (Instant::now(), if own == "killed" { LIFE } else { TIME });
    while start.elapsed() < life {
        use_one(&tree, &own);
        for name in COMMON {
            use_one(&tree, name);
        }
    }
}

fn start(session: &Path, own: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["makes_and_removes", "--exact", "--ignored", "--nocapture"]);
    command.env(SESSION, session).env(OWN, own);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "ready"), "it has not started");
    // What it says at its end, it says to nobody.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

/// Writes to an instance as long as others go on. How many texts there were.
fn write_on(tree: &Tree, is_over: &AtomicBool) -> usize {
    let mut marker = tree.open("instances/kept/trace_marker", OFlags::WRONLY).unwrap();
    let mut written = 0;
    while !is_over.load(Relaxed) {
        marker.write(Author::current(), format!("number {written}.").as_bytes()).unwrap();
        written += 1;
        std::thread::sleep(Duration::from_micros(200));
    }
    written
}

/// Consumes what is written to it, until nothing comes any more. How many texts there were, those included
/// that were overwritten and told of as lost.
fn consume(tree: &Tree, is_over: &AtomicBool) -> usize {
    let mut pipe = tree.open("instances/kept/trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
    let mut text = Vec::new();
    loop {
        let was_over = is_over.load(Relaxed);
        match pipe.read(4096) {
            Ok(bytes) => text.extend(bytes),
            Err(Errno::AGAIN) if was_over => break,
            Err(Errno::AGAIN) => std::thread::sleep(Duration::from_millis(1)),
            Err(error) => panic!("{error}"),
        }
    }
    let text = String::from_utf8(text).unwrap();
    let lost = |line: &str| line.strip_suffix(" EVENTS]")?.split_once("[LOST ")?.1.parse::<usize>().ok();
    let found = text.lines().filter(|line| line.contains(": number ")).count();
    found + text.lines().filter_map(lost).sum::<usize>()
}

#[test]
fn many_make_and_remove_them_at_once() {
    let (_directory, tree) = session();
    let path = tree.instance().path().to_path_buf();
    tree.make_directory("instances/kept").unwrap();
    let (is_over, is_written) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| consume(&open(&path), &is_written));
        let writer = scope.spawn(|| write_on(&open(&path), &is_over));
        let looker = scope.spawn(|| {
            let tree = open(&path);
            while !is_over.load(Relaxed) {
                for name in names(&tree) {
                    let text = read(&tree, &format!("instances/{name}/trace"));
                    assert!(text.is_ok() || matches!(text, Err(Errno::NOENT)), "{name}: {text:?}");
                }
            }
        });
        let children: Vec<Child> =
            (0..PROCESSES).map(|number| start(&path, &format!("own-{number}"))).collect();
        let ends: Vec<_> = children.into_iter().map(|mut child| child.wait().unwrap()).collect();
        is_over.store(true, Relaxed);
        let written = writer.join().unwrap();
        is_written.store(true, Relaxed);
        assert_eq!((reader.join().unwrap(), written > 100), (written, true), "{written} were written");
        looker.join().unwrap();
        assert!(ends.iter().all(|end| end.success()), "{ends:?}");
    });
    for name in COMMON {
        let _ = tree.remove_directory(&format!("instances/{name}"));
    }
    is_as_new(&tree, &["kept"]);
}

#[test]
fn who_is_killed_over_it_leaves_space_for_the_next() {
    let (_directory, tree) = session();
    let path = tree.instance().path().to_path_buf();
    tree.make_directory("instances/kept").unwrap();
    write(&tree, "instances/kept/trace_marker", "kept.").unwrap();
    for killed in 0..KILLED {
        let mut child = start(&path, "killed");
        std::thread::sleep(Duration::from_micros(killed * 7919 % 30_000));
        assert_eq!(child.try_wait().unwrap(), None, "it goes on until it is killed");
        child.kill().unwrap();
        child.wait().unwrap();
        for name in COMMON.into_iter().chain(["killed"]) {
            // What is listed is there, and whole; what is not can be made.
            let is_listed = names(&tree).iter().any(|listed| listed == name);
            let path = format!("instances/{name}");
            assert_eq!(read(&tree, &format!("{path}/trace")).is_ok(), is_listed, "{name}");
            if is_listed {
                tree.remove_directory(&path).unwrap();
            }
            use_one(&tree, name);
        }
    }
    assert!(read(&tree, "instances/kept/trace").unwrap().contains(": kept.\n"));
    is_as_new(&tree, &["kept"]);
}

/// Only these are there, no event is on anywhere, and the others can all be made.
fn is_as_new(tree: &Tree, kept: &[&str]) {
    let expected: Vec<&str> = [FLIGHT].into_iter().chain(kept.iter().copied()).collect();
    assert_eq!(names(tree), expected);
    let control = tree.instance().control();
    let _lock = tree.instance().session().lock_settings().unwrap();
    for id in control.event_ids() {
        assert!(control.switched(id).on.is_empty(), "{id} is on");
        assert_eq!(control.enabled_words()[abi::control::event_index(id)].load(Relaxed), 0, "{id}");
    }
    drop(_lock);
    let names: Vec<String> =
        (kept.len()..MOST_INSTANCES as usize).map(|number| format!("instances/{number}")).collect();
    names.iter().for_each(|name| tree.make_directory(name).unwrap());
    assert_eq!(tree.make_directory("instances/more"), Err(Errno::NOMEM));
    names.iter().for_each(|name| tree.remove_directory(name).unwrap());
}
