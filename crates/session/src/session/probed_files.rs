//! What definitions of probes need to know of files.

use super::traceable::debug_file;
use function_sites::{ObjectFile, SourcePath};
use probe::FileIdentity;
use probe_definition::{NoFile, NoSymbol, ProbedFiles};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Files as they are now.
pub(super) struct FilesOnDisk;

impl ProbedFiles for FilesOnDisk {
    fn check(&self, path: &str) -> Result<(), NoFile> {
        // Whoever reads the definition has another current directory.
        let path = Path::new(path);
        let found = path.metadata().ok().filter(|_| path.is_absolute()).ok_or(NoFile::NotFound)?;
        if found.is_file() { Ok(()) } else { Err(NoFile::NotRegular) }
    }

    fn place(&self, path: &str, symbol: &str, offset: u64) -> Result<u64, NoSymbol> {
        let found = with_symbols(path, |file, symbols| {
            let is_it = |name: &[u8]| {
                let source = || SourcePath::of(name).is_some_and(|path| path.as_bytes() == symbol.as_bytes());
                name == symbol.as_bytes() || source()
            };
            let mut named = symbols.functions().filter(|function| is_it(function.name));
            let first = named.next().ok_or(NoSymbol::NotFound)?;
            if named.any(|function| function.start != first.start) {
                return Err(NoSymbol::Ambiguous);
            }
            let address = first.start.checked_add(offset).filter(|_| offset < first.size.max(1));
            address.and_then(|address| file.offset_of_address(address)).ok_or(NoSymbol::NotFound)
        });
        found.unwrap_or(Err(NoSymbol::NotFound))
    }

    fn is_entry(&self, path: &str, offset: u64) -> bool {
        let begins = |file: &ObjectFile<'_>, symbols: &ObjectFile<'_>| {
            let Some(address) = file.address_at(offset) else { return false };
            file.function_span(address).is_some()
                || symbols.functions().any(|function| function.start == address)
        };
        with_symbols(path, begins).unwrap_or(false)
    }
}

/// Files of probes that were defined: what was written of them is right.
pub(super) struct KnownFiles;

impl ProbedFiles for KnownFiles {
    fn check(&self, _path: &str) -> Result<(), NoFile> {
        Ok(())
    }

    fn place(&self, _path: &str, _symbol: &str, _offset: u64) -> Result<u64, NoSymbol> {
        Err(NoSymbol::NotFound)
    }

    fn is_entry(&self, _path: &str, _offset: u64) -> bool {
        true
    }
}

/// What a file is known by in traced processes. None where it can't be read.
pub(super) fn identity(path: &Path) -> Option<FileIdentity> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let build_id = ObjectFile::parse(&bytes).map_or(&[][..], |file| file.build_id());
    if build_id.is_empty() {
        let found = path.metadata().ok()?;
        return Some(FileIdentity::Inode { device: found.dev(), inode: found.ino() });
    }
    let mut id = [0; 20];
    id.iter_mut().zip(build_id).for_each(|(to, from)| *to = *from);
    Some(FileIdentity::BuildId(id))
}

/// What is found in an ELF file, with the file that has its symbols. None for others.
pub(super) fn with_symbols<T>(
    path: &str,
    find: impl FnOnce(&ObjectFile<'_>, &ObjectFile<'_>) -> T,
) -> Option<T> {
    let path = Path::new(path);
    let bytes = std::fs::read(path).ok()?;
    let file = ObjectFile::parse(&bytes)?;
    let debug = debug_file(&file, path);
    let symbols = debug.as_deref().and_then(ObjectFile::parse).unwrap_or(file);
    Some(find(&file, &symbols))
}
