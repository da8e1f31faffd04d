//! Following pointers, once a call has returned.
//!
//! # Safety
//!
//! Called when the call has returned, with its own argument words and its own result: what a call that has
//! succeeded has read or written can be read. Of others only what is sure to be there is read.

use super::value::{FieldValue, Returned};
use crate::preload::memory::readable::readable;

/// The most bytes of an address of a socket.
const MOST_ADDRESS: usize = 128;

/// The pointer that the argument is.
fn pointer<T>(words: &[u64], index: usize) -> *const T {
    words.get(index).map_or(core::ptr::null(), |word| *word as usize as *const T)
}

/// Reads what a pointer points to, if it is not null.
unsafe fn load<T: Copy>(pointer: *const T) -> Option<T> {
    // SAFETY: the caller knows that the call has read or written it. It may be unaligned.
    (!pointer.is_null()).then(|| unsafe { pointer.read_unaligned() })
}

/// So much of an object as can be read for sure.
fn as_readable<T: Copy>(pointer: *const T) -> Option<T> {
    let is_there = readable(pointer.cast(), size_of::<T>()) == size_of::<T>();
    // SAFETY: it can be read.
    is_there.then(|| unsafe { pointer.read_unaligned() })
}

pub(super) unsafe fn text(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let text = pointer(words, index);
    if returned.has_succeeded() { FieldValue::text(text) } else { FieldValue::readable_text(text) }
}

pub(super) unsafe fn socket_address(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let len = words.get(index + 1).map_or(0, |word| *word as u32);
    let address = pointer(words, index);
    if returned.has_succeeded() {
        return FieldValue::Socket(address, len);
    }
    match readable(address, MOST_ADDRESS.min(len as usize)) {
        0 => FieldValue::Socket(core::ptr::null(), len),
        readable => FieldValue::Socket(address, readable as u32),
    }
}

/// The call has reported the address's length but written only as much as the program had space for, and has
/// overwritten how much that was: none perhaps, and at any address.
pub(super) unsafe fn peer_address(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let address: *const u8 = pointer(words, index);
    if !returned.has_succeeded() || address.is_null() {
        return FieldValue::Socket(core::ptr::null(), 0);
    }
    // SAFETY: with an address there has to be a length, which the call has written.
    let len = unsafe { load::<u32>(pointer(words, index + 1)) }.unwrap_or(0) as usize;
    match readable(address, len.min(MOST_ADDRESS)) {
        0 => FieldValue::Socket(core::ptr::null(), 0),
        readable => FieldValue::Socket(address, readable as u32),
    }
}

pub(super) unsafe fn pair(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let pair: *const u64 = pointer(words, index);
    // SAFETY: the call has written two descriptors there: 8 bytes.
    let filled = returned.has_succeeded().then(|| unsafe { load(pair) }).flatten();
    FieldValue::Word(filled.unwrap_or(u64::MAX))
}

pub(super) unsafe fn half(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let number: *const u32 = pointer(words, index);
    // SAFETY: the call has written a number there, unless it got null.
    let filled = returned.has_succeeded().then(|| unsafe { load(number) }).flatten();
    FieldValue::Half(filled.unwrap_or(0))
}

pub(super) unsafe fn word(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let word: *const u64 = pointer(words, index);
    // SAFETY: the call has read or written a word there, unless it got null.
    let filled = returned.has_succeeded().then(|| unsafe { load(word) }).flatten();
    FieldValue::Word(filled.unwrap_or(0))
}

pub(super) unsafe fn fleeting_word(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let word = pointer::<u64>(words, index);
    let filled = returned.has_succeeded().then(|| as_readable(word)).flatten();
    FieldValue::Word(filled.unwrap_or(0))
}

pub(super) unsafe fn status(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    if returned.result as i32 <= 0 {
        // No child has changed, so nothing was written.
        return FieldValue::Half(0);
    }
    // SAFETY: the caller's promise, handed on.
    unsafe { half(words, index, returned) }
}

pub(super) unsafe fn duration(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let time: *const [u64; 2] = pointer(words, index);
    let read = match returned.error {
        // SAFETY: the call has read the two numbers.
        0 => unsafe { load(time) },
        libc::EINTR => as_readable(time),
        _ => None,
    };
    let [seconds, nanoseconds] = read.unwrap_or([0; 2]);
    FieldValue::Word(seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds))
}
