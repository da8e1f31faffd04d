//! The files of debug information that were read last.

use crate::debug_file::DebugFile;
use gimli::DebugTypeSignature;
use std::sync::{Arc, Mutex};

/// What is kept of the files of a program's units: no more than a few, as a program may have thousands.
#[derive(Debug, Default)]
pub(crate) struct RecentFiles {
    /// The one that was used last is the last.
    kept: Mutex<Vec<(FilePart, Arc<DebugFile>)>>,
}

/// What a file was read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilePart {
    /// The rest of a unit, which begins at this place.
    Unit(usize),
    /// A type.
    Type(DebugTypeSignature),
}

/// The most that are kept.
const MOST: usize = 16;

impl RecentFiles {
    /// The one that was read for something, or is read for it now.
    pub(crate) fn get(
        &self,
        part: FilePart,
        read: impl FnOnce() -> Option<DebugFile>,
    ) -> Option<Arc<DebugFile>> {
        let found =
            self.kept.lock().ok()?.iter().find(|(kept, _)| *kept == part).map(|(_, file)| file.clone());
        let file = found.or_else(|| read().map(Arc::new))?;
        let mut kept = self.kept.lock().ok()?;
        kept.retain(|(kept, _)| *kept != part);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((part, file.clone()));
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::{Dwarf, none};

    #[test]
    fn those_that_were_used_last_are_kept() {
        let files = RecentFiles::default();
        let dwarf = || Dwarf::load(|_| Ok::<_, gimli::Error>(none())).ok();
        let file = || dwarf().map(DebugFile::new);
        let first = files.get(FilePart::Unit(0), file).unwrap();
        for unit in 1..MOST * 3 {
            let found = files.get(FilePart::Unit(unit), file).unwrap();
            assert!(Arc::ptr_eq(&found, &files.get(FilePart::Unit(unit), || None).unwrap()));
            // It is used again and again.
            assert!(Arc::ptr_eq(&first, &files.get(FilePart::Unit(0), || None).unwrap()));
        }
        assert!(files.get(FilePart::Unit(1), || None).is_none());
        assert_eq!(files.kept.lock().unwrap().len(), MOST);
    }
}
