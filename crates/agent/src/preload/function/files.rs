//! Files that are mapped to be read: those of objects, and of their symbols.

use crate::preload::arch::mapped_apart::map_apart;
use crate::preload::arch::system_call;
use crate::preload::signal::blocked::with_all_blocked;
use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr::with_exposed_provenance;
use probe::FileIdentity;

/// A file's bytes. Once the program runs (`is_late`) it must not see a descriptor that isn't its own, so a
/// child has that.
pub(super) fn map(path: &CStr, is_late: bool) -> Option<&'static [u8]> {
    if is_late { apart(path) } else { open(path) }
}

/// Has a child map it that shares this process's memory, and not its descriptors.
fn apart(path: &CStr) -> Option<&'static [u8]> {
    let mut found = [0; 2];
    // SAFETY: signals are blocked while the child runs, which keeps to its registers, and as before then.
    with_all_blocked(|| unsafe { map_apart(path.as_ptr(), &mut found) })?;
    let [start, len] = found;
    // SAFETY: mapped just now, and it stays.
    (len != 0).then(|| unsafe {
        core::slice::from_raw_parts(with_exposed_provenance(start as usize), len as usize)
    })
}

/// Opens it, which the program doesn't see before it runs.
fn open(path: &CStr) -> Option<&'static [u8]> {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as u64;
    // SAFETY: the path ends with a zero byte.
    let file = unsafe { system_call::call(libc::SYS_open, [path.as_ptr().addr() as u64, flags, 0, 0, 0, 0]) };
    let file = u64::try_from(file).ok()?;
    // SAFETY: a file that is nobody else's is moved in, mapped where the kernel likes, and closed.
    let (len, start) = unsafe {
        let len = system_call::call(libc::SYS_lseek, [file, 0, libc::SEEK_END as u64, 0, 0, 0]);
        let [protection, flags] = [libc::PROT_READ as u64, libc::MAP_PRIVATE as u64];
        let start = system_call::call(libc::SYS_mmap, [0, len as u64, protection, flags, file, 0]);
        system_call::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        (len, start)
    };
    let (len, start) = (usize::try_from(len).ok()?, usize::try_from(start).ok()?);
    // SAFETY: mapped just now, and it stays.
    Some(unsafe { core::slice::from_raw_parts(with_exposed_provenance(start), len) })
}

/// What the file at a path is known by, that has this build id, or an empty one.
pub(super) fn identity(build_id: &[u8], path: &CStr) -> FileIdentity {
    let mut id = [0; 20];
    id.iter_mut().zip(build_id).for_each(|(to, from)| *to = *from);
    if !build_id.is_empty() {
        return FileIdentity::BuildId(id);
    }
    let mut status = MaybeUninit::<libc::stat>::zeroed();
    let arguments = [path.as_ptr().addr() as u64, status.as_mut_ptr().expose_provenance() as u64, 0, 0, 0, 0];
    // SAFETY: the path ends with a zero byte; what is stored has space. Zeros are a value.
    let status = unsafe {
        system_call::call(libc::SYS_stat, arguments);
        status.assume_init()
    };
    FileIdentity::Inode { device: status.st_dev, inode: status.st_ino }
}

/// Unmaps it again.
pub(super) fn unmap(bytes: &'static [u8]) {
    // SAFETY: mapped by `map`, and nobody has it any more.
    let _ = unsafe { rustix::mm::munmap(bytes.as_ptr().cast_mut().cast(), bytes.len()) };
}

/// The longest path of a link that is followed.
pub(super) const LONGEST: usize = 1024;

/// Where a link leads. None for a file that is none.
pub(super) fn read_link<'a>(path: &CStr, into: &'a mut [u8; LONGEST]) -> Option<&'a [u8]> {
    let arguments =
        [path.as_ptr().addr() as u64, into.as_mut_ptr().expose_provenance() as u64, LONGEST as u64, 0, 0, 0];
    // SAFETY: the path ends with a zero byte; no more bytes are stored than there is space for.
    let length = unsafe { system_call::call(libc::SYS_readlink, arguments) };
    let length = usize::try_from(length).ok().filter(|length| *length < LONGEST)?;
    into.get(..length)
}
