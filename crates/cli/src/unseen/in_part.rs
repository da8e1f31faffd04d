//! Processes that are attached, and of which something is missing all the same.

use control::Map;
use reading::{Tables, has_go, is_pure_go};
use session::{Instance, object_path};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use trace_data::dat::UnseenProcess;

/// Why less is seen of a program of Go, or of one with a library of Go.
const GO: &str = "Go makes its own system calls";

/// Why less is seen of one that has nothing else, and is attached.
const GO_RUNTIME: &str = "the system calls of Go's runtime are not seen";

/// Why less is seen of a program of musl: its file doesn't say where its functions are, next to whose system
/// calls code would be changed.
const MUSL: &str = "the system calls of musl are not seen";

/// Why a process that is attached is not recorded, from when it did so.
pub(crate) const READS_TREE: &str = "reads the control tree";

/// Those that `tables` know, in no order.
pub(super) fn all(session: &Instance, tables: &Tables) -> Vec<UnseenProcess> {
    let (mut files, mut known, mut found) = (FilesInPart::new(session), HashSet::new(), Vec::new());
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

/// The files that processes of a session have mapped, each looked at once: of which something is missing.
#[derive(Debug)]
pub(crate) struct FilesInPart<'a> {
    session: &'a Instance,
    /// Whether system calls are recorded.
    with_system_calls: bool,
    /// By the file's entry: its path, and what is missing, if anything is.
    looked: HashMap<u32, Option<(PathBuf, &'static str)>>,
}

impl<'a> FilesInPart<'a> {
    pub(crate) fn new(session: &'a Instance) -> FilesInPart<'a> {
        let with_system_calls = session.control().system_calls_wanted();
        FilesInPart { session, with_system_calls, looked: HashMap::new() }
    }

    /// Why a process is seen in part that has these files mapped, the program first. None where nothing says
    /// so.
    pub(crate) fn why(&mut self, maps: impl Iterator<Item = Map>) -> Option<String> {
        let (index, (path, why)) =
            maps.enumerate().find_map(|(index, map)| Some((index, self.file(map.object)?)))?;
        let library = path.file_name().filter(|_| index > 0);
        Some(library.map_or_else(|| why.to_owned(), |name| format!("{}: {why}", name.display())))
    }

    /// The path of a mapped file of which something is missing, and why.
    fn file(&mut self, object: u32) -> Option<(PathBuf, &'static str)> {
        let (session, with_system_calls) = (self.session, self.with_system_calls);
        self.looked.entry(object).or_insert_with(|| look(session, object, with_system_calls)).clone()
    }
}

fn look(session: &Instance, object: u32, with_system_calls: bool) -> Option<(PathBuf, &'static str)> {
    let object = session.control().object(object)?;
    let path = object_path(session.control(), &object)?;
    let name = path.file_name()?.to_string_lossy();
    let why = match () {
        () if has_go(&path, object.build_id()) => match is_pure_go(&path) {
            true if with_system_calls => GO_RUNTIME,
            true => return None,
            false => GO,
        },
        () if with_system_calls && remote_call::is_file_of_musl(&name) => MUSL,
        () => return None,
    };
    Some((path, why))
}
