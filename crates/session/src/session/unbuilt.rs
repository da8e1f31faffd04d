//! Functions of files whose compiler has left no sites.

use super::Session;
use super::padding::FilePadding;
use super::traceable::{SiteObstacle, TraceableFunction, TraceableName, debug_file, sort_names, with_file};
use super::traced_by::TracedBy;
use super::unnamed::unnamed_functions;
use crate::object_path::object_path;
use abi::control::OBJECTS;
use control::ObjectInfo;
use function_filter::{CompiledLists, FunctionList, FunctionRule, compile};
use function_sites::ObjectFile;
use planner::{EntryPoint, FunctionCode, JumpSpace, ProbePoint, entry_points, go_entry_points};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
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

    /// Those that a rule names.
    ///
    /// Cost: as [`Session::unbuilt_functions`].
    pub fn unbuilt_named(&self, rule: &FunctionRule) -> Vec<TraceableFunction> {
        let mut named = FunctionList::default();
        named.add(rule);
        self.unbuilt_functions(&named)
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
    with_file(path, build_id, |file, object| {
        let padding = FilePadding::of(&file);
        match padding.is_built() {
            true => Vec::new(),
            false => named_in_file((file, padding), object, path, is_late, is_named),
        }
    })
}

fn named_in_file(
    (file, padding): (ObjectFile<'_>, FilePadding<'_>),
    object: &str,
    path: &Path,
    is_late: bool,
    is_named: &dyn Fn(&TraceableName, &str) -> bool,
) -> Vec<TraceableFunction> {
    let debug = debug_file(&file, path);
    let symbols = debug.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
    let mut named: BTreeMap<u64, Vec<TraceableName>> = BTreeMap::new();
    for function in symbols.functions() {
        named.entry(function.start).or_default().push(TraceableName::new(function.name));
    }
    let mut starts: HashSet<u64> = file.unbuilt_sites(&symbols).map(|site| site.address).collect();
    for (start, name) in unnamed_functions(&file, &symbols) {
        starts.insert(start);
        named.entry(start).or_default().push(TraceableName::new(name.as_bytes()));
    }
    named.retain(|_, names| names.iter().any(|name| is_named(name, object)));
    let found = named.into_iter().filter(|(start, _)| starts.contains(start));
    let is_of_go = file.is_pure_go();
    let functions = found.map(|(address, mut names)| {
        sort_names(&mut names);
        let function = FunctionCode { start: address, code: file.function_code(address) };
        let padding = padding.near(address);
        let (traced_by, obstacle) = match is_of_go {
            true => planned(go_entry_points(&function, padding), is_late),
            false => planned(entry_points(&function, padding), is_late),
        };
        TraceableFunction { names, object: object.to_string(), address, traced_by, obstacle }
    });
    functions.collect()
}

/// How a function is traced that can be entered there, if it can be, and what speaks against it.
fn planned(
    points: Result<impl Iterator<Item = EntryPoint> + Clone, impl Display>,
    is_late: bool,
) -> (Option<TracedBy>, Option<SiteObstacle>) {
    let points = match points {
        Ok(points) => points,
        Err(why) => return (None, Some(SiteObstacle::Refused(why.to_string()))),
    };
    let traced_by = |EntryPoint { point: ProbePoint { offset, len, space, .. }, .. }| TracedBy::Jump {
        offset,
        len,
        has_padding: space != JumpSpace::InPlace,
    };
    let has_free = || points.clone().any(|found| found.point.window.is_free());
    (points.clone().next().map(traced_by), (is_late && !has_free()).then_some(SiteObstacle::NoMemory))
}
