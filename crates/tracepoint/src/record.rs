//! An event on its way to the recorder.

use crate::FieldType;
use abi::common;
use abi::site::{Payload, WORDS};
use core::mem::MaybeUninit;

/// Bytes of an event.
const BYTES: usize = WORDS * 8;

/// An event that is being built, on the stack. Fields are appended in order, first the fixed part of all,
/// then what lies after it; what does not fit is cut off.
///
/// Words are built in registers: bytes that went through memory in other sizes would make the recorder's
/// loads wait for them.
#[derive(Debug)]
pub struct EventBuilder {
    payload: MaybeUninit<Payload>,
    len: usize,
    /// The word that `len` is in, as far as it is filled.
    word: u64,
    /// Where the next text or slice goes.
    next: usize,
    /// Bytes that each of them can have.
    share: usize,
}

/// Where the texts and slices of an event go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordLayout {
    start: usize,
    share: usize,
}

impl RecordLayout {
    /// The layout of an event with fields of these kinds.
    pub const fn of(kinds: &[FieldType]) -> RecordLayout {
        let (mut end, mut dynamic, mut at) = (common::SIZE, 0, 0);
        while at < kinds.len() {
            end = kinds[at].end(end);
            dynamic += kinds[at].is_dynamic() as usize;
            at += 1;
        }
        let start = end.next_multiple_of(8);
        // A text takes a zero byte at least, in a word of its own.
        assert!(start + 8 * dynamic <= BYTES, "the fields are too large: an event has 256 bytes");
        let share = (BYTES - start) / if dynamic > 0 { dynamic } else { 1 };
        RecordLayout { start, share: share & !7 }
    }
}

impl EventBuilder {
    /// An event without fields yet.
    #[inline(always)]
    pub const fn new(layout: RecordLayout) -> EventBuilder {
        let RecordLayout { start, share } = layout;
        EventBuilder { payload: MaybeUninit::uninit(), len: common::SIZE, word: 0, next: start, share }
    }

    #[inline(always)]
    fn store(&mut self, index: usize, word: u64) {
        if index < WORDS {
            let words = (&raw mut self.payload).cast::<Payload>();
            // SAFETY: within the payload, which is ours.
            unsafe { (&raw mut (*words).words[index]).write(word) };
        }
    }

    /// Appends a number of `SIZE` bytes to the fixed part.
    #[inline(always)]
    pub fn push<const SIZE: usize>(&mut self, value: u64) {
        const { assert!(SIZE == 1 || SIZE == 2 || SIZE == 4 || SIZE == 8) };
        let at = self.len.next_multiple_of(SIZE);
        let value = value & (u64::MAX >> (64 - 8 * SIZE));
        self.word = if at.is_multiple_of(8) { value } else { self.word | value << (8 * (at % 8)) };
        self.store(at / 8, self.word);
        self.len = at + SIZE;
    }

    /// How many bytes of `len` a text or slice can have, if they are a multiple of `size`.
    #[inline(always)]
    pub(crate) fn space_for(&self, len: usize, size: usize) -> usize {
        if len <= self.share { len } else { self.share / size * size }
    }

    /// Appends to the fixed part where `len` bytes will be.
    #[inline(always)]
    pub(crate) fn place(&mut self, len: usize) {
        self.push::<4>((len as u64) << 16 | self.next as u64);
        self.next += len.next_multiple_of(8);
    }

    /// Appends bytes after the fixed part, which start at a word of their own.
    #[inline(always)]
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let start = self.len.next_multiple_of(8);
        let (whole, rest) = bytes.as_chunks::<8>();
        for (index, word) in whole.iter().enumerate() {
            self.store(start / 8 + index, u64::from_le_bytes(*word));
        }
        let last = match bytes.last_chunk::<8>() {
            _ if rest.is_empty() => None,
            // One load that ends where the bytes end, shifted to where the rest starts.
            Some(last) => Some(u64::from_le_bytes(*last) >> (64 - 8 * rest.len())),
            None => Some(rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))),
        };
        if let Some(word) = last {
            self.store(start / 8 + whole.len(), word);
        }
        self.len = start + bytes.len();
    }

    /// Appends text after the fixed part, with a zero byte.
    #[inline(always)]
    pub(crate) fn append_text(&mut self, text: &[u8]) {
        self.append(text);
        if self.len.is_multiple_of(8) {
            self.store(self.len / 8, 0);
        }
        self.len += 1;
    }

    /// The payload and its bytes.
    #[inline(always)]
    pub(crate) fn finish(&mut self) -> (*mut Payload, usize) {
        (self.payload.as_mut_ptr(), if self.len < BYTES { self.len } else { BYTES })
    }

    /// The payload's words but the first, which is the recorder's.
    #[cfg(test)]
    pub(crate) fn words(&mut self) -> std::vec::Vec<u64> {
        let (payload, len) = self.finish();
        // SAFETY: so many were stored.
        (1..len.div_ceil(8)).map(|index| unsafe { (*payload).words[index] }).collect()
    }
}
