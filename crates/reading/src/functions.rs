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
/// Where the symbols were put into a file of their own, and it is there, it counts. Where they are nowhere,
/// functions are called by their addresses.
pub(crate) fn functions(path: &Path, build_id: &[u8]) -> Vec<Function> {
    let own = read(path, build_id).unwrap_or_default();
    match debug_file(path, build_id).and_then(|path| read(&path, build_id)) {
        Some(more) if more.len() > own.len() => more,
        _ => with_unnamed(own, path, build_id),
    }
}

fn with_unnamed(mut named: Vec<Function>, path: &Path, build_id: &[u8]) -> Vec<Function> {
    let has_all = elf::read(path, build_id, |file| Some(file.symbols().next().is_some()));
    let bytes = has_all.filter(|has_all| !has_all).and_then(|_| std::fs::read(path).ok());
    let Some(file) = bytes.as_deref().and_then(ObjectFile::parse) else { return named };
    let unnamed = session::unnamed_functions(&file, &file).into_iter();
    named.extend(unnamed.filter_map(|(start, name)| {
        let end = file.function_span(start)?.end;
        Some(Function { start, end, name })
    }));
    named.sort_by_key(|function| function.start);
    named
}

/// Sites of such a file that have names of their own, whichever function they are in: in the order of their
/// addresses.
pub(crate) fn named_sites(path: &Path, build_id: &[u8]) -> Vec<Function> {
    let has_some =
        elf::read(path, build_id, |file| Some(file.section_by_name("lookback_functions").is_some()));
    let bytes = has_some.filter(|has_some| *has_some).and_then(|_| std::fs::read(path).ok());
    let Some(file) = bytes.as_deref().and_then(ObjectFile::parse) else { return Vec::new() };
    let named = file.sites().filter_map(|site| {
        let path = SourcePath::of_site(site.name)?;
        let name = String::from_utf8_lossy(path.as_bytes()).into_owned();
        Some(Function { start: site.address, end: site.address.checked_add(1)?, name })
    });
    let mut named: Vec<Function> = named.collect();
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
