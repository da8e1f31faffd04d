//! Files that hold a segment.

use crate::system;
use crate::{Errno, Segment};
use core::ffi::CStr;
use libc::{O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR};

/// Creates the file `path`, for its owner alone, with `len` bytes of memory, and maps it. It reads as zeros.
///
/// All memory is taken now: a full file system is an error here, where someone can be told, and never a
/// SIGBUS in a program that writes an event; and no such program is the one that waits while a page is
/// zeroed. Errors: `EEXIST`, `ENOSPC`, and what open(2), fallocate(2) and mmap(2) say; after an error the
/// file is gone. Cost: about 0.3 ms per MB.
pub fn create(path: &CStr, len: usize) -> Result<Segment, Errno> {
    create_sparse(path, len, len)
}

/// The same, with memory for the first `reserved` bytes alone. The rest must not be touched before it has
/// been given memory ([`reserve`]): where there is none left, that raises SIGBUS.
pub fn create_sparse(path: &CStr, len: usize, reserved: usize) -> Result<Segment, Errno> {
    let file = system::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)?;
    let made = system::reserve(&file, 0, reserved as u64)
        .and_then(|()| system::set_size(&file, len))
        .and_then(|()| Segment::map(&file, len));
    match &made {
        Ok(segment) => segment.populate(reserved),
        Err(_) => drop(system::unlink(path)),
    }
    made
}

/// Gives memory to `len` bytes from `offset` of `segment`, which is a part of the file `path`. They read as
/// what they were, or as zeros.
///
/// Errors: `ENOSPC`, `EINVAL` for a range outside of the segment, and what open(2) and fallocate(2) say; part
/// of the memory may be there then. Cost: about 0.3 ms per MB.
pub fn reserve(path: &CStr, segment: &Segment, offset: u64, len: u64) -> Result<(), Errno> {
    let end = offset.checked_add(len).filter(|end| *end <= segment.len() as u64);
    if end.is_none() {
        return Err(Errno(libc::EINVAL));
    }
    let file = system::open(path, O_RDWR | O_NOFOLLOW, 0)?;
    system::reserve(&file, segment.file_offset() + offset, len)
}

/// Maps the existing file `path`, whole. Errors: what open(2) and mmap(2) say; `EINVAL` for an empty file.
pub fn open(path: &CStr) -> Result<Segment, Errno> {
    let file = system::open(path, O_RDWR | O_NOFOLLOW, 0)?;
    Segment::map(&file, system::size(&file)?)
}
