//! A file that can be probed: its functions, and where they are in it.

use super::traceable::{debug_file, frame_index};
use super::unnamed::unnamed_functions;
use function_sites::{FrameIndexEntry, FunctionSymbol, ObjectFile, SourcePath};
use planner::nops;
use probe_definition::NoSymbol;
use std::path::{Path, PathBuf};

/// A program or a library, as it is now, with the file that has its symbols.
#[derive(Debug)]
pub struct ProbedFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where they were stripped from it.
    symbols: Option<Vec<u8>>,
    /// The table of its functions, if it has none of its own.
    frame_index: Vec<FrameIndexEntry>,
}

impl ProbedFile {
    /// The one at a path. None where it can't be read, or is no ELF file for x86-64.
    pub fn read(path: &Path) -> Option<ProbedFile> {
        let bytes = std::fs::read(path).ok()?;
        let file = ObjectFile::parse(&bytes)?;
        let (symbols, frame_index) = (debug_file(&file, path), frame_index(&file));
        Some(ProbedFile { path: path.to_path_buf(), bytes, symbols, frame_index })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `find` finds in it, and in the file that has its symbols.
    pub(super) fn with<T>(&self, find: impl FnOnce(&ObjectFile<'_>, &ObjectFile<'_>) -> T) -> Option<T> {
        let file = ObjectFile::parse(&self.bytes)?.with_frame_index(&self.frame_index);
        let symbols = self.symbols.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
        Some(find(&file, &symbols))
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its build id; empty where it has none.
    pub fn build_id(&self) -> &[u8] {
        ObjectFile::parse(&self.bytes).map_or(&[][..], |file| file.build_id())
    }

    /// The file's own address so many bytes after the start of a function, by any of its symbols or as the
    /// source says it. Of several versions of a library's function the one is meant that programs are linked
    /// with.
    pub fn address_of(&self, function: &str, offset: u64) -> Result<u64, NoSymbol> {
        let found = self.with(|file, symbols| {
            let found = named(symbols, function);
            // What is known of the linking of a file may not be where its symbols are.
            let found = if found == Err(NoSymbol::NotFound) { named(file, function) } else { found };
            let found = found.or_else(|why| unnamed(file, symbols, function).ok_or(why))?;
            let address = found.start.checked_add(offset).filter(|_| offset < found.size.max(1));
            address.ok_or(NoSymbol::NotFound)
        });
        found.unwrap_or(Err(NoSymbol::NotFound))
    }

    /// Where in the file one of its own addresses is. None for one that is nowhere in it.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        self.with(|file, _| file.offset_of_address(address))?
    }

    /// The file's own address of a place in it. None for one that isn't mapped.
    pub fn address_at(&self, offset: u64) -> Option<u64> {
        self.with(|file, _| file.address_at(offset))?
    }

    /// How many bytes of instructions that do nothing lie at one of its own addresses: what compilers leave
    /// for tracers, and what says that branches may lead there.
    pub fn nops_at(&self, address: u64) -> u64 {
        self.with(|file, _| nops(file.code_at(address), MOST_NOPS) as u64).unwrap_or(0)
    }

    /// Whether a function begins at an offset.
    pub(super) fn is_entry(&self, offset: u64) -> bool {
        let begins = |file: &ObjectFile<'_>, symbols: &ObjectFile<'_>| {
            let Some(address) = file.address_at(offset) else { return false };
            file.function_span(address).is_some()
                || symbols.functions().any(|function| function.start == address)
        };
        self.with(begins).unwrap_or(false)
    }
}

/// The function without a name that is meant by its address.
fn unnamed<'a>(file: &ObjectFile<'a>, symbols: &ObjectFile<'_>, name: &'a str) -> Option<FunctionSymbol<'a>> {
    let mut all = unnamed_functions(file, symbols).into_iter();
    let (start, _) = all.find(|(_, found)| found == name)?;
    let size = file.function_span(start).map_or(0, |span| span.end - span.start);
    Some(FunctionSymbol { start, size, name: name.as_bytes(), is_old: false })
}

/// The function of a file that is meant by a name. An old one isn't where the new one has yet to be chosen.
fn named<'a>(file: &ObjectFile<'a>, name: &str) -> Result<FunctionSymbol<'a>, NoSymbol> {
    let found = || file.functions().filter(|function| is_named(function.name, name));
    let newest = || found().filter(|function| !function.is_old);
    let first = newest().next().or_else(|| found().next()).ok_or(NoSymbol::NotFound)?;
    if first.is_old && file.has_chosen(name.as_bytes()) {
        return Err(NoSymbol::NotFound);
    }
    let is_another = |function: FunctionSymbol<'_>| function.start != first.start;
    let is_ambiguous = if first.is_old { found().any(is_another) } else { newest().any(is_another) };
    if is_ambiguous { Err(NoSymbol::Ambiguous) } else { Ok(first) }
}

/// The most bytes that are looked at.
const MOST_NOPS: usize = 16;

/// Whether a symbol is meant by a name: it is the same, or as the source says it.
pub fn is_named(symbol: &[u8], name: &str) -> bool {
    symbol == name.as_bytes() || SourcePath::of(symbol).is_some_and(|path| path.as_bytes() == name.as_bytes())
}
