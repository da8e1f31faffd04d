//! Files that hold segments.

use crate::errno::Errno;
use crate::segment::Segment;
use crate::status::{Stat, Status};
use crate::system::{self, Descriptor};
use core::ffi::CStr;
use core::ops::{ControlFlow, Range};
use libc::{O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR};

/// A file that is open for reading and writing. Closing it leaves what was mapped of it.
#[derive(Debug)]
pub struct File {
    descriptor: Descriptor,
    status: Status,
}

impl File {
    /// Opens the existing file `path`, which is no symbolic link. Errors: what open(2) and fstat(2) say.
    pub fn open(path: &CStr) -> Result<File, Errno> {
        // SAFETY: libc's own function.
        unsafe { File::open_by(path, libc::fstat) }
    }

    /// Opens the existing file `path` by another fstat(2): that of the libc which a process runs on, whose
    /// system call a sandbox allows where the program itself has been loaded by it.
    ///
    /// # Safety
    ///
    /// `stat` has the contract of fstat(2).
    pub unsafe fn open_by(path: &CStr, stat: Stat) -> Result<File, Errno> {
        let descriptor = system::open(path, O_RDWR | O_NOFOLLOW, 0)?;
        // SAFETY: the caller's promise.
        let status = unsafe { system::status(&descriptor, stat) }?;
        Ok(File { descriptor, status })
    }

    /// What it was when it was opened.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Reads from where the last call has ended, at first from its start. Gives the bytes read, which may be
    /// fewer. Errors: what read(2) says.
    pub fn read(&self, into: &mut [u8]) -> Result<usize, Errno> {
        system::read(&self.descriptor, into)
    }

    /// Maps a range of its offsets, both multiples of 4096. `EINVAL` for an empty range, and for one that
    /// the file did not have when it was opened; else what mmap(2) says. Cost: a system call.
    pub fn map(&self, range: Range<u64>) -> Result<Segment, Errno> {
        if range.end > self.status.len {
            return Err(Errno(libc::EINVAL));
        }
        Segment::map(&self.descriptor, range)
    }
}

/// Creates the file `path`, for its owner alone, with `len` bytes of memory, and maps it. It reads as zeros.
///
/// All memory is reserved now: a full file system is an error here, where it can be reported, and never a
/// SIGBUS in a program that writes an event; and no such program waits while a page is zeroed. Errors:
/// `EEXIST`, `ENOSPC`, and what open(2), fallocate(2) and mmap(2) say; after an error the file is gone. Cost:
/// about 0.3 ms per MB.
pub fn create(path: &CStr, len: usize) -> Result<Segment, Errno> {
    create_sparse(path, len, core::iter::once(0..len as u64))
}

/// Creates the file `path`, as [`create`], with memory for the `reserved` ranges of offsets alone. The rest
/// must not be touched before it has been given memory ([`reserve`]): if none is left, that raises SIGBUS.
pub fn create_sparse(
    path: &CStr,
    len: usize,
    reserved: impl Iterator<Item = Range<u64>> + Clone,
) -> Result<Segment, Errno> {
    let file = system::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)?;
    let made = joined(reserved.clone())
        .try_for_each(|range| system::reserve(&file, range.start, range.end - range.start))
        .and_then(|()| system::set_size(&file, len))
        .and_then(|()| Segment::map(&file, 0..len as u64));
    match &made {
        Ok(segment) => joined(reserved).for_each(|range| segment.populate(range)),
        Err(_) => drop(system::unlink(path)),
    }
    made
}

/// Gives memory to `ranges` of offsets in `segment`, which is a part of the file `path`. They read as what
/// they were, or as zeros.
///
/// Errors: `ENOSPC`, `EINVAL` for a range outside of the segment, and what open(2) and fallocate(2) say; part
/// of the memory may be there then. Cost: about 0.3 ms per MB.
pub fn reserve(
    path: &CStr,
    segment: &Segment,
    ranges: impl Iterator<Item = Range<u64>>,
) -> Result<(), Errno> {
    let file = system::open(path, O_RDWR | O_NOFOLLOW, 0)?;
    joined(ranges).try_for_each(|range| {
        if range.end > segment.len() as u64 {
            return Err(Errno(libc::EINVAL));
        }
        system::reserve(&file, segment.file_offset() + range.start, range.end - range.start)
    })
}

/// The ranges, where one starts at the end of the one before made one, and without those that are empty.
fn joined(ranges: impl Iterator<Item = Range<u64>>) -> impl Iterator<Item = Range<u64>> {
    let mut ranges = ranges.filter(|range| range.start < range.end).peekable();
    core::iter::from_fn(move || {
        let mut joined = ranges.next()?;
        while let Some(next) = ranges.next_if(|next| next.start == joined.end) {
            joined.end = next.end;
        }
        Some(joined)
    })
}

/// Maps the existing file `path`, whole. Errors: what open(2) and mmap(2) say; `EINVAL` for an empty file.
pub fn open(path: &CStr) -> Result<Segment, Errno> {
    let file = File::open(path)?;
    file.map(0..file.status.len)
}

/// What a file is that is nothing to be mapped, by another fstat(2), as for [`File::open_by`].
///
/// # Safety
///
/// `stat` has the contract of fstat(2).
pub unsafe fn status_by(path: &CStr, stat: Stat) -> Result<Status, Errno> {
    let file = system::open(path, O_RDONLY, 0)?;
    // SAFETY: the caller's promise.
    unsafe { system::status(&file, stat) }
}

/// Reads a file that is nothing to be mapped, piece by piece, until `look` has seen enough. Errors: what
/// open(2) and read(2) say. Async-signal-safe, and errno stays.
pub fn read_pieces(path: &CStr, mut look: impl FnMut(&[u8]) -> ControlFlow<()>) -> Result<(), Errno> {
    let file = system::open(path, O_RDONLY, 0)?;
    let mut piece = [0; 1024];
    loop {
        let len = system::read(&file, &mut piece)?;
        let read = piece.get(..len).unwrap_or_default();
        if read.is_empty() || look(read).is_break() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert!(joined([0..2, 2..2, 2..5, 7..9].into_iter()).eq([0..5, 7..9]));
        assert_eq!(joined(core::iter::once(3..3)).next(), None);
    }
}
