//! What definitions of probes need to know of files.

use super::probed_file::ProbedFile;
use function_sites::ObjectFile;
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
        let file = ProbedFile::read(Path::new(path)).ok_or(NoSymbol::NotFound)?;
        let address = file.address_of(symbol, offset)?;
        file.offset_of(address).ok_or(NoSymbol::NotFound)
    }

    fn is_entry(&self, path: &str, offset: u64) -> bool {
        ProbedFile::read(Path::new(path)).is_some_and(|file| file.is_entry(offset))
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
