//! The functions of an ELF file.

use crate::elf::{self, debug_file};
use function_sites::{ObjectFile, SourcePath};
use object::{Object, ObjectSymbol, SymbolKind};
use std::path::Path;

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its first address, in the file's own addresses.
    pub(crate) start: u64,
    /// The address after it.
    pub(crate) end: u64,
    /// Its name, as it stands in the file.
    pub(crate) name: String,
}

/// The functions of a file that was mapped when it had this build id. None for another file, or none.
///
/// Where the symbols were put into a file of their own, and it is there, it counts.
pub(crate) fn functions(path: &Path, build_id: &[u8]) -> Vec<Function> {
    let own = read(path, build_id).unwrap_or_default();
    match debug_file(path, build_id).and_then(|path| read(&path, build_id)) {
        Some(more) if more.len() > own.len() => more,
        _ => own,
    }
}

/// Places of such a file that have names of their own, whichever function they are in, in the order of their
/// addresses: sites, and where functions begin that have no other name than their address. These have it
/// where they begin alone: what is in them is known by the file, which says more than where they begin.
pub(crate) fn named_sites(path: &Path, build_id: &[u8]) -> Vec<Function> {
    let found = elf::read(path, build_id, |file| {
        Some((file.section_by_name("lookback_functions").is_some(), file.symbols().next().is_none()))
    });
    let (has_named, is_stripped) = found.unwrap_or_default();
    let has_unnamed = is_stripped && debug_file(path, build_id).is_none();
    let bytes = (has_named || has_unnamed).then(|| std::fs::read(path).ok()).flatten();
    let Some(file) = bytes.as_deref().and_then(ObjectFile::parse) else { return Vec::new() };
    let named = file.sites().filter_map(|site| {
        let path = SourcePath::of_site(site.name)?;
        Some((site.address, String::from_utf8_lossy(path.as_bytes()).into_owned()))
    });
    let unnamed = if has_unnamed { session::unnamed_functions(&file, &file) } else { Vec::new() };
    let place = |(start, name): (u64, String)| Some(Function { start, end: start.checked_add(1)?, name });
    let mut named: Vec<Function> = named.chain(unnamed).filter_map(place).collect();
    named.sort_by_key(|function| function.start);
    named
}

fn read(path: &Path, build_id: &[u8]) -> Option<Vec<Function>> {
    let mut functions: Vec<Function> = elf::read(path, build_id, |file| {
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let functions = symbols
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .filter_map(|symbol| {
                let (start, size) = (symbol.address(), symbol.size().max(1));
                let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_string();
                Some(Function { start, end: start.checked_add(size)?, name })
            });
        Some(functions.collect())
    })?;
    // Of several names for one place, a public one rather than one with underscores, and that rather than one
    // of an old version.
    functions.sort_by_cached_key(|function| {
        (function.start, function_sites::oddness(&function.name), function.name.clone())
    });
    functions.dedup_by_key(|function| function.start);
    Some(functions)
}
