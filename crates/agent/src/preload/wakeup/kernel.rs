//! What the kernel says of descriptors, past libc: errno stays as it is.

use crate::preload::arch::system_call;
use crate::preload::signal::blocked::with_all_blocked;
use core::mem::MaybeUninit;
use rustix::path::DecInt;

/// A file that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStatus {
    /// Its type, of `S_IFMT`.
    pub(super) kind: u32,
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// Makes a call that changes nothing of the program's.
///
/// # Safety
///
/// What the arguments point to is there, and space for what the kernel stores.
pub(super) unsafe fn call<const COUNT: usize>(number: i64, arguments: [u64; COUNT]) -> Option<u64> {
    let mut words = [0; 6];
    words.iter_mut().zip(arguments).for_each(|(word, argument)| *word = argument);
    // SAFETY: the caller's promise.
    u64::try_from(unsafe { system_call::call(number, words) }).ok()
}

/// What has so many bytes, as an argument.
pub(super) fn address<T>(of: &mut T) -> u64 {
    core::ptr::from_mut(of).expose_provenance() as u64
}

/// An argument that is an int.
pub(super) fn int(number: i32) -> u64 {
    number as u32 as u64
}

/// What is open there.
pub(super) fn status(fd: i32) -> Option<FileStatus> {
    let mut found = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: there is space. Zeros are a value.
    let found = unsafe {
        call(libc::SYS_fstat, [int(fd), address(&mut found)])?;
        found.assume_init()
    };
    Some(FileStatus { kind: found.st_mode & libc::S_IFMT, device: found.st_dev, inode: found.st_ino })
}

/// How many of these are ready now; `None` if the kernel can't read them, and so nobody can.
///
/// # Safety
///
/// The kernel may store what it has found in them.
pub(super) unsafe fn ready_now(fds: *mut libc::pollfd, count: u64) -> Option<u64> {
    // SAFETY: the kernel looks whether it may read and write there; the caller's promise.
    unsafe { call(libc::SYS_poll, [fds.expose_provenance() as u64, count, 0]) }
}

/// Whether there is something to read there now. Not if that isn't known.
pub(super) fn is_readable(fd: i32) -> bool {
    let mut asked = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: it is there.
    unsafe { ready_now(&raw mut asked, 1) }.is_some_and(|ready| ready > 0)
}

/// What an ioctl(2) says that stores an int.
pub(super) fn asked(fd: i32, request: u64) -> Option<i32> {
    let mut found = 0;
    // SAFETY: there is space.
    unsafe { call(libc::SYS_ioctl, [int(fd), request, address(&mut found)]) }.map(|_| found)
}

/// Whether calls that would have to wait fail instead.
pub(super) fn never_waits(fd: i32) -> bool {
    // SAFETY: it stores nothing.
    let flags = unsafe { call(libc::SYS_fcntl, [int(fd), int(libc::F_GETFL)]) };
    flags.is_none_or(|flags| flags as i32 & libc::O_NONBLOCK != 0)
}

/// What a text in `/proc` says of one of the thread's descriptors: `/proc/thread-self/FOLDER/FD`.
pub(super) struct DescriptorPath([u8; 48]);

impl DescriptorPath {
    pub(super) fn new(folder: &[u8], fd: i32) -> DescriptorPath {
        let mut text = [0; 48];
        let digits = DecInt::new(fd);
        let parts = b"/proc/thread-self/".iter().chain(folder).chain(b"/").chain(digits.as_bytes());
        // With a zero byte at the end in any case.
        text.iter_mut().take(47).zip(parts).for_each(|(to, from)| *to = *from);
        DescriptorPath(text)
    }

    pub(super) fn argument(&mut self) -> u64 {
        address(&mut self.0)
    }
}

/// Whether it is an eventfd.
pub(super) fn is_eventfd(fd: i32) -> bool {
    const NAME: &[u8] = b"anon_inode:[eventfd]";
    let mut path = DescriptorPath::new(b"fd", fd);
    let mut name = [0_u8; 32];
    let arguments = [path.argument(), address(&mut name), name.len() as u64];
    // SAFETY: the path ends with a zero byte, and there is space.
    let len = unsafe { call(libc::SYS_readlink, arguments) };
    len.and_then(|len| name.get(..len as usize)) == Some(NAME)
}

/// Uses a descriptor of the agent's own that is open meanwhile: with all signals blocked, so that no handler
/// leaves it open by a jump.
pub(super) fn with_descriptor<T>(
    open: impl FnOnce() -> Option<u64>,
    using: impl FnOnce(u64) -> Option<T>,
) -> Option<T> {
    let use_it = || {
        let descriptor = open()?;
        let found = using(descriptor);
        // SAFETY: it is the agent's own.
        unsafe { call(libc::SYS_close, [descriptor]) };
        found
    };
    with_all_blocked(use_it)?
}
