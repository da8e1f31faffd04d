//! Where a file that was mapped can be read now.
//!
//! A program may have been removed since it was started, as by an upgrade, or be in a mount namespace of its
//! own. As long as a process has it mapped the kernel has it, too. What is found counts only if it has the
//! build id that the process has seen; of a file without one, only if its segments are as long as those.

use crate::elf;
use control::ControlArea;
use object::read::ReadCache;
use object::{Object, ObjectSegment};
use session::OwnPid;
use std::fs::{File, read_dir, read_to_string};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file that was mapped, as the session knows it.
#[derive(Debug, Clone)]
pub(crate) struct SeenFile {
    pub(crate) path: PathBuf,
    /// Empty where it had none.
    pub(crate) build_id: Vec<u8>,
    /// Its own addresses, as far as its segments go.
    pub(crate) span: Range<u64>,
}

/// Why functions of a file have no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nameless {
    /// There is no such file any more, or this user may not read it.
    Gone,
    /// Another file is in its place.
    Replaced,
}

impl Nameless {
    /// The reason in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Nameless::Gone => "is no longer there, or can't be read",
            Nameless::Replaced => "is another file by now",
        }
    }
}

impl SeenFile {
    /// Where it can be read: at its path, or as a process has it that has it mapped. `entry` is its index.
    pub(crate) fn find(&self, control: &ControlArea, entry: u32) -> Result<PathBuf, Nameless> {
        if self.is_at(&self.path) {
            return Ok(self.path.clone());
        }
        let is_another = File::open(&self.path).is_ok();
        let by_process = || {
            let users = control.processes().filter(|process| {
                process.end_time == 0 && control.maps(process.entry).any(|map| map.object == entry)
            });
            let mut users = users.filter_map(|process| OwnPid::from(&process).here());
            users.find_map(|pid| self.find_in(pid))
        };
        // Without a build id, what is somewhere else may be anything.
        let found = if self.build_id.is_empty() { None } else { by_process() };
        found.ok_or(if is_another { Nameless::Replaced } else { Nameless::Gone })
    }

    /// Where it can be read as a process has it: in the process's own root, as its program, or as what it has
    /// mapped, which only root may open.
    fn find_in(&self, pid: u32) -> Option<PathBuf> {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let own = self.path.strip_prefix("/").ok().map(|path| process.join("root").join(path));
        let named = [own, Some(process.join("exe"))].into_iter().flatten();
        if let Some(found) = named.into_iter().find(|path| self.is_at(path)) {
            return Some(found);
        }
        let maps = read_to_string(process.join("maps")).ok()?;
        let ranges = maps.lines().filter(|line| self.is_mapping(line));
        let ranges = ranges.filter_map(|line| line.split(' ').next());
        let files = process.join("map_files");
        // Where it may not be read there is nothing in it.
        read_dir(&files).ok()?;
        ranges.map(|range| files.join(range)).find(|path| self.is_at(path))
    }

    /// Whether a line of `/proc/PID/maps` is of a file at this path, removed or not.
    fn is_mapping(&self, line: &str) -> bool {
        let path = line.trim_end_matches(" (deleted)");
        self.path.to_str().is_some_and(|own| path.ends_with(own))
    }

    fn is_at(&self, path: &Path) -> bool {
        match self.build_id.is_empty() {
            true => elf::read(path, &[], |file| Some(span(file))).as_ref() == Some(&self.span),
            false => elf::is_same_file(path, &self.build_id),
        }
    }
}

/// The addresses of a file's segments.
fn span<'a>(file: &object::File<'a, &'a ReadCache<File>>) -> Range<u64> {
    let low = file.segments().map(|segment| segment.address()).min();
    let high = file.segments().map(|segment| segment.address() + segment.size()).max();
    low.unwrap_or(0)..high.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> SeenFile {
        let path = std::env::current_exe().unwrap();
        let seen = |file: &object::File<'_, &ReadCache<File>>| {
            Some((file.build_id().ok().flatten().unwrap_or_default().to_vec(), span(file)))
        };
        let cache = ReadCache::new(File::open(&path).unwrap());
        let (build_id, span) = seen(&object::File::parse(&cache).unwrap()).unwrap();
        SeenFile { path, build_id, span }
    }

    #[test]
    fn a_file_is_known_by_its_build_id() {
        let own = own();
        assert!(own.is_at(&own.path) && !own.build_id.is_empty());
        assert!(!own.is_at(Path::new("/bin/sh")) && !own.is_at(Path::new("/nowhere")));
        let copy = SeenFile { path: "/nowhere".into(), ..own };
        assert_eq!(
            copy.find_in(std::process::id()),
            Some(format!("/proc/{}/exe", std::process::id()).into())
        );
    }

    #[test]
    fn a_file_without_one_is_another_if_it_is_longer() {
        let own = own();
        let without = SeenFile { build_id: Vec::new(), ..own.clone() };
        assert!(!without.is_at(&own.path), "it had none, and this one has");
    }

    #[test]
    fn mappings_are_found_though_the_file_is_removed() {
        let seen = SeenFile { path: "/lib/a.so".into(), build_id: vec![1], span: 0..1 };
        assert!(seen.is_mapping("7f00-7f10 r-xp 00000000 00:19 42   /lib/a.so (deleted)"));
        assert!(seen.is_mapping("7f00-7f10 r-xp 00000000 00:19 42   /lib/a.so"));
        assert!(!seen.is_mapping("7f00-7f10 r-xp 00000000 00:19 42   /lib/b.so"));
    }
}
