//! Where jumps may have their bytes between functions.

use function_sites::ObjectFile;
use planner::{SHORT_JUMP_REACH, is_padding};
use std::ops::Range;

/// The padding of a file, as traced processes use it. None where a compiler has left sites: some are before
/// functions.
#[derive(Clone, Copy)]
pub(super) struct FilePadding<'a> {
    file: ObjectFile<'a>,
    is_built: bool,
}

impl<'a> FilePadding<'a> {
    /// Cost: looking for the file's sites.
    pub(super) fn of(file: &ObjectFile<'a>) -> FilePadding<'a> {
        FilePadding { file: *file, is_built: file.sites().next().is_some() }
    }

    /// Whether a compiler has left sites in the file.
    pub(super) fn is_built(&self) -> bool {
        self.is_built
    }

    /// That near an address.
    pub(super) fn near(&self, address: u64) -> impl Iterator<Item = Range<u64>> + Clone + use<'a> {
        let is_built = self.is_built;
        let gaps = self.file.gaps_near(address, SHORT_JUMP_REACH).filter(move |_| !is_built);
        gaps.filter(|gap| is_padding(gap.before, gap.bytes)).map(|gap| gap.addresses)
    }
}
