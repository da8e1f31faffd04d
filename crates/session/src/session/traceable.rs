//! The functions that can be traced: those of files with sites that traced processes have mapped.

use super::Session;
use super::traced_by::TracedBy;
use crate::object_path::object_path;
use abi::control::OBJECTS;
use control::ObjectInfo;
use function_filter::{FunctionList, FunctionName, FunctionRule};
use function_sites::{
    FrameIndexEntry, ObjectFile, SiteKind, SiteLocator, SourcePath, find_debug_file, oddness, sort_frames,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use text_poke::plan::entry::{self, CallTarget};
use text_poke::plan::refusal::Refusal;

/// A function that can be traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceableFunction {
    /// Its names; the first is the one that is shown. Without any it has only its address.
    pub names: Vec<TraceableName>,
    /// The name of its file, without directories.
    pub object: String,
    /// Where its first site is, in the file's own addresses.
    pub address: u64,
    /// How it is traced. None where it can't be.
    pub traced_by: Option<TracedBy>,
    /// Why it can't be traced, or not everywhere. None where nothing speaks against it.
    pub obstacle: Option<SiteObstacle>,
}

/// Why a function with a site can't be traced, or not everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteObstacle {
    /// Its site is of no use in any program.
    Refused(String),
    /// Its site is nops of one byte each, between which threads may be: some program that runs has no memory
    /// where these lead, so they had to be replaced when it started.
    TooLate,
    /// Its jump leads to where the bytes after it say, and in some program no memory is free there.
    NoMemory,
}

impl Display for SiteObstacle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SiteObstacle::Refused(why) => f.write_str(why),
            SiteObstacle::TooLate => f.write_str(
                "too late in a program that runs, whose threads may be between its nops; programs that start \
                 while functions are traced have it",
            ),
            SiteObstacle::NoMemory => {
                f.write_str("in some program no memory may be free where its jump leads")
            }
        }
    }
}

/// A name of such a function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceableName {
    /// As it stands in the file: mangled, for C++ and Rust.
    pub symbol: String,
    /// As the source says it, where that is something else: without parameters, see [`SourcePath`].
    pub path: Option<String>,
}

impl TraceableName {
    pub(super) fn new(symbol: &[u8]) -> TraceableName {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        TraceableName { symbol: text(symbol), path: SourcePath::of(symbol).map(|path| text(path.as_bytes())) }
    }

    /// For lists of functions.
    pub(super) fn listed(&self) -> FunctionName<'_> {
        FunctionName { symbol: self.symbol.as_bytes(), path: self.path.as_ref().map(String::as_bytes) }
    }
}

impl TraceableFunction {
    /// What it is called: as the source says it. By its address where it has no name.
    pub fn name(&self) -> String {
        let shown = |name: &TraceableName| name.path.as_ref().unwrap_or(&name.symbol).clone();
        self.names.first().map_or_else(|| format!("{:#x}", self.address), shown)
    }

    /// Whether a rule means it.
    pub fn fits(&self, rule: &FunctionRule) -> bool {
        self.names.iter().any(|name| rule.fits(name.listed(), self.object.as_bytes()))
    }

    /// Whether it is in a list.
    pub fn is_in(&self, list: &FunctionList) -> bool {
        self.names.iter().any(|name| list.contains(name.listed(), self.object.as_bytes()))
    }
}

impl Session {
    /// The functions that can be traced in the files that traced processes have mapped since the session was
    /// made: by file, in the order of their addresses.
    ///
    /// Cost: reading those files' tables of symbols.
    pub fn traceable_functions(&self) -> Vec<TraceableFunction> {
        self.traceable_where(&|_| true)
    }

    /// Those of chosen files, by the numbers of their entries.
    pub(super) fn traceable_where(&self, is_chosen: &dyn Fn(u32) -> bool) -> Vec<TraceableFunction> {
        let mut all = self.functions_where(is_chosen);
        all.retain(|function| !matches!(function.obstacle, Some(SiteObstacle::Refused(_))));
        all
    }

    /// Those, and the functions whose sites are of no use.
    pub fn functions_with_sites(&self) -> Vec<TraceableFunction> {
        self.functions_where(&|_| true)
    }

    fn functions_where(&self, is_chosen: &dyn Fn(u32) -> bool) -> Vec<TraceableFunction> {
        let chosen = self.objects_with_sites().filter(|object| is_chosen(object.entry));
        chosen.flat_map(|object| self.functions_in(&object)).collect()
    }

    /// Whether any program that was traced has functions that can be traced.
    pub fn has_seen_functions(&self) -> bool {
        self.objects_with_sites().next().is_some()
    }

    /// The files that traced processes have mapped since the session was made.
    pub fn mapped_files(&self) -> Vec<PathBuf> {
        let objects = (0..OBJECTS as u32).filter_map(|entry| self.control().object(entry));
        objects.filter_map(|object| object_path(self.control(), &object)).collect()
    }

    fn objects_with_sites(&self) -> impl Iterator<Item = ObjectInfo> {
        let has_sites = |object: &u32| self.control().sites(*object).is_some_and(|sites| sites > 0);
        (0..OBJECTS as u32).filter(has_sites).filter_map(|object| self.control().object(object))
    }

    fn functions_in(&self, object: &ObjectInfo) -> Vec<TraceableFunction> {
        let is_late = self.control().late_sites(object.entry) > 0;
        let path = object_path(self.control(), object);
        path.map_or_else(Vec::new, |path| functions_with_sites(&path, object.build_id(), is_late))
    }
}

/// The bytes of the file with the symbols that were stripped from another one, if it is there.
pub(super) fn debug_file(file: &ObjectFile<'_>, path: &Path) -> Option<Vec<u8>> {
    if file.has_all_symbols() {
        return None;
    }
    let path = path.as_os_str().as_bytes();
    find_debug_file(path, file.debug_link(), file.build_id(), |path| {
        let bytes = std::fs::read(OsStr::from_bytes(path.to_bytes())).ok()?;
        let found = ObjectFile::parse(&bytes)?;
        (found.build_id() == file.build_id() && found.has_all_symbols()).then_some(bytes)
    })
}

/// A site: where it is, what its function is called, and why it is of no use.
type FoundSite = (u64, Vec<TraceableName>, Option<SiteObstacle>);

/// The functions of a file with sites, if it is the one with this build id: where a program has found some of
/// them too late, or not.
pub(super) fn functions_with_sites(path: &Path, build_id: &[u8], is_late: bool) -> Vec<TraceableFunction> {
    with_file(path, build_id, |file, object| functions_in_file(file, object, path, is_late))
}

/// What `visit` finds in a file, by its name without directories, if it is the one with this build id. Else
/// nothing.
pub(super) fn with_file<T>(
    path: &Path,
    build_id: &[u8],
    visit: impl FnOnce(ObjectFile<'_>, &str) -> Vec<T>,
) -> Vec<T> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let file = ObjectFile::parse(&bytes).filter(|file| file.build_id().starts_with(build_id));
    let object = path.file_name().unwrap_or_default().to_string_lossy();
    file.map_or_else(Vec::new, |file| visit(file.with_frame_index(&frame_index(&file)), &object))
}

/// The table of a file's functions, if it has none of its own.
pub(super) fn frame_index(file: &ObjectFile<'_>) -> Vec<FrameIndexEntry> {
    let mut index: Vec<FrameIndexEntry> = file.unindexed_frames().collect();
    sort_frames(&mut index);
    index
}

fn functions_in_file(
    file: ObjectFile<'_>,
    object: &str,
    path: &Path,
    is_late: bool,
) -> Vec<TraceableFunction> {
    let locator = SiteLocator::new(file);
    let mut found: Vec<FoundSite> = Vec::new();
    let mut named = BTreeMap::new();
    for site in file.sites().filter(|site| site.kind != SiteKind::TracedExit) {
        let (address, obstacle) = match locator.locate(&site) {
            Ok(location) => (location.address, obstacle(&file, site.kind, location.address, is_late)),
            Err(why) => (next_function(&file, site.address), Some(SiteObstacle::Refused(why.to_string()))),
        };
        match SourcePath::of_site(site.name) {
            // Each copy of the function has sites.
            Some(path) => drop(named.entry(path.as_bytes().to_vec()).or_insert(address)),
            None => found.push((address, Vec::new(), obstacle)),
        }
    }
    found.sort_by_key(|(address, ..)| *address);
    let debug = debug_file(&file, path);
    let symbols = debug.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
    for function in symbols.functions() {
        let first = found.partition_point(|(site, ..)| *site < function.start);
        if let Some((_, names, _)) = found.get_mut(first).filter(|(site, ..)| function.contains(*site)) {
            names.push(TraceableName::new(function.name));
        }
    }
    found.extend(named.into_iter().map(|(path, address)| {
        let symbol = String::from_utf8_lossy(&path).into_owned();
        (address, vec![TraceableName { symbol, path: None }], None)
    }));
    found.sort_by_key(|(address, ..)| *address);
    let functions = found.into_iter().map(|(address, mut names, obstacle)| {
        sort_names(&mut names);
        let is_refused = matches!(obstacle, Some(SiteObstacle::Refused(_)));
        let traced_by = (!is_refused).then_some(TracedBy::Site);
        TraceableFunction { names, object: object.to_string(), address, traced_by, obstacle }
    });
    functions.collect()
}

/// Sorts names: of several a public one comes first.
pub(super) fn sort_names(names: &mut Vec<TraceableName>) {
    let oddness = |name: &TraceableName| oddness(name.path.as_ref().unwrap_or(&name.symbol));
    names.sort_by_cached_key(|name| (oddness(name), name.clone()));
    names.dedup();
}

/// What speaks against tracing a function by the site at an address.
fn obstacle(file: &ObjectFile<'_>, kind: SiteKind, address: u64, is_late: bool) -> Option<SiteObstacle> {
    if !matches!(kind, SiteKind::PatchableEntry | SiteKind::McountCall) {
        return None;
    }
    let code = file.code_at(address);
    let code = code.get(..entry::ENOUGH).unwrap_or(code);
    // Where its call would lead doesn't matter.
    if let Err(why) = entry::plan(address, code, CallTarget::At(address))
        && why != Refusal::IndirectInTwoWords
    {
        return Some(SiteObstacle::Refused(why.to_string()));
    }
    (is_late && entry::has_single_nops(code)).then_some(SiteObstacle::TooLate)
}

/// Where the first function begins that doesn't begin before an address.
fn next_function(file: &ObjectFile<'_>, address: u64) -> u64 {
    let starts = file.functions().map(|function| function.start);
    starts.filter(|start| *start >= address).min().unwrap_or(address)
}
