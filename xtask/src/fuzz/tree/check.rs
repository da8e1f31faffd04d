//! Whether what a tree says of itself is one story.

use crate::fuzz::random::Random;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, FLIGHT};
use std::collections::BTreeSet;
use tracefs::{Node, Tree};

/// Events of each system whose files are read: all have the same.
const EVENTS: usize = 3;

/// Files that have a number in them, and nothing else.
const NUMBERS: &[&str] = &[
    "buffer_percent",
    "buffer_total_size_kb",
    "buffer_subbuf_size_kb",
    "saved_cmdlines_size",
    "snapshot_enabled",
    "tracing_on",
    "id",
];

/// Panics where two files contradict each other, and where one that nobody has open can't be read.
pub fn check(tree: &Tree, random: &mut Random) {
    let made = tree.instance().session().instances();
    let mut instances = names(tree, "instances");
    one(tree, "", random);
    for name in &instances {
        one(tree, &format!("instances/{name}/"), random);
    }
    instances.retain(|name| name != FLIGHT);
    assert_eq!(instances, made, "instances");
    for name in &instances {
        let path = format!("instances/{name}");
        assert_eq!(tree.remove_directory(&path), Ok(()), "{path}: nobody has it open");
    }
    assert_eq!(names(tree, "instances"), [FLIGHT]);
}

/// The tree of an instance whose paths start like this.
fn one(tree: &Tree, start: &str, random: &mut Random) {
    let text = |path: &str| read(tree, &format!("{start}{path}"));
    let available: BTreeSet<String> = read(tree, "available_events").lines().map(String::from).collect();
    // Markers have an event that can't be switched, and shows here, as in the kernel, when it has a trigger.
    let on = text("set_event");
    let on: BTreeSet<String> = on.lines().filter(|name| *name != "ftrace:print").map(String::from).collect();
    assert!(on.is_subset(&available), "{start}set_event: {:?}", on.difference(&available));
    let expected = match on.len() {
        0 => "0",
        count if count == available.len() => "1",
        _ => "X",
    };
    assert_eq!(text("events/enable").trim_end_matches(['*', '\n']), expected, "{start}events/enable");
    for name in text("trace_options").lines() {
        // Options have no names that begin so.
        let (name, value) = name.strip_prefix("no").map_or((name, "1\n"), |name| (name, "0\n"));
        // As in the kernel, some have a file only in the session's own tree.
        if tree.find(&format!("{start}options/{name}")).is_ok() {
            assert_eq!(text(&format!("options/{name}")), value, "{start}options/{name}");
        }
    }
    assert!(text("error_log").lines().count() <= 8 * 3, "{start}error_log");
    let clocks = text("trace_clock");
    assert_eq!((clocks.matches('[').count(), clocks.matches(']').count()), (1, 1), "{clocks}");
    files(tree, start, random);
    filters(tree, start, &available, random);
    pieces(tree, &format!("{start}trace"), random);
}

/// Every file but those of most events can be read, as far as it is one to be read; numbers are numbers.
fn files(tree: &Tree, start: &str, random: &mut Random) {
    let mut waiting = vec![start.trim_end_matches('/').to_string()];
    while let Some(directory) = waiting.pop() {
        let mut inside = names(tree, &directory);
        let is_system = directory.rsplit('/').nth(1) == Some("events");
        while is_system && inside.len() > EVENTS {
            inside.swap_remove(random.below(inside.len()));
        }
        for name in inside {
            let path = format!("{directory}/{name}");
            match tree.find(&path) {
                Ok(Node::Directory(_)) if path == "/instances" => {}
                Ok(Node::Directory(_)) => waiting.push(path),
                Ok(Node::File(file)) if file.mode() & 0o444 != 0 => {
                    readable(&path, &name, &read(tree, &path))
                }
                Ok(Node::File(_)) => {
                    let read = tree.open(&path, OFlags::RDONLY).and_then(|mut file| file.read(1));
                    assert_eq!(read, Err(Errno::INVAL), "{path} is only written");
                }
                Err(error) => panic!("{path} is listed, but {error}"),
            }
        }
    }
}

/// Whether a file has what one of its name has.
fn readable(path: &str, name: &str, text: &str) {
    let word = text.trim_end();
    let is_number = word.parse::<u64>().is_ok();
    let is_good = match name {
        "enable" => ["0", "1", "X"].contains(&word.trim_end_matches('*')),
        "buffer_size_kb" => is_number || word == "X",
        name if NUMBERS.contains(&name) => is_number,
        _ if path.contains("options/") => ["0", "1"].contains(&word),
        _ => true,
    };
    assert!(is_good, "{path}: {text:?}");
}

/// A filter that is read can be written, and is the same.
fn filters(tree: &Tree, start: &str, events: &BTreeSet<String>, random: &mut Random) {
    let events: Vec<&String> = events.iter().collect();
    for _ in 0..EVENTS {
        let path = format!("{start}events/{}/filter", random.choose(&events).replacen(':', "/", 1));
        let filter = read(tree, &path);
        if filter != "none\n" {
            let mut file = tree.open(&path, OFlags::WRONLY).expect("it is there");
            assert_eq!(
                file.write(Author::current(), filter.as_bytes()),
                Ok(filter.len()),
                "{path}: {filter}"
            );
            assert_eq!(read(tree, &path), filter, "{path}");
        }
    }
}

/// A text is the same in pieces.
fn pieces(tree: &Tree, path: &str, random: &mut Random) {
    let whole = read(tree, path);
    let mut file = tree.open(path, OFlags::RDONLY).expect("it is there");
    let mut read = Vec::new();
    loop {
        let piece = file.read(1 + random.below(9000)).unwrap_or_else(|error| panic!("{path}: {error}"));
        if piece.is_empty() {
            break;
        }
        read.extend(piece);
    }
    assert_eq!(String::from_utf8_lossy(&read), whole, "{path}");
}

/// The names in a directory.
pub fn names(tree: &Tree, path: &str) -> Vec<String> {
    match tree.find(path) {
        Ok(Node::Directory(directory)) => directory.names(),
        Ok(Node::File(_)) => panic!("{path} is a file"),
        Err(error) => panic!("{path}: {error}"),
    }
}

/// What a file has now.
fn read(tree: &Tree, path: &str) -> String {
    let bytes = tree.open(path, OFlags::RDONLY).and_then(|mut file| file.read_to_end());
    String::from_utf8_lossy(&bytes.unwrap_or_else(|error| panic!("{path}: {error}"))).into_owned()
}
