//! The control tree, written to and read by anybody: any file, any bytes, any order.

use super::random::Random;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Options, Session};
use std::hint::black_box;
use std::path::Path;
use tracefs::{Directory, Handle, Node, Tree};

/// KB of each CPU's buffer.
const BUFFER_KB: u64 = 64;

/// Files that a case has open at most.
const OPEN: usize = 8;

/// Words that mean something somewhere, to be put together.
const WORDS: &[&[u8]] = &[
    b"0",
    b"1",
    b"2",
    b"-1",
    b"100",
    b"101",
    b"X",
    b"\n",
    b" ",
    b"\0",
    b"!",
    b"*",
    b":",
    b",",
    b"libc:read",
    b"sched",
    b"sched_process_exec",
    b"no",
    b"nop",
    b"overwrite",
    b"annotate",
    b"irq-info",
    b"record-tgid",
    b"markers",
    b"context-info",
    b"latency-format",
    b"disable_on_free",
    b"[mono]",
    b"mono",
    b"tai",
    b"x86-tsc",
    b"64",
    b"18446744073709551616",
    b"ffffffff",
    b"0x",
    b"\xff",
];

/// A tree, and the paths in it.
pub struct Fuzzed {
    tree: Tree,
    files: Vec<String>,
}

impl std::fmt::Debug for Fuzzed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Fuzzed").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Fuzzed {
    /// A new session's in `directory`.
    pub fn new(directory: &Path) -> Result<Fuzzed, String> {
        let path = directory.join(format!("tree-{}", std::process::id()));
        let options = Options { buffer_kb: BUFFER_KB, snapshots: 1, ..Options::default() };
        let tree = Tree::new(Session::create(&path, &options).map_err(|error| error.to_string())?);
        let mut files = Vec::new();
        collect(&tree, "", &Directory::Top, &mut files);
        Ok(Fuzzed { tree, files })
    }

    /// Opens, writes, reads and closes at random, and checks that what the tree says of itself is one story.
    pub fn run(&self, random: &mut Random) {
        let mut open: Vec<Handle> = Vec::new();
        for _ in 0..20 + random.below(60) {
            match random.below(8) {
                0 | 1 => {
                    if let Ok(file) = self.tree.open(&self.path(random), flags(random)) {
                        open.truncate(OPEN - 1);
                        open.push(file);
                    }
                }
                2 if !open.is_empty() => drop(open.swap_remove(random.below(open.len()))),
                3 => self.change_names(random),
                _ if open.is_empty() => {}
                operation => {
                    let index = random.below(open.len());
                    if let Some(file) = open.get_mut(index) {
                        use_file(file, operation, random);
                    }
                }
            }
        }
        drop(open);
        self.check();
    }

    /// Some file's path; now and then damaged, so that it is no file's, or twice another's.
    fn path(&self, random: &mut Random) -> String {
        let mut path = random.choose(&self.files).clone();
        if random.one_in(2) {
            // There are hundreds of files of events: the others come as often.
            let others: Vec<&String> =
                self.files.iter().filter(|path| !path.starts_with("events/")).collect();
            path = (*random.choose(&others)).clone();
        }
        if random.one_in(10) {
            let at = path.char_indices().nth(random.below(path.len())).map_or(0, |(at, _)| at);
            path.insert_str(at, random.choose::<&str>(&["/", "..", "x", "\0", " ", "é", "."]));
        }
        path
    }

    /// What nobody may do.
    fn change_names(&self, random: &mut Random) {
        let path = self.path(random);
        assert!(self.tree.make_directory(&path).is_err(), "mkdir {path}");
        assert!(self.tree.remove_directory(&path).is_err(), "rmdir {path}");
        assert!(self.tree.remove_file(&path).is_err(), "unlink {path}");
    }

    fn check(&self) {
        let on = self.read("set_event");
        assert!(on.lines().all(|name| name.contains(':')));
        let all = self.read("available_events").lines().count();
        let expected = match on.lines().count() {
            0 => "0\n",
            count if count == all => "1\n",
            _ => "X\n",
        };
        assert_eq!(self.read("events/enable"), expected);
        let options = self.read("trace_options");
        for name in options.lines() {
            let (name, value) = name.strip_prefix("no").map_or((name, "1\n"), |name| (name, "0\n"));
            assert_eq!(self.read(&format!("options/{name}")), value, "{name}");
        }
        let percent: u32 = self.read("buffer_percent").trim().parse().expect("a number");
        assert!(percent <= 100);
        for path in ["trace", "snapshot"] {
            let text = self.read(path);
            assert!(text.starts_with("# tracer: nop\n#\n"), "{path}: {text}");
        }
        assert!(self.read("error_log").lines().count() <= 8 * 3);
        let clocks = self.read("trace_clock");
        assert_eq!((clocks.matches('[').count(), clocks.matches(']').count()), (1, 1), "{clocks}");
        let pipe = self.tree.open("trace_pipe", OFlags::RDONLY).map(drop);
        assert_eq!(pipe, Ok(()), "nobody reads it any more");
    }

    fn read(&self, path: &str) -> String {
        let bytes = self.tree.open(path, OFlags::RDONLY).and_then(|mut file| file.read_to_end());
        String::from_utf8_lossy(&bytes.unwrap_or_else(|error| panic!("{path}: {error}"))).into_owned()
    }
}

/// Reads or writes.
fn use_file(file: &mut Handle, operation: usize, random: &mut Random) {
    let author = Author::current();
    match operation {
        4 => {
            let bytes = input(random);
            if let Ok(taken) = file.write(author, &bytes) {
                assert!(taken <= bytes.len());
            }
        }
        5 => {
            let len = *random.choose(&[0, 1, 7, 16, 17, 100, 4096, 70_000]);
            if let Ok(bytes) = file.read(len) {
                assert!(bytes.len() <= len);
            }
        }
        6 => {
            let offset = *random.choose(&[0, 1, 2, 100, 4096, 1 << 31, 1 << 40, i64::MAX as u64, u64::MAX]);
            let len = random.below(200);
            let seeks = file.seek(offset);
            assert!(matches!(seeks, Ok(()) | Err(Errno::SPIPE)));
            black_box(file.read_at(offset, len).is_ok());
            let _ = file.seek(0);
        }
        _ => {
            black_box(file.is_readable() || file.is_unblocked());
            let _ = file.write_all(author, &input(random));
        }
    }
}

/// Bytes to be written: words, noise, or very much of something.
fn input(random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0 => {
            let len = random.below(300);
            random.bytes(len)
        }
        1 => vec![random.next() as u8; random.below(9000)],
        _ => (0..random.below(6)).flat_map(|_| random.choose(WORDS).to_vec()).collect(),
    }
}

fn flags(random: &mut Random) -> OFlags {
    let mode = *random.choose(&[OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR]);
    let more =
        [OFlags::TRUNC, OFlags::APPEND, OFlags::CREATE, OFlags::EXCL, OFlags::NONBLOCK, OFlags::DIRECTORY];
    more.into_iter().fold(mode, |flags, more| if random.one_in(4) { flags | more } else { flags })
}

fn collect(tree: &Tree, path: &str, directory: &Directory, files: &mut Vec<String>) {
    for name in directory.names(tree) {
        let path = if path.is_empty() { name } else { format!("{path}/{name}") };
        match tree.find(&path) {
            Ok(Node::Directory(directory)) => collect(tree, &path, &directory, files),
            Ok(Node::File(_)) => files.push(path),
            Err(error) => panic!("{path} is listed, but {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_listed_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let fuzzed = Fuzzed::new(directory.path()).unwrap();
        assert!(fuzzed.files.len() > 500);
        fuzzed.check();
    }
}
