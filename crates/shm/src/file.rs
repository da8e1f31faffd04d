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
    let file = system::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)?;
    let made = system::reserve(&file, len).and_then(|()| Segment::map(&file, len));
    match &made {
        Ok(segment) => segment.populate(),
        Err(_) => drop(system::unlink(path)),
    }
    made
}

/// Maps the existing file `path`, whole. Errors: what open(2) and mmap(2) say; `EINVAL` for an empty file.
pub fn open(path: &CStr) -> Result<Segment, Errno> {
    let file = system::open(path, O_RDWR | O_NOFOLLOW, 0)?;
    Segment::map(&file, system::size(&file)?)
}
