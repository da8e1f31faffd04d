//! The functions that can be traced: those of files with sites that traced processes have mapped.

use super::Session;
use abi::control::OBJECTS;
use control::ObjectInfo;
use function_filter::{FunctionList, FunctionName, FunctionRule};
use function_sites::{ObjectFile, SiteKind, SiteLocator, SourcePath, find_debug_file};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A function that can be traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceableFunction {
    /// Its names; the first is the one that is shown. Without any it has only its address.
    pub names: Vec<TraceableName>,
    /// The name of its file, without directories.
    pub object: String,
    /// Where its first site is, in the file's own addresses.
    pub address: u64,
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
    fn new(symbol: &[u8]) -> TraceableName {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        TraceableName { symbol: text(symbol), path: SourcePath::of(symbol).map(|path| text(path.as_bytes())) }
    }

    /// For lists of functions.
    fn listed(&self) -> FunctionName<'_> {
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
        self.objects_with_sites().flat_map(|object| self.traceable_in(&object)).collect()
    }

    /// Whether any program that was traced has functions that can be traced.
    pub fn has_seen_functions(&self) -> bool {
        self.objects_with_sites().next().is_some()
    }

    fn objects_with_sites(&self) -> impl Iterator<Item = ObjectInfo> {
        let has_sites = |object: &u32| self.control().sites(*object).is_some_and(|sites| sites > 0);
        (0..OBJECTS as u32).filter(has_sites).filter_map(|object| self.control().object(object))
    }

    fn traceable_in(&self, object: &ObjectInfo) -> Vec<TraceableFunction> {
        let mut buffer = vec![0; object.path_len()];
        let path = self.control().object_path(object, &mut buffer);
        let path = path.map(|path| PathBuf::from(OsStr::from_bytes(path)));
        path.map_or_else(Vec::new, |path| traceable_functions(&path, &object.build_id))
    }
}

/// The bytes of the file with the symbols that were stripped from another one, if it is there.
fn debug_file(file: &ObjectFile<'_>, path: &Path) -> Option<Vec<u8>> {
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

/// The functions of a file that can be traced, if it is the one with this build id; zeros after it are
/// left out.
pub fn traceable_functions(path: &Path, build_id: &[u8]) -> Vec<TraceableFunction> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Some(file) = ObjectFile::parse(&bytes) else { return Vec::new() };
    let len = build_id.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if !file.build_id().starts_with(&build_id[..len]) {
        return Vec::new();
    }
    let object = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let locator = SiteLocator::new(file);
    let mut found: Vec<(u64, Vec<TraceableName>)> = Vec::new();
    let mut named = BTreeMap::new();
    for site in file.sites().filter(|site| site.kind != SiteKind::TracedExit) {
        let Ok(location) = locator.locate(&site) else { continue };
        match SourcePath::of_site(site.name) {
            // Each copy of the function has sites.
            Some(path) => drop(named.entry(path.as_bytes().to_vec()).or_insert(location.address)),
            None => found.push((location.address, Vec::new())),
        }
    }
    found.sort_unstable();
    let debug = debug_file(&file, path);
    let symbols = debug.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
    for function in symbols.functions() {
        let first = found.partition_point(|(site, _)| *site < function.start);
        if let Some((_, names)) = found.get_mut(first).filter(|(site, _)| function.contains(*site)) {
            names.push(TraceableName::new(function.name));
        }
    }
    found.extend(named.into_iter().map(|(path, address)| {
        let symbol = String::from_utf8_lossy(&path).into_owned();
        (address, vec![TraceableName { symbol, path: None }])
    }));
    found.sort_unstable();
    let functions = found.into_iter().map(|(address, mut names)| {
        // Of several names a public one rather than one with underscores.
        names.sort_by_cached_key(|name| (name.path.is_none() && name.symbol.starts_with('_'), name.clone()));
        names.dedup();
        TraceableFunction { names, object: object.clone(), address }
    });
    functions.collect()
}
