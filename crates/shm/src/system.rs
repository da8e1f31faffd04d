//! The system calls that this crate makes.
//!
//! Directly, not by libc's functions: the library that traces these must not trace its own calls of them, and
//! errno stays what it was. Errors come back as values.

use crate::Errno;
use crate::PAGE;
use crate::arch::call;
use crate::status::{Stat, Status};
use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;

/// A descriptor that is closed when it is dropped.
#[derive(Debug)]
pub(crate) struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this one's own.
        let _ = unsafe { call(libc::SYS_close, [self.0 as usize, 0, 0, 0, 0, 0]) };
    }
}

/// open(2).
pub(crate) fn open(path: &CStr, flags: c_int, mode: u32) -> Result<Descriptor, Errno> {
    let flags = (flags | libc::O_CLOEXEC) as usize;
    let here = libc::AT_FDCWD as usize;
    // SAFETY: the path ends with a zero byte.
    let opened = unsafe {
        call(libc::SYS_openat, [here, path.as_ptr().expose_provenance(), flags, mode as usize, 0, 0])
    };
    opened.map(|descriptor| Descriptor(descriptor as c_int))
}

/// unlink(2).
pub(crate) fn unlink(path: &CStr) -> Result<(), Errno> {
    let here = libc::AT_FDCWD as usize;
    // SAFETY: the path ends with a zero byte.
    unsafe { call(libc::SYS_unlinkat, [here, path.as_ptr().expose_provenance(), 0, 0, 0, 0]) }.map(drop)
}

/// fallocate(2): memory for `len` bytes from `offset`.
pub(crate) fn reserve(file: &Descriptor, offset: u64, len: u64) -> Result<(), Errno> {
    loop {
        let arguments = [file.0 as usize, 0, offset as usize, len as usize, 0, 0];
        // SAFETY: no memory of this process is concerned.
        match unsafe { call(libc::SYS_fallocate, arguments) } {
            Err(Errno(libc::EINTR)) => {}
            result => return result.map(drop),
        }
    }
}

/// ftruncate(2): makes a file `len` bytes long.
pub(crate) fn set_size(file: &Descriptor, len: usize) -> Result<(), Errno> {
    // SAFETY: no memory of this process is concerned.
    unsafe { call(libc::SYS_ftruncate, [file.0 as usize, len, 0, 0, 0, 0]) }.map(drop)
}

/// fstat(2), by `stat`.
///
/// # Safety
///
/// `stat` has the contract of fstat(2).
pub(crate) unsafe fn status(file: &Descriptor, stat: Stat) -> Result<Status, Errno> {
    let mut found = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the caller's promise.
    if unsafe { stat(file.0, found.as_mut_ptr()) } != 0 {
        // Of a descriptor that is open there is nothing to go wrong.
        return Err(Errno(libc::EBADF));
    }
    // SAFETY: it was filled.
    let found = unsafe { found.assume_init() };
    let len = u64::try_from(found.st_size).unwrap_or(0);
    let (inode, owner, group) = (found.st_ino, found.st_uid, found.st_gid);
    Ok(Status { inode, len, owner, group, mode: found.st_mode })
}

/// read(2).
pub(crate) fn read(file: &Descriptor, into: &mut [u8]) -> Result<usize, Errno> {
    let place = into.as_mut_ptr().expose_provenance();
    // SAFETY: the kernel writes within the slice.
    unsafe { call(libc::SYS_read, [file.0 as usize, place, into.len(), 0, 0, 0]) }
}

/// mmap(2): `len` bytes from `offset`, shared, for reading and writing.
pub(crate) fn map(file: &Descriptor, offset: u64, len: usize) -> Result<*mut u8, Errno> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let arguments = [0, len, protection, libc::MAP_SHARED as usize, file.0 as usize, offset as usize];
    // SAFETY: the kernel chooses the address, so no other mapping is touched.
    unsafe { call(libc::SYS_mmap, arguments) }.map(core::ptr::with_exposed_provenance_mut)
}

/// mremap(2): another mapping of the file of which `page` is mapped, of `len` bytes from that page on. No
/// file has to be open for it, and it is locked in memory only where `page` is, whatever mlockall(2) has
/// said of new mappings.
///
/// # Safety
///
/// A page that was mapped by [`map`] starts at `page`.
pub(crate) unsafe fn duplicate(page: *mut u8, len: usize) -> Result<*mut u8, Errno> {
    const NOTHING_MOVES: usize = 0;
    let arguments = [page.expose_provenance(), NOTHING_MOVES, len, libc::MREMAP_MAYMOVE as usize, 0, 0];
    // SAFETY: the caller's promise: of a shared mapping, no bytes are moved.
    unsafe { call(libc::SYS_mremap, arguments) }.map(core::ptr::with_exposed_provenance_mut)
}

/// madvise(2): has a mapping left out of core dumps.
///
/// # Safety
///
/// The range was mapped by [`map`].
pub(crate) unsafe fn leave_out_of_dumps(base: *mut u8, len: usize) {
    // SAFETY: the caller's promise; the contents stay.
    let _ = unsafe { advise(base, len, libc::MADV_DONTDUMP) };
}

/// madvise(2): takes the memory of a mapping now. Kernels before 5.14 don't know how; then it comes page by
/// page.
///
/// # Safety
///
/// The range was mapped by [`map`].
pub(crate) unsafe fn populate(base: *mut u8, len: usize) {
    // SAFETY: the caller's promise; the contents stay.
    let _ = unsafe { advise(base, len, libc::MADV_POPULATE_WRITE) };
}

/// madvise(2): gives back the memory of a part of a mapped file.
///
/// # Safety
///
/// The range is part of one that was mapped by [`map`], and whoever uses it takes zeros for what was there.
pub(crate) unsafe fn remove(base: *mut u8, len: usize) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    unsafe { advise(base, len, libc::MADV_REMOVE) }
}

/// madvise(2).
///
/// # Safety
///
/// As for what is advised.
unsafe fn advise(base: *mut u8, len: usize, advice: c_int) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_madvise, [base.expose_provenance(), len, advice as usize, 0, 0, 0]) }.map(drop)
}

/// mmap(2): a page of zeros, this process's alone, in place of the one at `address`.
///
/// # Safety
///
/// Nobody has anything on that page.
pub(crate) unsafe fn put_zeros(address: *mut u8) -> Result<(), Errno> {
    let page = address.expose_provenance() & !(PAGE - 1);
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as usize;
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_mmap, [page, PAGE, protection, flags, usize::MAX, 0]) }.map(drop)
}

/// munmap(2).
///
/// # Safety
///
/// The range was mapped by [`map`] and nobody uses it any more.
pub(crate) unsafe fn unmap(base: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    let _ = unsafe { call(libc::SYS_munmap, [base.expose_provenance(), len, 0, 0, 0, 0]) };
}
