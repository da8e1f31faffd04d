//! Processes that are attached, and of which something is missing all the same.

use control::Map;
use reading::{Tables, has_go};
use session::{Instance, object_path};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use trace_data::dat::UnseenProcess;

/// Why less is seen of a program of Go, or of one with a library of Go.
const GO: &str = "Go makes its own system calls";

/// Why a process that is attached is not recorded, from when it did so.
pub(crate) const READS_TREE: &str = "reads the control tree";

/// Those that `tables` know, in no order.
pub(super) fn all(session: &Instance, tables: &Tables) -> Vec<UnseenProcess> {
    let (mut files, mut known, mut found) = (GoFiles::new(session), HashSet::new(), Vec::new());
    for (process, maps) in tables.attached() {
        let (pid, name) = (process.pid, process.name().to_owned());
        let left_out = process.status.is_left_out().then(|| READS_TREE.to_owned());
        if let Some(why) = left_out.or_else(|| files.why(maps.iter().copied()))
            && known.insert((pid, name.clone()))
        {
            found.push(UnseenProcess { pid, name, why, in_part: true });
        }
    }
    found
}

/// The files that processes of a session have mapped, each looked at once: which have code of Go.
#[derive(Debug)]
pub(crate) struct GoFiles<'a> {
    session: &'a Instance,
    /// By the file's entry: its path, if it has any.
    looked: HashMap<u32, Option<PathBuf>>,
}

impl<'a> GoFiles<'a> {
    pub(crate) fn new(session: &'a Instance) -> GoFiles<'a> {
        GoFiles { session, looked: HashMap::new() }
    }

    /// Why a process is seen in part that has these files mapped, the program first. None where nothing says
    /// so.
    pub(crate) fn why(&mut self, maps: impl Iterator<Item = Map>) -> Option<String> {
        let (index, path) =
            maps.enumerate().find_map(|(index, map)| Some((index, self.path(map.object)?)))?;
        let library = path.file_name().filter(|_| index > 0);
        Some(library.map_or_else(|| GO.to_owned(), |name| format!("{}: {GO}", name.display())))
    }

    /// The path of a mapped file that has code of Go.
    fn path(&mut self, object: u32) -> Option<PathBuf> {
        self.looked.entry(object).or_insert_with(|| look(self.session, object)).clone()
    }
}

fn look(session: &Instance, object: u32) -> Option<PathBuf> {
    let object = session.control().object(object)?;
    let path = object_path(session.control(), &object)?;
    has_go(&path, object.build_id()).then_some(path)
}
