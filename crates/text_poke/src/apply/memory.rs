//! SiteCode as words of memory.
//!
//! Orderings: each step is followed by [`super::threads::synchronize`] before the next, which is stronger
//! than any; instruction fetch knows no other. Within a step the order of stores doesn't matter: T3.

use crate::site_code::SiteCode;
use crate::word::{WORD, WordChange};
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// The word at `address`, a multiple of eight.
///
/// # Safety
///
/// It is mapped, can be read, and written where that is done, as long as the result is used.
unsafe fn word<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: the caller's promise. Who else changes code does so by single stores, too, or by the kernel.
    unsafe { AtomicU64::from_ptr(with_exposed_provenance_mut(address as usize)) }
}

/// The `len` bytes at `address`, no more than a [`SiteCode`] has.
///
/// # Safety
///
/// They are mapped and can be read.
pub(super) unsafe fn read(address: u64, len: usize) -> SiteCode {
    let mut code = SiteCode::EMPTY;
    let mut at = address;
    let end = address.wrapping_add(len as u64);
    while at < end {
        let in_word = (WORD - at % WORD).min(end - at);
        // SAFETY: a word with such a byte lies in the same page.
        let value = unsafe { word(at - at % WORD) }.load(Relaxed);
        let bytes = (value >> (8 * (at % WORD))).to_le_bytes();
        code = code.with(bytes.get(..in_word as usize).unwrap_or_default());
        at += in_word;
    }
    code
}

/// Stores a change: one store, which comes about only if the site's bytes are what they should be (T1, T6).
/// Whether they were. Bytes of the word that are not the site's stay as they are, whoever changes them.
///
/// # Safety
///
/// The word is mapped and can be written.
pub(super) unsafe fn store(change: WordChange) -> bool {
    // SAFETY: the caller's promise.
    let word = unsafe { word(change.address) };
    let next = |now: u64| (now & change.mask == change.from).then_some(now & !change.mask | change.to);
    word.fetch_update(SeqCst, Relaxed, next).is_ok()
}
