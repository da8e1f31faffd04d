//! A mapped file.

use crate::system::{self, Descriptor};
use crate::{Errno, Shared};
use abi::atomic::AtomicU64;
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::Ordering;

/// A file that is mapped shared, for reading and writing.
#[derive(Debug)]
pub struct Segment {
    base: NonNull<u8>,
    len: usize,
    file_offset: u64,
    /// Whether the range belongs to a segment that is never dropped.
    is_part: bool,
}

// SAFETY: a segment hands out only atomics and copies, whatever the thread.
unsafe impl Send for Segment {}
// SAFETY: as above.
unsafe impl Sync for Segment {}

impl Segment {
    /// Maps the first `len` bytes of `file`. They are left out of core dumps.
    ///
    /// The caller sees to it that the file is at least that long: what lies behind its end raises
    /// SIGBUS. Cost: two system calls.
    pub(crate) fn map(file: &Descriptor, len: usize) -> Result<Segment, Errno> {
        let base = system::map(file, len)?;
        Ok(Segment {
            base: NonNull::new(base).ok_or(Errno(libc::ENOMEM))?,
            len,
            file_offset: 0,
            is_part: false,
        })
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
    pub(crate) fn file_offset(&self) -> u64 {
        self.file_offset
    }

    /// Makes two segments of one: the first `len` bytes, and the rest. None when `len` is no multiple of
    /// 4096, or leaves one of them nothing.
    pub fn split(self, len: usize) -> Option<(Segment, Segment)> {
        let (base, whole) = (self.base, self.len);
        if !len.is_multiple_of(4096) || len == 0 || len >= whole {
            return None;
        }
        let (file_offset, is_part) = (self.file_offset, self.is_part);
        core::mem::forget(self);
        // SAFETY: `len` is within the mapping.
        let behind = unsafe { base.add(len) };
        let rest = Segment { base: behind, len: whole - len, file_offset: file_offset + len as u64, is_part };
        Some((Segment { base, len, file_offset, is_part }, rest))
    }

    /// `len` bytes from `offset`, both multiples of 4096, of a segment that is there for good, as they are,
    /// too. None for a range that is empty, or not in the segment.
    pub fn part(&'static self, offset: usize, len: usize) -> Option<Segment> {
        if !offset.is_multiple_of(4096) || !len.is_multiple_of(4096) || len == 0 {
            return None;
        }
        let base = NonNull::new(self.checked(offset as u64, len)?)?;
        Some(Segment { base, len, file_offset: self.file_offset + offset as u64, is_part: true })
    }

    /// Bytes mapped.
    #[expect(clippy::len_without_is_empty, reason = "a mapping is never empty")]
    pub fn len(&self) -> usize {
        self.len
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
        if !self.is_part {
            // SAFETY: the range was mapped by `map` and every borrow from it has ended with `self`.
            unsafe { system::unmap(self.base.as_ptr(), self.len) };
        }
    }
}
