//! Many at once, each with a tree of its own over the same session, as separate processes have.

use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Instance, Session, SessionOptions};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tracefs::Tree;

/// Texts that are written.
const TEXTS: usize = 2000;

fn tree(path: &Path) -> Tree {
    Tree::new(Instance::open(path).unwrap())
}

fn read(tree: &Tree, path: &str) -> String {
    let bytes = tree.open(path, OFlags::RDONLY).unwrap().read_to_end().unwrap();
    String::from_utf8(bytes).unwrap()
}

fn write(tree: &Tree, path: &str, text: &str) {
    tree.open(path, OFlags::WRONLY).unwrap().write_all(Author::current(), text.as_bytes()).unwrap();
}

/// Takes events as text until there are none and nobody writes any more.
fn drain(tree: &Tree, is_over: &AtomicBool) -> String {
    let mut pipe = tree.open("trace_pipe", OFlags::RDONLY | OFlags::NONBLOCK).unwrap();
    let mut text = Vec::new();
    loop {
        let was_over = is_over.load(Relaxed);
        match pipe.read(4096) {
            Ok(bytes) => text.extend(bytes),
            Err(Errno::AGAIN) if was_over => return String::from_utf8(text).unwrap(),
            Err(Errno::AGAIN) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn nothing_is_lost_given_twice_or_half_set() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s");
    Session::create(&path, &SessionOptions { buffer_kb: 1024, ..SessionOptions::default() }).unwrap();
    let is_over = AtomicBool::new(false);
    let text = std::thread::scope(|scope| {
        let reader = scope.spawn(|| drain(&tree(&path), &is_over));
        scope.spawn(|| {
            let tree = tree(&path);
            while !is_over.load(Relaxed) {
                assert!(read(&tree, "trace").starts_with("# tracer: nop\n"));
                read(&tree, "per_cpu/cpu0/stats");
            }
        });
        for option in ["options/irq-info", "buffer_percent", "events/sched/enable"] {
            let (path, is_over) = (&path, &is_over);
            scope.spawn(move || {
                let tree = tree(path);
                while !is_over.load(Relaxed) {
                    for value in ["0", "1"] {
                        write(&tree, option, value);
                        assert_eq!(
                            read(&tree, option),
                            format!("{value}\n"),
                            "nobody else writes to {option}"
                        );
                    }
                }
            });
        }
        let writer = scope.spawn(|| {
            let tree = tree(&path);
            let mut marker = tree.open("trace_marker", OFlags::WRONLY).unwrap();
            for number in 0..TEXTS {
                marker.write(Author::current(), format!("number {number}.").as_bytes()).unwrap();
            }
        });
        let written = writer.join();
        is_over.store(true, Relaxed);
        written.unwrap();
        reader.join().unwrap()
    });
    let mut found: Vec<usize> = text
        .lines()
        .map(|line| line.rsplit_once("number ").unwrap().1.trim_end_matches('.').parse().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, (0..TEXTS).collect::<Vec<usize>>());
}
