//! The control tree, written to and read by anybody: any path, any bytes, any order.

mod check;
mod words;

use super::random::Random;
use rustix::fs::OFlags;
use rustix::io::Errno;
use session::{Author, Session, SessionOptions};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use tracefs::{Handle, Node, Tree};

/// KB of each CPU's buffer.
const BUFFER_KB: u64 = 64;

/// Files that a case has open at most.
const OPEN: usize = 8;

/// The fields of events that programs bring.
const FORMAT: &str = "\tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"fd=%d\", REC->fd\n";

/// Where each case has a session of its own, so that a case depends on nothing but its number.
#[derive(Debug)]
pub struct Trees {
    directory: PathBuf,
}

/// A case that is run.
struct Case {
    tree: Tree,
    /// Open files, and their paths.
    open: Vec<(String, Handle)>,
}

impl Trees {
    /// With sessions in `directory`.
    pub fn new(directory: &Path) -> Trees {
        Trees { directory: directory.to_path_buf() }
    }

    /// Opens, writes, reads and closes at random, and checks that what the tree says of itself is one story.
    pub fn run(&self, random: &mut Random) {
        let directory = tempfile::tempdir_in(&self.directory).expect("a directory for a session");
        let (snapshots, instances) = (random.below(3) as u32, random.below(4) as u32);
        let options =
            SessionOptions { buffer_kb: BUFFER_KB, snapshots, instances, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("session"), &options).expect("a session");
        let mut case = Case { tree: Tree::new(session), open: Vec::new() };
        for _ in 0..20 + random.below(80) {
            case.step(random);
        }
        case.open.clear();
        check::check(&case.tree, random);
    }
}

impl Case {
    fn step(&mut self, random: &mut Random) {
        match random.below(12) {
            0..=2 => {
                let path = self.path(random);
                if let Ok(file) = self.tree.open(&path, flags(random)) {
                    self.open.truncate(OPEN - 1);
                    self.open.push((path, file));
                }
            }
            3 => self.change_names(random),
            4 if random.one_in(4) => self.bring_event(random),
            _ if self.open.is_empty() => {}
            5 => drop(self.open.swap_remove(random.below(self.open.len()))),
            operation => {
                let index = random.below(self.open.len());
                if let Some((path, file)) = self.open.get_mut(index) {
                    use_file(path, file, operation, random);
                }
            }
        }
    }

    /// The path of something that is there, found by going down; now and then damaged, so that it is
    /// nothing's or another's.
    fn path(&self, random: &mut Random) -> String {
        let mut path = String::new();
        loop {
            let names = match self.tree.find(&path) {
                Ok(Node::Directory(directory)) => directory.names(),
                Ok(Node::File(_)) => break,
                Err(error) => panic!("{path} is listed, but {error}"),
            };
            if names.is_empty() {
                break;
            }
            path = format!("{path}/{}", random.choose(&names));
        }
        if random.one_in(10) {
            let at = path.char_indices().nth(random.below(path.len())).map_or(0, |(at, _)| at);
            path.insert_str(at, random.choose::<&str>(&["/", "..", "x", "\0", " ", "é", "."]));
        }
        path
    }

    /// Makes and removes: instances can be, and nothing else.
    fn change_names(&self, random: &mut Random) {
        let instance = format!("instances/{}", words::instance(random));
        match random.below(4) {
            0 | 1 => drop(self.tree.make_directory(&instance)),
            2 => drop(self.tree.remove_directory(&instance)),
            _ => {
                let path = self.path(random);
                let is_instance = path.trim_start_matches('/').starts_with("instances");
                assert!(is_instance || self.tree.make_directory(&path).is_err(), "mkdir {path}");
                assert!(is_instance || self.tree.remove_directory(&path).is_err(), "rmdir {path}");
                assert!(self.tree.remove_file(&path).is_err(), "unlink {path}");
            }
        }
    }

    /// What a program does that has an event of its own.
    fn bring_event(&self, random: &mut Random) {
        let name = format!("order{}", random.below(5));
        black_box(self.tree.instance().control().add_event("shop", &name, FORMAT));
    }
}

/// Reads or writes.
fn use_file(path: &str, file: &mut Handle, operation: usize, random: &mut Random) {
    let author = Author::current();
    match operation {
        4 | 6 | 7 => {
            let bytes = words::input(path, random);
            if let Ok(taken) = file.write(author, &bytes) {
                assert!(taken <= bytes.len(), "{path}");
            }
        }
        8 => {
            let len = *random.choose(&[0, 1, 7, 16, 17, 100, 4096, 70_000]);
            if let Ok(bytes) = file.read(len) {
                assert!(bytes.len() <= len, "{path}");
            }
        }
        9 => {
            let offset = *random.choose(&[0, 1, 2, 100, 4096, 1 << 31, 1 << 40, i64::MAX as u64, u64::MAX]);
            let len = random.below(200);
            let seeks = file.seek(offset);
            assert!(matches!(seeks, Ok(()) | Err(Errno::SPIPE)), "{path}: {seeks:?}");
            black_box(file.read_at(offset, len).is_ok());
            let _ = file.seek(0);
        }
        _ => {
            black_box(file.is_readable() || file.is_unblocked());
            let _ = file.write_all(author, &words::input(path, random));
        }
    }
}

fn flags(random: &mut Random) -> OFlags {
    let mode = *random.choose(&[OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR, OFlags::RDWR]);
    let more =
        [OFlags::TRUNC, OFlags::APPEND, OFlags::CREATE, OFlags::EXCL, OFlags::NONBLOCK, OFlags::DIRECTORY];
    more.into_iter().fold(mode, |flags, more| if random.one_in(6) { flags | more } else { flags })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_listed_is_found_and_one_story() {
        let directory = tempfile::tempdir().unwrap();
        let trees = Trees::new(directory.path());
        for seed in 0..20 {
            trees.run(&mut Random::new(seed));
        }
    }
}
