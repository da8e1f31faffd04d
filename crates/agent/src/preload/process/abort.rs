//! Programs that find an error in themselves: abort(3), assert(3), and std::terminate of C++.
//!
//! Which one it is is known here, before the signal arrives: the snapshot is taken here, and not once more
//! when the program has no handler for SIGABRT.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, before the call that they are named after, with its
//! arguments.

use crate::preload::memory::readable::readable;
use crate::preload::object::link_map;
use crate::preload::object::symbols;
use crate::preload::object::tables::SymbolName;
use crate::preload::signal::fatal;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use abi::control::ErrorSet;
use core::ffi::CStr;
use core::mem::transmute;
use core::ptr::with_exposed_provenance;
use core::slice::from_raw_parts;
use ring_buffer::{Reason, SnapshotCause, digits};
use trace_event::chooses_errors;

/// Takes a snapshot for an error after which the process aborts.
fn keep(kind: ErrorSet, cause: SnapshotCause, reason: Reason) {
    if chooses_errors(kind) {
        fatal::is_aborting();
        fatal::take_snapshot(kind, None, cause, reason);
    }
}

/// abort(3).
pub(crate) const ABORT: CallHooks = CallHooks { before: before_abort, after: |_| () };
/// The function that assert(3) calls.
pub(crate) const ASSERT: CallHooks = CallHooks { before: before_assert, after: |_| () };
/// The function that assert_perror(3) calls.
pub(crate) const ASSERT_ERROR: CallHooks = CallHooks { before: before_assert_error, after: |_| () };

/// What std::terminate counts as: it aborts, too.
const TERMINATES: ErrorSet = ErrorSet::TERMINATE.with(ErrorSet::ABORT);

unsafe fn before_abort(frame: &mut CallFrame) {
    if !chooses_errors(TERMINATES) || fatal::is_aborting_already() {
        return;
    }
    // SAFETY: the objects that are loaded stay so until the process has ended.
    if unsafe { is_of_cpp(frame.caller as usize) } {
        keep(TERMINATES, SnapshotCause::Terminate, Reason::of(&[exception_type()]));
    } else {
        keep(ErrorSet::ABORT, SnapshotCause::Abort, Reason::default());
    }
}

/// Whether an address is in the library of C++, whose only calls of abort(3) are those of std::terminate.
///
/// # Safety
///
/// As for [`link_map::objects`].
unsafe fn is_of_cpp(address: usize) -> bool {
    // SAFETY: the caller's promise.
    let objects = unsafe { link_map::objects() }.filter(|object| object.base <= address);
    let Some(object) = objects.max_by_key(|object| object.base).filter(|object| !object.name.is_null())
    else {
        return false;
    };
    // SAFETY: the dynamic linker's text.
    let path = unsafe { CStr::from_ptr(object.name) }.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    name.starts_with(b"libstdc++.so")
}

/// The name of the type of the exception that nobody has caught, as its linker has it.
fn exception_type() -> &'static [u8] {
    const NAME: SymbolName<'_> = SymbolName::new(b"__cxa_current_exception_type\0");
    /// The most bytes of a name.
    const MOST: usize = 80;
    type CurrentType = unsafe extern "C" fn() -> *const [*const u8; 2];
    let Some(found) = symbols::find(NAME) else { return &[] };
    // SAFETY: the function has this type: std::type_info is a table of functions, and then a name.
    let name = unsafe { transmute::<usize, CurrentType>(found)().as_ref() }.map(|[_, name]| *name);
    let Some(name) = name else { return &[] };
    // SAFETY: so much can be read, and the type of an exception stays.
    let text = unsafe { from_raw_parts(name, readable(name, MOST)) };
    // One that is compared by its address starts with a star.
    text.strip_prefix(b"*").unwrap_or(text)
}

unsafe fn before_assert(frame: &mut CallFrame) {
    let [assertion, file, line, ..] = frame.arguments;
    // SAFETY: libc is about to read the texts.
    let [assertion, file] = [assertion, file].map(|text| unsafe { text_at(text as usize) });
    failed(assertion, file, line as u32);
}

unsafe fn before_assert_error(frame: &mut CallFrame) {
    let [error, file, line, ..] = frame.arguments;
    // SAFETY: libc is about to read the text.
    failed(digits(error as u32 as u64, 10, &mut [0; 20]), unsafe { text_at(file as usize) }, line as u32);
}

/// The text at an address, up to its zero byte; none at 0.
///
/// # Safety
///
/// There is one.
pub(super) unsafe fn text_at(address: usize) -> &'static [u8] {
    match address {
        0 => &[],
        // SAFETY: the caller's promise.
        address => unsafe { CStr::from_ptr(with_exposed_provenance(address)) }.to_bytes(),
    }
}

/// Takes a snapshot for a failed assertion.
fn failed(assertion: &[u8], file: &[u8], line: u32) {
    let mut space = [0; 20];
    let line = digits(line.into(), 10, &mut space);
    let reason = Reason::of(&[file, b":", line, b": ", assertion]);
    keep(ErrorSet::ASSERT.with(ErrorSet::ABORT), SnapshotCause::Assertion, reason);
}
