//! ELF files that were mapped.

use object::Object;
use object::read::ReadCache;
use std::fs::File;
use std::path::Path;

/// What `read` finds in the file at `path`, if that is the one which was mapped when it had this build id. A
/// file that had none is taken for the one that is there now.
pub(crate) fn read<T>(
    path: &Path,
    build_id: &[u8],
    read: impl FnOnce(&object::File<'_, &ReadCache<File>>) -> Option<T>,
) -> Option<T> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let found = file.build_id().ok().flatten().unwrap_or_default();
    if !build_id.is_empty() && found.get(..build_id.len().min(found.len())) != Some(build_id) {
        return None;
    }
    read(&file)
}
