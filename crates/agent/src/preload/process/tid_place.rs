//! Where the C library keeps a thread's TID, counted from the thread pointer.

use crate::preload::arch::thread_pointer::thread_pointer;
use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, symbols};
use crate::preload::process::origin;
#[cfg(feature = "static_program")]
use abi::go_thread::{GOROUTINE_BEFORE, THREAD_BEFORE, THREAD_OF_GOROUTINE};
use core::ptr::with_exposed_provenance_mut;

/// Where glibc keeps it, as it says to debuggers: by a table of three words.
pub(crate) fn published() -> Option<isize> {
    const NAME: SymbolName<'_> = SymbolName::new(b"_thread_db_pthread_tid\0");
    let table = symbols::find_object(NAME)? as *const [u32; 3];
    // SAFETY: glibc's constant: bits of the field, number of elements, offset in `struct pthread`, which
    // is where the thread pointer points.
    let [bits, elements, offset] = unsafe { table.read_unaligned() };
    (bits == 32 && elements == 1).then_some(offset as isize)
}

/// Where a library that doesn't publish it is known to keep it, if the calling thread, which is the first of
/// its process, has its own TID there.
pub(crate) fn usual() -> Option<isize> {
    if borrowed::is_glibc() { usual_of_glibc() } else { of_musl(origin::read()?.pid) }
}

/// Where it is in a static program, by the calling thread's: the library has no names there. musl has it
/// where the descriptor begins, next to errno; glibc where nothing else of the thread's has its value.
#[cfg(feature = "static_program")]
pub(crate) fn of_running() -> Option<isize> {
    const OF_MUSL: core::ops::Range<isize> = 32..96;
    let own = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    if crate::preload::object::static_program::is_of_go() {
        return of_go(own);
    }
    // SAFETY: the command has seen that the descriptor has more bytes than that.
    let is_own = |offset: &isize| unsafe { tid_at(*offset).read_volatile() } == own;
    let of_musl = OF_MUSL.step_by(size_of::<u32>()).find(is_own);
    crate::preload::object::static_program::has_glibc(of_musl.is_none());
    of_musl.or_else(|| Some(USUAL).filter(is_own))
}

/// Where Go's runtime has it: in the thread's `m`, as a word of eight bytes.
#[cfg(feature = "static_program")]
fn of_go(own: u32) -> Option<isize> {
    let word = |address: u64| with_exposed_provenance_mut::<u64>(address as usize);
    let pointer = thread_pointer() as u64;
    // SAFETY: the command has seen that a goroutine is there, which leads to its thread, and that to another.
    let start = unsafe {
        let goroutine = word(pointer - GOROUTINE_BEFORE).read_volatile();
        word(goroutine + THREAD_OF_GOROUTINE).read_volatile()
    };
    let is_near = start < pointer && pointer - start <= THREAD_BEFORE;
    let mut places = (start..pointer).step_by(size_of::<u64>()).filter(|_| is_near);
    // SAFETY: within the thread's `m`.
    let place = places.find(|place| unsafe { word(*place).read_volatile() } == u64::from(own))?;
    Some(place as isize - pointer as isize)
}

/// Where it is in a process that runs already, whichever thread asks. None where the library isn't known.
#[cfg(not(feature = "static_program"))]
pub(crate) fn of_running() -> Option<isize> {
    match borrowed::is_glibc() {
        true => published(),
        false if borrowed::is_known() => of_musl(rustix::thread::gettid().as_raw_nonzero().get() as u32),
        false => None,
    }
}

/// Where glibc has kept it since 2005.
const USUAL: isize = 720;

/// Where glibc has it. Before 2.34 it doesn't say so in a program that isn't linked with the
/// library of threads, and has it there only in a child that it has made: the first process of such a
/// program gets its own from us, as it does from that library when it is loaded.
fn usual_of_glibc() -> Option<isize> {
    let status = origin::read()?;
    // SAFETY: within the thread's descriptor, which is larger in all of them.
    let tid = unsafe { tid_at(USUAL).read_volatile() };
    if tid == 0 && status.has_no_filter {
        // SAFETY: within the thread's descriptor. Only functions that come with the library use the word.
        unsafe { tid_at(USUAL).write_volatile(rustix::process::getpid().as_raw_nonzero().get() as u32) };
        return Some(USUAL);
    }
    (status.pid == tid).then_some(USUAL)
}

/// Where musl keeps it: in the word before errno, in the thread's descriptor. None unless the calling
/// thread's is `own`.
fn of_musl(own: u32) -> Option<isize> {
    let offset = musl_errno_offset()? - size_of::<u32>() as isize;
    // SAFETY: within the thread's descriptor, as errno is, which the offset was counted from.
    let tid = unsafe { tid_at(offset).read_volatile() };
    (tid == own).then_some(offset)
}

/// How far after the thread pointer musl has errno, in the descriptor. None where that is not so.
fn musl_errno_offset() -> Option<isize> {
    /// The descriptor is larger in all versions.
    const LARGEST: usize = 128;
    // SAFETY: libc's word for the calling thread.
    let offset = unsafe { libc::__errno_location() }.addr().checked_sub(thread_pointer())?;
    (8..LARGEST).contains(&offset).then_some(offset as isize)
}

/// The word so many bytes after the thread pointer.
fn tid_at(offset: isize) -> *mut u32 {
    with_exposed_provenance_mut::<u32>(thread_pointer()).wrapping_byte_offset(offset)
}
