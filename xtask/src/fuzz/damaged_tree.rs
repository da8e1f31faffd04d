//! The control tree over a session whose file is damaged.

use rustix::fs::OFlags;
use session::{Author, Instance};
use std::hint::black_box;
use std::path::Path;
use tracefs::{Node, Tree};

/// Pieces of 64 KB that a control file may have. All of the file's pages as text have far fewer.
const MOST_PIECES: usize = 10_000;

/// Reads and writes control files, as who serves a mount does.
pub fn read_and_write(path: &Path) {
    let Ok(session) = Instance::open(path) else { return };
    let tree = Tree::new(session);
    for path in [
        "trace",
        "saved_cmdlines",
        "set_event",
        "error_log",
        "events/enable",
        "events/libc/read/filter",
        "events/libc/read/trigger",
        "events/app/request/format",
        "per_cpu/cpu0/stats",
        "per_cpu/cpu0/trace_pipe_raw",
        "trace_pipe",
    ] {
        if let Ok(mut file) = tree.open(path, OFlags::RDONLY | OFlags::NONBLOCK) {
            let pieces = std::iter::from_fn(|| file.read(1 << 16).ok().filter(|piece| !piece.is_empty()));
            let count = pieces.take(MOST_PIECES).count();
            assert!(count < MOST_PIECES, "{path} does not end");
        }
    }
    for (path, text) in [
        ("set_event", "libc:open app:"),
        ("events/libc/read/filter", "fd == 3 || fd == 5"),
        ("events/libc/read/trigger", "traceoff:2"),
        ("set_event_pid", "7 8 9"),
        ("trace_marker", "here"),
        ("tracing_on", "0"),
    ] {
        if let Ok(mut file) = tree.open(path, OFlags::WRONLY) {
            black_box(file.write(Author::current(), text.as_bytes()).is_ok());
        }
    }
    let Ok(Node::Directory(events)) = tree.find("events") else { panic!("events is no directory") };
    black_box(events.names().iter().filter(|name| tree.find(&format!("events/{name}")).is_ok()).count());
}
