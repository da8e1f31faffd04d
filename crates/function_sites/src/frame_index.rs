//! The table of a file's functions, and one for a file that has none of its own.

use crate::function_frames::{FrameIndexEntry, FunctionFrames};
use crate::object_file::ObjectFile;

impl<'a> ObjectFile<'a> {
    /// How its functions leave their frames, if it says so.
    pub(crate) fn function_frames(&self) -> Option<FunctionFrames<'a>> {
        let frames = self.placed(".eh_frame")?;
        match self.placed(".eh_frame_hdr") {
            Some(header) => FunctionFrames::new(header, frames),
            None => Some(FunctionFrames::indexed(frames, self.frame_index)),
        }
    }

    /// A section's address, and its bytes.
    fn placed(&self, name: &str) -> Option<(u64, &'a [u8])> {
        self.section(name).map(|section| (section.sh_addr, self.data(&section)))
    }

    /// The entries of a table of its functions, not sorted, if it has none of its own: a static program.
    ///
    /// Cost: a look at each function.
    pub fn unindexed_frames(&self) -> impl Iterator<Item = FrameIndexEntry> + use<'a> {
        let frames = self.placed(".eh_frame").filter(|_| self.placed(".eh_frame_hdr").is_none());
        frames.into_iter().flat_map(FunctionFrames::unindexed)
    }

    /// The file, with such a table, [sorted](crate::sort_frames).
    pub fn with_frame_index(mut self, frame_index: &'a [FrameIndexEntry]) -> ObjectFile<'a> {
        self.frame_index = frame_index;
        self
    }
}
