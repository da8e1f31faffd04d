//! ELF files that were mapped.

use debug_info::{AlternateFile, DebugInfo};
use function_sites::{ObjectFile, find_debug_file};
use object::Object;
use object::read::ReadCache;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What `read` finds in the file at `path`, if that is the one which was mapped when it had this build id. A
/// file that had none is taken for the one that is there now, if that has none either.
pub(crate) fn read<T>(
    path: &Path,
    build_id: &[u8],
    read: impl FnOnce(&object::File<'_, &ReadCache<File>>) -> Option<T>,
) -> Option<T> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let found = file.build_id().ok().flatten().unwrap_or_default();
    let is_same = found.starts_with(build_id) && build_id.is_empty() == found.is_empty();
    if is_same { read(&file) } else { None }
}

/// Where the symbols and the debug information are that were stripped from the file at `path`, if that is the
/// one which was mapped when it had this build id. Only files that are there and have the same one.
pub fn debug_file(path: &Path, build_id: &[u8]) -> Option<PathBuf> {
    let link = read(path, build_id, |file| {
        let (link, _) = file.gnu_debuglink().ok()??;
        Some(link.to_vec())
    });
    find_debug_file(path.as_os_str().as_bytes(), &link.unwrap_or_default(), build_id, |path| {
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        let is_its_own = !build_id.is_empty() && is_same_file(path, build_id);
        is_its_own.then(|| path.to_path_buf())
    })
}

/// The debug information of the file that was mapped when it had this build id, its own or that which was
/// split off. None where there is none.
pub fn debug_info(path: &Path, build_id: &[u8]) -> Option<DebugInfo> {
    // What is in yet other files lies next to the program.
    let of = |debug: &Path| read(debug, build_id, |file| DebugInfo::of(file, debug, path));
    of(path).or_else(|| of(&debug_file(path, build_id)?))
}

/// The file that has what the one at `path` shares of its debug information, if it is there.
pub fn alternate_debug_file(path: &Path, build_id: &[u8]) -> Option<PathBuf> {
    match read(path, build_id, |file| Some(AlternateFile::of(file, path)))? {
        AlternateFile::Found(path) => Some(path),
        AlternateFile::None | AlternateFile::Missing(_) => None,
    }
}

/// Whether the file at `path` is the ELF file which was mapped when it had this build id. One that had none
/// is taken for the one that is there now, if that has none either.
pub fn is_same_file(path: &Path, build_id: &[u8]) -> bool {
    read(path, build_id, |_| Some(())).is_some()
}

/// Whether the file at `path`, which was mapped when it had this build id, has code of Go, which makes system
/// calls by itself, not through libc.
pub fn has_go(path: &Path, build_id: &[u8]) -> bool {
    const SECTIONS: [&str; 2] = [".go.buildinfo", ".note.go.buildid"];
    let is_go = |file: &object::File<'_, &ReadCache<File>>| {
        SECTIONS.iter().any(|name| file.section_by_name(name).is_some())
    };
    read(path, build_id, |file| Some(is_go(file))).unwrap_or(false)
}

/// Whether the file at `path` is a program of Go that has nothing of a C library: of such a one that runs,
/// `lookback attach` has functions and system calls seen.
pub fn is_pure_go(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    ObjectFile::parse(&bytes).is_some_and(|file| file.is_pure_go())
}
