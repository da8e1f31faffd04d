//! Functions of files whose compiler has left no sites.

use super::Session;
use super::traceable::{SiteObstacle, TraceableFunction, TraceableName, debug_file, sort_names};
use super::traced_by::TracedBy;
use crate::object_path::object_path;
use abi::control::OBJECTS;
use control::ObjectInfo;
use function_filter::{CompiledLists, FunctionList, FunctionRule, compile};
use function_sites::ObjectFile;
use planner::{EntryPoint, FunctionCode, entry_points};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

impl Session {
    /// The functions that a list names, in files that traced processes have mapped since the session was made
    /// and whose compiler has left no sites: by file, in the order of their addresses; those that can't be
    /// traced with the reason. The pattern `*` for all files names none.
    ///
    /// Cost: reading those files' tables of symbols, and decoding the functions.
    pub fn unbuilt_functions(&self, named: &FunctionList) -> Vec<TraceableFunction> {
        self.unbuilt_where(named, &|_| true)
    }

    /// Those of chosen files, by the numbers of their entries.
    pub(super) fn unbuilt_where(
        &self,
        named: &FunctionList,
        is_chosen: &dyn Fn(u32) -> bool,
    ) -> Vec<TraceableFunction> {
        if named.is_empty() {
            return Vec::new();
        }
        let nothing = FunctionList::default();
        let words = compile([named, &nothing, &nothing, &nothing], [].into_iter());
        let lists = CompiledLists::new(|index| words.get(index).copied()).naming();
        let is_named = |name: &TraceableName, object: &str| lists.wants(name.listed(), object.as_bytes());
        let objects = (0..OBJECTS as u32)
            .filter(|entry| is_chosen(*entry))
            .filter_map(|entry| self.control().object(entry));
        let unbuilt = objects.filter(|object| self.control().sites(object.entry).unwrap_or(0) == 0);
        unbuilt.flat_map(|object| self.named_in(&object, &is_named)).collect()
    }

    /// Whether a rule names any of those.
    ///
    /// Cost: as [`Session::unbuilt_functions`].
    pub fn has_unbuilt(&self, rule: &FunctionRule) -> bool {
        let mut named = FunctionList::default();
        named.add(rule);
        !self.unbuilt_functions(&named).is_empty()
    }

    fn named_in(
        &self,
        object: &ObjectInfo,
        is_named: &dyn Fn(&TraceableName, &str) -> bool,
    ) -> Vec<TraceableFunction> {
        let is_late = self.control().late_sites(object.entry) > 0;
        let path = object_path(self.control(), object);
        path.map_or_else(Vec::new, |path| named_functions(&path, object.build_id(), is_late, is_named))
    }
}

fn named_functions(
    path: &Path,
    build_id: &[u8],
    is_late: bool,
    is_named: &dyn Fn(&TraceableName, &str) -> bool,
) -> Vec<TraceableFunction> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let Some(file) = ObjectFile::parse(&bytes).filter(|file| file.build_id().starts_with(build_id)) else {
        return Vec::new();
    };
    if file.sites().next().is_some() {
        return Vec::new();
    }
    let object = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let debug = debug_file(&file, path);
    let symbols = debug.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
    let mut named: BTreeMap<u64, Vec<TraceableName>> = BTreeMap::new();
    for function in symbols.functions() {
        named.entry(function.start).or_default().push(TraceableName::new(function.name));
    }
    let starts: HashSet<u64> = file.unbuilt_sites(&symbols).map(|site| site.address).collect();
    named.retain(|_, names| names.iter().any(|name| is_named(name, &object)));
    let found = named.into_iter().filter(|(start, _)| starts.contains(start));
    let functions = found.map(|(address, mut names)| {
        sort_names(&mut names);
        let (traced_by, obstacle) = plan(&file, address, is_late);
        TraceableFunction { names, object: object.clone(), address, traced_by, obstacle }
    });
    functions.collect()
}

/// How a function is traced, and what speaks against it.
fn plan(file: &ObjectFile<'_>, start: u64, is_late: bool) -> (TracedBy, Option<SiteObstacle>) {
    let function = FunctionCode { start, code: file.function_code(start) };
    let points: Vec<EntryPoint> = match entry_points(&function) {
        Ok(points) => points.collect(),
        Err(why) => {
            return (TracedBy::Jump { offset: 0, len: 0 }, Some(SiteObstacle::Refused(why.to_string())));
        }
    };
    let is_free = points.iter().any(|point| point.window.is_free());
    let best = points.first().map(|point| (point.offset, point.len)).unwrap_or_default();
    let traced_by = TracedBy::Jump { offset: best.0, len: best.1 };
    (traced_by, (is_late && !is_free).then_some(SiteObstacle::NoMemory))
}
