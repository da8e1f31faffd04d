//! Following pointers, once a call has returned.
//!
//! # Safety
//!
//! Called when the call has returned, with its own argument words and its own result: what a call that has
//! succeeded has read or written can be read. Of others only what is sure to be there is read.

use super::value::{FieldValue, Returned};
use crate::preload::memory::readable::readable;
use crate::preload::record::described::Described;

/// The most bytes of an address of a socket.
const MOST_ADDRESS: usize = 128;

/// The most descriptors of an `fd_set`.
const MOST_IN_SET: i32 = 1024;

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
        return FieldValue::Described(Described::Socket, address, len);
    }
    match readable(address, MOST_ADDRESS.min(len as usize)) {
        0 => FieldValue::Described(Described::Socket, core::ptr::null(), len),
        readable => FieldValue::Described(Described::Socket, address, readable as u32),
    }
}

/// The call has reported the address's length but written only as much as the program had space for, and has
/// overwritten how much that was: none perhaps, and at any address.
pub(super) unsafe fn peer_address(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let address: *const u8 = pointer(words, index);
    if !returned.has_succeeded() || address.is_null() {
        return FieldValue::Described(Described::Socket, core::ptr::null(), 0);
    }
    // SAFETY: with an address there has to be a length, which the call has written.
    let len = unsafe { load::<u32>(pointer(words, index + 1)) }.unwrap_or(0) as usize;
    match readable(address, len.min(MOST_ADDRESS)) {
        0 => FieldValue::Described(Described::Socket, core::ptr::null(), 0),
        readable => FieldValue::Described(Described::Socket, address, readable as u32),
    }
}

/// What poll(2) has found ready, of as many descriptors as the next argument says.
pub(super) fn polled(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    // The kernel has looked at all, and said of each what it has found.
    let count = words.get(index + 1).map_or(0, |word| *word as u32);
    ready(Described::Polled, pointer(words, index), count, returned)
}

/// What select(2) has found ready. The kernel looks at no more descriptors than the process can have, however
/// large the first argument is.
pub(super) fn descriptor_set(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let set: *const u8 = pointer(words, index);
    let bits = words.first().map_or(0, |word| (*word as i32).clamp(0, MOST_IN_SET)) as u32;
    let there = readable(set, bits.div_ceil(8) as usize) as u32;
    let set = if there == 0 { core::ptr::null() } else { set };
    ready(Described::DescriptorSet, set, bits.min(there * 8), returned)
}

/// What epoll_wait(2) has found ready: as many as it says.
pub(super) fn epoll_events(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    ready(Described::EpollEvents, pointer(words, index), returned.result as u32, returned)
}

/// Nothing, unless the call has succeeded and found something.
fn ready(what: Described, address: *const u8, count: u32, returned: Returned) -> FieldValue {
    let is_any = returned.has_succeeded() && returned.result as i32 > 0;
    FieldValue::Described(what, if is_any { address } else { core::ptr::null() }, count)
}

/// An option of 4 bytes; 0 for others. A filter may have answered, who has filled nothing.
pub(super) fn option_value(words: &[u64], index: usize, returned: Returned) -> FieldValue {
    let len = if returned.has_succeeded() { as_readable(pointer::<u32>(words, index + 1)) } else { None };
    let value = len.filter(|len| *len == 4).and_then(|_| as_readable(pointer::<u32>(words, index)));
    FieldValue::Half(value.unwrap_or(0))
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
