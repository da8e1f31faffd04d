//! The system calls that this crate makes.
//!
//! By libc's `syscall` alone: the library that traces libc's functions must not trace its own calls of them.
//! Errors come back as values, but `syscall` leaves them in errno, too.

use crate::Errno;
use core::ffi::{CStr, c_int, c_void};

/// A descriptor that is closed when it is dropped.
#[derive(Debug)]
pub(crate) struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this one's own.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

/// open(2).
pub(crate) fn open(path: &CStr, flags: c_int, mode: u32) -> Result<Descriptor, Errno> {
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero byte.
    let result = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, mode) };
    check(result).map(|descriptor| Descriptor(descriptor as c_int))
}

/// unlink(2).
pub(crate) fn unlink(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends with a zero byte.
    check(unsafe { libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, path.as_ptr(), 0) }).map(drop)
}

/// fallocate(2): memory for `len` bytes from `offset`.
pub(crate) fn reserve(file: &Descriptor, offset: u64, len: u64) -> Result<(), Errno> {
    loop {
        // SAFETY: no memory of this process is concerned.
        let result = unsafe { libc::syscall(libc::SYS_fallocate, file.0, 0, offset, len) };
        match check(result) {
            Err(error) if error == Errno(libc::EINTR) => {}
            result => return result.map(drop),
        }
    }
}

/// ftruncate(2): makes a file `len` bytes long.
pub(crate) fn set_size(file: &Descriptor, len: usize) -> Result<(), Errno> {
    // SAFETY: no memory of this process is concerned.
    check(unsafe { libc::syscall(libc::SYS_ftruncate, file.0, len) }).map(drop)
}

/// Bytes of a file.
pub(crate) fn size(file: &Descriptor) -> Result<usize, Errno> {
    // SAFETY: no memory of this process is concerned.
    check(unsafe { libc::syscall(libc::SYS_lseek, file.0, 0, libc::SEEK_END) })
}

/// mmap(2): the first `len` bytes, shared, for reading and writing, left out of core dumps.
pub(crate) fn map(file: &Descriptor, len: usize) -> Result<*mut u8, Errno> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let address = core::ptr::null_mut::<c_void>();
    // SAFETY: the kernel chooses the address, so no other mapping is touched; the advice changes no
    // contents.
    unsafe {
        let shared = libc::MAP_SHARED;
        let result = libc::syscall(libc::SYS_mmap, address, len, protection, shared, file.0, 0usize);
        let base = check(result)?;
        libc::syscall(libc::SYS_madvise, base, len, libc::MADV_DONTDUMP);
        Ok(base as *mut u8)
    }
}

/// madvise(2): takes the memory of a mapping now. Kernels before 5.14 don't know how; then it comes page by
/// page.
///
/// # Safety
///
/// The range was mapped by [`map`].
pub(crate) unsafe fn populate(base: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_madvise, base, len, libc::MADV_POPULATE_WRITE) };
}

/// madvise(2): gives back the memory of a part of a mapped file.
///
/// # Safety
///
/// The range is part of one that was mapped by [`map`], and whoever uses it takes zeros for what was there.
pub(crate) unsafe fn remove(base: *mut u8, len: usize) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    check(unsafe { libc::syscall(libc::SYS_madvise, base, len, libc::MADV_REMOVE) }).map(drop)
}

/// munmap(2).
///
/// # Safety
///
/// The range was mapped by [`map`] and nobody uses it any more.
pub(crate) unsafe fn unmap(base: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_munmap, base, len) };
}

fn check(result: i64) -> Result<usize, Errno> {
    if result == -1 {
        // SAFETY: libc's word for the calling thread.
        return Err(Errno(unsafe { *libc::__errno_location() }));
    }
    Ok(result as usize)
}
