//! Following pointers, once a call has returned.
//!
//! # Safety
//!
//! Called when the call has returned, with its own argument words and its own result: what those show to be
//! readable is read.

use super::{Returned, Value};

/// The pointer that the argument is.
fn pointer<T>(words: &[u64], index: usize) -> *const T {
    words.get(index).map_or(core::ptr::null(), |word| *word as usize as *const T)
}

/// Reads what a pointer points to, if it is not null.
unsafe fn load<T: Copy>(pointer: *const T) -> Option<T> {
    // SAFETY: the caller knows that the call has read or written it. It may be unaligned.
    (!pointer.is_null()).then(|| unsafe { pointer.read_unaligned() })
}

pub(super) unsafe fn text(words: &[u64], index: usize, returned: Returned) -> Value {
    let text = pointer(words, index);
    Value::Text(if returned.has_read() { text } else { core::ptr::null() })
}

pub(super) unsafe fn second_text(words: &[u64], index: usize, returned: Returned) -> Value {
    let text = pointer(words, index);
    Value::Text(if returned.has_read_both() { text } else { core::ptr::null() })
}

pub(super) unsafe fn socket_address(words: &[u64], index: usize, returned: Returned) -> Value {
    let len = words.get(index + 1).map_or(0, |word| *word as u32);
    let address = pointer(words, index);
    Value::Socket(if returned.has_read_address() { address } else { core::ptr::null() }, len)
}

pub(super) unsafe fn peer_address(words: &[u64], index: usize, returned: Returned) -> Value {
    let address: *const u8 = pointer(words, index);
    if !returned.has_filled() || address.is_null() {
        return Value::Socket(core::ptr::null(), 0);
    }
    // SAFETY: with an address there has to be a length, and the call has written both.
    let len = unsafe { load::<u32>(pointer(words, index + 1)) }.unwrap_or(0);
    Value::Socket(address, len.min(rest_of_page(address)))
}

/// Bytes from `address` to the end of its page. The call has told the address's length but written only as
/// much as the program had room for, and has overwritten how much that was: behind its page there may be
/// nothing.
fn rest_of_page(address: *const u8) -> u32 {
    const PAGE: usize = 4096;
    (PAGE - address.addr() % PAGE) as u32
}

pub(super) unsafe fn pair(words: &[u64], index: usize, returned: Returned) -> Value {
    let pair: *const u64 = pointer(words, index);
    // SAFETY: the call has written two descriptors there: 8 bytes.
    let filled = returned.has_filled().then(|| unsafe { load(pair) }).flatten();
    Value::Word(filled.unwrap_or(u64::MAX))
}

pub(super) unsafe fn half(words: &[u64], index: usize, returned: Returned) -> Value {
    let number: *const u32 = pointer(words, index);
    // SAFETY: the call has written a number there, unless it got null.
    let filled = returned.has_filled().then(|| unsafe { load(number) }).flatten();
    Value::Half(filled.unwrap_or(0))
}

pub(super) unsafe fn word(words: &[u64], index: usize, returned: Returned) -> Value {
    let word: *const u64 = pointer(words, index);
    // SAFETY: the call has read or written a word there, unless it got null.
    let filled = returned.has_filled().then(|| unsafe { load(word) }).flatten();
    Value::Word(filled.unwrap_or(0))
}

pub(super) unsafe fn status(words: &[u64], index: usize, returned: Returned) -> Value {
    if returned.result as i32 <= 0 {
        // No child has changed, so nothing was written.
        return Value::Half(0);
    }
    // SAFETY: the caller's promise, handed on.
    unsafe { half(words, index, returned) }
}

pub(super) unsafe fn duration(words: &[u64], index: usize, returned: Returned) -> Value {
    let time: *const [u64; 2] = pointer(words, index);
    let has_read = returned.has_filled() || returned.error == libc::EINTR;
    // SAFETY: the call has read the two numbers.
    let time = has_read.then(|| unsafe { load(time) }).flatten().unwrap_or([0; 2]);
    let [seconds, nanoseconds] = time;
    Value::Word(seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds))
}
