//! Processes that are attached, and of which something is missing all the same.

use control::Map;
use events::ftrace::FUNCGRAPH_ENTRY_ID;
use reading::{Tables, has_go, is_pure_go};
use session::{Instance, object_path};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use trace_data::dat::UnseenProcess;

/// Why less is seen of a program of Go, or of one with a library of Go.
const GO: &str = "Go makes its own system calls";

/// Why less is seen of one that has nothing else, and is attached.
const GO_RUNTIME: &str = "the system calls of Go's runtime are not seen";
const GO_RETURNS: &str = "Go's functions are not seen to return";
const GO_BOTH: &str = "Go's functions are not seen to return, nor the system calls of its runtime";

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
    /// What is recorded.
    recorded: RecordedKinds,
    /// By the file's entry: its path, and what is missing, if anything is.
    looked: HashMap<u32, Option<(PathBuf, &'static str)>>,
}

impl<'a> FilesInPart<'a> {
    pub(crate) fn new(session: &'a Instance) -> FilesInPart<'a> {
        let control = session.control();
        let with_returns = !control.switched(FUNCGRAPH_ENTRY_ID).on.is_empty();
        let recorded = RecordedKinds { with_system_calls: control.system_calls_wanted(), with_returns };
        FilesInPart { session, recorded, looked: HashMap::new() }
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
        let (session, recorded) = (self.session, self.recorded);
        self.looked.entry(object).or_insert_with(|| look(session, object, recorded)).clone()
    }
}

/// What is recorded, of what depends on how a program is made.
#[derive(Debug, Clone, Copy)]
struct RecordedKinds {
    with_system_calls: bool,
    /// Whether functions are to be seen to return.
    with_returns: bool,
}

fn look(session: &Instance, object: u32, recorded: RecordedKinds) -> Option<(PathBuf, &'static str)> {
    let object = session.control().object(object)?;
    let path = object_path(session.control(), &object)?;
    let name = path.file_name()?.to_string_lossy();
    let why = match () {
        () if has_go(&path, object.build_id()) => match is_pure_go(&path) {
            true => missing_of_go(recorded)?,
            false => GO,
        },
        () if recorded.with_system_calls && remote_call::is_file_of_musl(&name) => MUSL,
        () => return None,
    };
    Some((path, why))
}

/// What is missing of a program of Go that is attached.
fn missing_of_go(recorded: RecordedKinds) -> Option<&'static str> {
    match (recorded.with_returns, recorded.with_system_calls) {
        (true, true) => Some(GO_BOTH),
        (true, false) => Some(GO_RETURNS),
        (false, true) => Some(GO_RUNTIME),
        (false, false) => None,
    }
}
