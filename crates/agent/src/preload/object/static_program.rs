//! What others learn from the dynamic linker and the C library, in a static program: it has neither as an
//! object of its own, and perhaps no names of their functions.
//!
//! # Safety
//!
//! The command has mapped this object and filled its [`StaticProgram`] before anything here runs; nobody
//! stores there later.

use crate::preload::arch::system_call;
use crate::preload::object::elf::{LoadedObject, base_of_program};
use crate::preload::object::tables::{SymbolKind, SymbolName, SymbolTables};
use abi::static_program::StaticProgram;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::ptr::{null_mut, with_exposed_provenance};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;
use libc::{clockid_t, dl_phdr_info, stat, timespec};

/// What is filled from outside.
#[repr(transparent)]
struct Filled(UnsafeCell<StaticProgram>);

// SAFETY: nobody stores there while this object's code runs.
unsafe impl Sync for Filled {}

#[used]
#[unsafe(export_name = "lookback_static_program")]
static PROGRAM: Filled = Filled(UnsafeCell::new(StaticProgram::new()));

/// What the kernel has passed to the process as `kind`; 0 where it hasn't. Async-signal-safe.
pub(crate) fn auxiliary(kind: u64) -> u64 {
    // SAFETY: filled before.
    unsafe { &*PROGRAM.0.get() }.auxiliary(kind)
}

/// Whether the program is one of Go, without a C library.
pub(crate) fn is_of_go() -> bool {
    // SAFETY: filled before.
    unsafe { &*PROGRAM.0.get() }.is_of_go != 0
}

/// What stands in for a function of the C library, by its name with a zero byte at its end: those without
/// which nothing is recorded.
pub(crate) fn find(name: &[u8]) -> Option<usize> {
    match name {
        b"clock_gettime\0" => Some(clock_gettime()),
        b"fstat\0" => Some(file_status as *const () as usize),
        b"dl_iterate_phdr\0" => Some(iterate as *const () as usize),
        _ => None,
    }
}

/// Whom dl_iterate_phdr(3) calls.
type Callback = unsafe extern "C" fn(*mut dl_phdr_info, usize, *mut c_void) -> c_int;

/// dl_iterate_phdr(3): there is one object, the program.
///
/// # Safety
///
/// As for dl_iterate_phdr(3).
unsafe extern "C" fn iterate(callback: Callback, argument: *mut c_void) -> c_int {
    let (headers, count) = (auxiliary(libc::AT_PHDR) as usize, auxiliary(libc::AT_PHNUM) as usize);
    if headers == 0 {
        return 0;
    }
    // SAFETY: the kernel says where the program's headers are; they stay mapped with it.
    let headers = unsafe { core::slice::from_raw_parts(with_exposed_provenance(headers), count) };
    let mut info = dl_phdr_info {
        dlpi_addr: base_of_program(headers),
        dlpi_name: c"".as_ptr(),
        dlpi_phdr: headers.as_ptr(),
        dlpi_phnum: count as u16,
        dlpi_adds: 1,
        dlpi_subs: 0,
        dlpi_tls_modid: 0,
        dlpi_tls_data: null_mut(),
    };
    // SAFETY: the caller's promise.
    unsafe { callback(&mut info, size_of::<dl_phdr_info>(), argument) }
}

/// Whether it has glibc in it, and not musl: as its threads' descriptors show.
static IS_GLIBC: AtomicBool = AtomicBool::new(false);

/// Whether it has glibc in it. Known from when the process is being attached.
pub(crate) fn is_glibc() -> bool {
    IS_GLIBC.load(Relaxed)
}

/// Says which of them it has.
pub(crate) fn has_glibc(has: bool) {
    IS_GLIBC.store(has, Relaxed);
}

/// Where clock_gettime(2) is: the kernel's own, for programs, or one that asks it.
fn clock_gettime() -> usize {
    const NAME: SymbolName<'_> = SymbolName::new(b"__vdso_clock_gettime\0");
    let start = auxiliary(libc::AT_SYSINFO_EHDR) as usize;
    let of_kernel = || {
        // SAFETY: the kernel has mapped it there, for good.
        unsafe {
            let dynamic = LoadedObject::at(start).dynamic()?;
            SymbolTables::of(start, dynamic)?.find(NAME, SymbolKind::Function)
        }
    };
    let found = if start == 0 { None } else { of_kernel() };
    found.unwrap_or(ask_clock as *const () as usize)
}

/// # Safety
///
/// As for clock_gettime(2).
unsafe extern "C" fn ask_clock(clock: clockid_t, time: *mut timespec) -> c_int {
    let arguments = [clock as u64, time.expose_provenance() as u64, 0, 0, 0, 0];
    // SAFETY: the caller's promise.
    unsafe { system_call::call(libc::SYS_clock_gettime, arguments) as c_int }
}

/// fstat(2).
///
/// # Safety
///
/// As for fstat(2).
unsafe extern "C" fn file_status(descriptor: c_int, status: *mut stat) -> c_int {
    let arguments = [descriptor as u64, status.expose_provenance() as u64, 0, 0, 0, 0];
    // SAFETY: the caller's promise.
    let result = unsafe { system_call::call(libc::SYS_fstat, arguments) };
    if result < 0 { -1 } else { 0 }
}
