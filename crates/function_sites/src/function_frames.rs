//! Where functions begin and end, and how to find what they return to: `.eh_frame_hdr` and `.eh_frame`.
//!
//! A static program has no `.eh_frame_hdr`, whose table its own code doesn't need. Whoever looks for
//! functions there makes such a table before.
//!
//! Every function of C++ and Rust is there, and of C unless it was compiled without; stripping leaves it.

use crate::byte_reader::ByteReader;
use crate::frame_program::{FrameProgram, ReturnAddress};
use crate::heap_sort::heap_sort;
use core::ops::Range;

/// The two sections of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionFrames<'a> {
    /// A distance for each function, in the order of their addresses: its start's, and its entry's in
    /// `.eh_frame`, both from the address of the section.
    entries: &'a [FrameIndexEntry],
    /// Where `.eh_frame_hdr` lies, or `.eh_frame` if that has none.
    header_address: u64,
    frames: &'a [u8],
    /// Where `.eh_frame` lies.
    frames_address: u64,
}

/// An entry of the table: two distances.
pub type FrameIndexEntry = [u8; 8];

/// A function, as its entry describes it.
#[derive(Debug, Clone)]
pub(crate) struct FunctionFrame<'a> {
    /// Its addresses.
    pub(crate) span: Range<u64>,
    program: FrameProgram<'a>,
}

/// How compilers write addresses there: as signed distances of four bytes, from their own place.
const RELATIVE: u8 = 0x1b;

impl<'a> FunctionFrames<'a> {
    /// That of the sections with these addresses and bytes. None where they are written in another way than
    /// linkers do.
    pub(crate) fn new(
        (header_address, header): (u64, &'a [u8]),
        (frames_address, frames): (u64, &'a [u8]),
    ) -> Option<FunctionFrames<'a>> {
        let (start, rest) = header.split_first_chunk::<12>()?;
        // Version 1; the pointer to `.eh_frame`, the count as an integer, the table relative to the section.
        let [1, RELATIVE, 0x03, 0x3b, _, _, _, _, count @ ..] = start else { return None };
        let count = u32::from_le_bytes(*count) as usize;
        let entries = rest.as_chunks().0.get(..count)?;
        Some(FunctionFrames { entries, header_address, frames, frames_address })
    }

    /// That of a file without `.eh_frame_hdr`, for which the table was made.
    pub(crate) fn indexed(
        (frames_address, frames): (u64, &'a [u8]),
        entries: &'a [FrameIndexEntry],
    ) -> FunctionFrames<'a> {
        FunctionFrames { entries, header_address: frames_address, frames, frames_address }
    }

    /// What the table has to have for `.eh_frame`, in the order in which that lies there.
    pub(crate) fn unindexed(
        (address, frames): (u64, &'a [u8]),
    ) -> impl Iterator<Item = FrameIndexEntry> + use<'a> {
        let all = FunctionFrames::indexed((address, frames), &[]);
        let mut next = 0;
        let offsets = core::iter::from_fn(move || {
            let offset = next;
            // An entry without bytes is the last one.
            let len = all.entry(offset)?.0.len();
            next = offset + 4 + len;
            (len > 0).then_some(offset)
        });
        offsets.filter_map(move |offset| {
            let start = all.at_offset(offset)?.span.start.wrapping_sub(address).cast_signed();
            let (start, offset) = (i32::try_from(start).ok()?, i32::try_from(offset).ok()?);
            let [a, b, c, d] = start.to_le_bytes();
            let [e, f, g, h] = offset.to_le_bytes();
            Some([a, b, c, d, e, f, g, h])
        })
    }

    /// The function that an address is in.
    pub(crate) fn at(&self, address: u64) -> Option<FunctionFrame<'a>> {
        let after = self.entries.partition_point(|entry| self.start(entry) <= address);
        self.frame(after.checked_sub(1)?).filter(|frame| frame.span.contains(&address))
    }

    /// All functions. None for one whose entry isn't understood.
    pub(crate) fn all(self) -> impl Iterator<Item = Option<FunctionFrame<'a>>> + use<'a> {
        (0..self.entries.len()).map(move |index| self.frame(index))
    }

    /// The addresses of functions from the one on that an address is in, or before it. None for one whose
    /// entry isn't understood.
    pub(crate) fn from(self, address: u64) -> impl Iterator<Item = Option<Range<u64>>> + Clone + use<'a> {
        let after = self.entries.partition_point(|entry| self.start(entry) <= address);
        let first = after.saturating_sub(1);
        (first..self.entries.len()).map(move |index| Some(self.frame(index)?.span))
    }

    /// Where the first function begins that begins after an address.
    pub(crate) fn next(&self, address: u64) -> Option<u64> {
        let after = self.entries.partition_point(|entry| self.start(entry) <= address);
        self.entries.get(after).map(|entry| self.start(entry))
    }

    fn start(&self, [a, b, c, d, ..]: &[u8; 8]) -> u64 {
        self.header_address.wrapping_add_signed(i32::from_le_bytes([*a, *b, *c, *d]).into())
    }

    fn frame(&self, index: usize) -> Option<FunctionFrame<'a>> {
        let [_, _, _, _, distance @ ..] = self.entries.get(index)?;
        let address = self.header_address.wrapping_add_signed(i32::from_le_bytes(*distance).into());
        self.at_offset(address.wrapping_sub(self.frames_address) as usize)
    }

    /// The function whose entry is there in `.eh_frame`. None for an entry of none.
    fn at_offset(&self, offset: usize) -> Option<FunctionFrame<'a>> {
        let mut entry = self.entry(offset)?;
        let pointer = offset + 4;
        let distance = entry.u32()?;
        let common = pointer.checked_sub(distance as usize).filter(|_| distance != 0)?;
        let start = self.frames_address.wrapping_add(pointer as u64 + 4);
        let start = start.wrapping_add_signed(entry.i32()?.into());
        let span = start..start.wrapping_add(entry.u32()?.into());
        // What a language adds, as its length says.
        let augmentation = entry.uleb()? as usize;
        let own = entry.skip(augmentation)?;
        let program = FrameProgram::new(self.entry(common)?, own)?;
        Some(FunctionFrame { span, program })
    }

    /// What an entry of `.eh_frame` has after its length.
    fn entry(&self, offset: usize) -> Option<ByteReader<'a>> {
        let mut rest = ByteReader(self.frames.get(offset..)?);
        let len = rest.u32()? as usize;
        rest.0.get(..len).map(ByteReader)
    }
}

/// Puts the entries of a table into the order of their functions.
pub fn sort_frames(entries: &mut [FrameIndexEntry]) {
    heap_sort(entries, |[a, b, c, d, ..]| i32::from_le_bytes([*a, *b, *c, *d]));
}

impl FunctionFrame<'_> {
    /// See [`FrameProgram::is_understood`].
    pub(crate) fn is_understood(&self) -> bool {
        self.program.is_understood()
    }

    /// Where the function's return address is, when it is about to execute the instruction at an address.
    pub(crate) fn return_address(&self, address: u64) -> Option<ReturnAddress> {
        self.program.return_address(address.checked_sub(self.span.start)?)
    }
}
