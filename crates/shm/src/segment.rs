//! A mapped file.

use crate::system::{self, Descriptor};
use crate::{Errno, Shared};
use abi::atomic::AtomicU64;
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::Ordering;

/// Bytes of a page.
const PAGE: u64 = crate::PAGE as u64;

/// A part of a file that is mapped shared, for reading and writing.
#[derive(Debug)]
pub struct Segment {
    base: NonNull<u8>,
    len: usize,
    file_offset: u64,
}

// SAFETY: a segment hands out only atomics and copies, whatever the thread.
unsafe impl Send for Segment {}
// SAFETY: nothing in it changes, and what it hands out is atomics and copies.
unsafe impl Sync for Segment {}

impl Segment {
    /// Maps a range of a file's offsets.
    ///
    /// The caller sees to it that the file is at least that long: what lies after its end raises SIGBUS.
    /// Cost: a system call.
    pub(crate) fn map(file: &Descriptor, range: Range<u64>) -> Result<Segment, Errno> {
        let len = len_of(&range)?;
        Segment::at(system::map(file, range.start, len)?, len, range.start)
    }

    fn at(base: *mut u8, len: usize, file_offset: u64) -> Result<Segment, Errno> {
        let base = NonNull::new(base).ok_or(Errno(libc::ENOMEM))?;
        Ok(Segment { base, len, file_offset })
    }

    /// Maps another range of the same file, by a page that is mapped here: no file has to be open, and none
    /// has to be found again. `range` are offsets in the file, multiples of 4096; it starts where this
    /// segment does, or later.
    ///
    /// The caller sees to it that the file is long enough. What lies between the two takes addresses for a
    /// moment. Errors: `EINVAL` for another range; else what mremap(2) says. Cost: two system calls.
    /// Async-signal-safe.
    pub fn map_more(&self, range: Range<u64>) -> Result<Segment, Errno> {
        let len = len_of(&range)?;
        let last_page = self.file_offset + self.len as u64 - PAGE;
        let from = range.start.min(last_page);
        let before = (range.start - from) as usize;
        let offset = from.checked_sub(self.file_offset).ok_or(Errno(libc::EINVAL))?;
        let page = self.checked(offset, PAGE as usize).ok_or(Errno(libc::EINVAL))?;
        // SAFETY: a page of this segment.
        let base = unsafe { system::duplicate(page, before + len) }?;
        if before > 0 {
            // SAFETY: just mapped, and used by nobody.
            unsafe { system::unmap(base, before) };
        }
        Segment::at(base.wrapping_add(before), len, range.start)
    }

    /// Has core dumps of the process leave it out. Cost: a system call.
    pub fn leave_out_of_dumps(&self) {
        // SAFETY: the range is mapped.
        unsafe { system::leave_out_of_dumps(self.base.as_ptr(), self.len) };
    }

    /// Takes the memory of a range of offsets now; of none that is not in the segment.
    pub(crate) fn populate(&self, range: Range<u64>) {
        let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        if let Some(address) = self.checked(range.start, len) {
            // SAFETY: the range is mapped.
            unsafe { system::populate(address, len) };
        }
    }

    /// Has the page at `offset`, which is a multiple of 8, mapped now, and alone: for a load from a missing
    /// page the kernel maps its neighbours too, which takes as long as five of these. Changes nothing.
    pub fn touch(&self, offset: u64) {
        if let Some(word) = self.get::<AtomicU64>(offset) {
            // An addition of 0 would be made a load. This is a store to the kernel, whatever it finds.
            let _ = word.compare_exchange(0, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Gives back the memory of `len` bytes from `offset`, both multiples of 4096: for everyone who maps
    /// the file they read as zeros, and take memory again when they are touched. `EINVAL` for a range that
    /// is not in the segment, and what madvise(2) says.
    pub fn remove(&self, offset: u64, len: u64) -> Result<(), Errno> {
        let range = usize::try_from(len).ok().and_then(|len| Some((self.checked(offset, len)?, len)));
        let (address, len) = range.ok_or(Errno(libc::EINVAL))?;
        // SAFETY: the range is mapped, and what is there changes as if another process stored zeros.
        unsafe { system::remove(address, len) }
    }

    /// Where in its file the segment starts.
    pub fn file_offset(&self) -> u64 {
        self.file_offset
    }

    /// Makes two segments of one: the first `len` bytes, and the rest. None when `len` is no multiple of
    /// 4096, or leaves one of them nothing.
    pub fn split(self, len: usize) -> Option<(Segment, Segment)> {
        let (base, whole, file_offset) = (self.base, self.len, self.file_offset);
        if !len.is_multiple_of(PAGE as usize) || len == 0 || len >= whole {
            return None;
        }
        core::mem::forget(self);
        // SAFETY: `len` is within the mapping.
        let next = unsafe { base.add(len) };
        let rest = Segment { base: next, len: whole - len, file_offset: file_offset + len as u64 };
        Some((Segment { base, len, file_offset }, rest))
    }

    /// Bytes mapped.
    #[expect(clippy::len_without_is_empty, reason = "a mapping is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The addresses that it has.
    pub fn addresses(&self) -> Range<usize> {
        let start = self.base.addr().get();
        start..start + self.len
    }

    /// Address of the first byte.
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// The `T` at `offset`, if it lies in the segment and is aligned.
    pub fn get<T: Shared>(&self, offset: u64) -> Option<&T> {
        self.slice(offset, 1).and_then(<[T]>::first)
    }

    /// `count` `T`s from `offset`, if they lie in the segment and are aligned.
    pub fn slice<T: Shared>(&self, offset: u64, count: usize) -> Option<&[T]> {
        let address = self.checked(offset, count.checked_mul(size_of::<T>())?)?.cast::<T>();
        if !address.is_aligned() {
            return None;
        }
        // SAFETY: in bounds and aligned; `Shared` promises that any content is a value and that
        // writes by others are no data race. The mapping lives as long as `self`.
        Some(unsafe { core::slice::from_raw_parts(address, count) })
    }

    /// Copies `into.len()` bytes from `offset`, word by word; what others write meanwhile is seen
    /// or not, per word. `offset` is a multiple of 8. None when the range is outside.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Option<()> {
        let words: &[AtomicU64] = self.slice(offset, into.len().div_ceil(8))?;
        let (whole, rest) = into.as_chunks_mut::<8>();
        for (to, from) in whole.iter_mut().zip(words) {
            *to = from.load(Ordering::Relaxed).to_le_bytes();
        }
        if let Some(last) = words.get(whole.len()) {
            for (to, from) in rest.iter_mut().zip(last.load(Ordering::Relaxed).to_le_bytes()) {
                *to = from;
            }
        }
        Some(())
    }

    /// Writes `bytes` to `offset` (a multiple of 8), in whole words: the last word's other bytes
    /// become 0. None, and nothing written, when the range is outside.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Option<()> {
        let words: &[AtomicU64] = self.slice(offset, bytes.len().div_ceil(8))?;
        for (to, from) in words.iter().zip(bytes.chunks(8)) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(from) {
                *to = *from;
            }
            to.store(u64::from_le_bytes(word), Ordering::Relaxed);
        }
        Some(())
    }

    /// The address of `len` bytes from `offset`, if they lie in the segment.
    fn checked(&self, offset: u64, len: usize) -> Option<*mut u8> {
        let offset = usize::try_from(offset).ok()?;
        if offset.checked_add(len)? > self.len {
            return None;
        }
        // SAFETY: `offset` is within the mapping.
        Some(unsafe { self.base.as_ptr().add(offset) })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the range is this segment's own and every borrow from it has ended with `self`.
        unsafe { system::unmap(self.base.as_ptr(), self.len) };
    }
}

/// Bytes of a range that can be mapped. `EINVAL` for others.
fn len_of(range: &Range<u64>) -> Result<usize, Errno> {
    let len = range.end.checked_sub(range.start).filter(|len| *len > 0);
    let len = len.filter(|_| range.start.is_multiple_of(PAGE)).and_then(|len| usize::try_from(len).ok());
    len.ok_or(Errno(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    /// A file of which each page starts with its number, without a name.
    fn numbered(pages: u64) -> Segment {
        let path = CString::new(std::format!("/dev/shm/lookback-segment-{}", std::process::id())).unwrap();
        let file = crate::create(&path, (pages * PAGE) as usize).unwrap();
        for page in 0..pages {
            file.write(page * PAGE, &page.to_le_bytes()).unwrap();
        }
        std::fs::remove_file(path.to_str().unwrap()).unwrap();
        file
    }

    fn first(segment: &Segment) -> u64 {
        let mut bytes = [0; 8];
        segment.read(0, &mut bytes).unwrap();
        u64::from_le_bytes(bytes)
    }

    #[test]
    fn more_of_a_file_is_mapped_without_opening_it() {
        let (start, rest) = numbered(9).split(3 * PAGE as usize).unwrap();
        drop(rest);
        for (page, pages) in [(0, 9), (1, 1), (2, 3), (3, 2), (8, 1)] {
            let more = start.map_more(page * PAGE..(page + pages) * PAGE).unwrap();
            assert_eq!(
                (first(&more), more.len() as u64, more.file_offset()),
                (page, pages * PAGE, page * PAGE)
            );
        }
        let more = start.map_more(5 * PAGE..6 * PAGE).unwrap();
        more.write(8, &[7; 8]).unwrap();
        assert_eq!(
            start.map_more(5 * PAGE..6 * PAGE).unwrap().get::<AtomicU64>(8).unwrap().load(Ordering::Relaxed),
            u64::from_le_bytes([7; 8])
        );
        assert!(more.map_more(4 * PAGE..6 * PAGE).is_err(), "it starts before");
        for (from, to) in [(PAGE, PAGE), (2 * PAGE, PAGE), (1, PAGE)] {
            let range = from..to;
            assert_eq!(start.map_more(range).unwrap_err(), Errno(libc::EINVAL));
        }
    }
}
