//! Writing the agent's events.

pub(crate) mod argument;
pub(crate) mod described;
mod read;
mod ready;
mod sockaddr;
pub(crate) mod start;
pub(crate) mod system_call;
pub(crate) mod value;

use crate::preload::record::described::DescribedText;
use crate::preload::record::value::{FieldValue, Returned};
use core::ffi::c_char;
use events::FieldKind;
use events::argument::{CallResult, FailureSign};
use ring_buffer::{EncodedEvent, RecordBuffer};
use trace_event::{Entered, enter, is_enabled};

/// Words of the largest event of the agent: law 9 allows 256 bytes on the program's stack.
pub(crate) const WORDS: usize = 32;

/// Appends a field of an entry event.
#[inline(always)]
pub(crate) fn push<const N: usize>(record: &mut RecordBuffer<N>, kind: FieldKind, word: u64) {
    if kind.size() == 8 {
        record.push(word);
    } else {
        record.push_half(word as u32);
    }
}

/// How a call has ended.
#[inline(always)]
pub(crate) fn returned<T: CallResult>(word: u64) -> Returned {
    let is_wide = T::FIELD.is_some_and(|kind| kind.size() == 8);
    let is = |value: i32| if is_wide { word as i64 == i64::from(value) } else { word as i32 == value };
    let has_failed = match T::FAILURE {
        FailureSign::Never => false,
        FailureSign::MinusOne => is(-1),
        FailureSign::Zero => is(0),
        FailureSign::Resolver => is(libc::EAI_SYSTEM),
        FailureSign::Itself => return Returned { result: word, error: word as i32 },
    };
    // SAFETY: libc's word for the calling thread.
    let error = if has_failed { unsafe { *libc::__errno_location() } } else { 0 };
    Returned { result: word, error }
}

/// The result of a call as the first field of its exit event.
#[inline(always)]
pub(crate) fn result<T: CallResult>(word: u64) -> FieldValue {
    match T::FIELD {
        Some(kind) if kind.size() == 8 => FieldValue::Word(word),
        Some(_) => FieldValue::Half(word as u32),
        None => FieldValue::Nothing,
    }
}

/// Writes an event of these values, if it is on.
///
/// # Safety
///
/// What the values point to can be read.
#[inline(never)]
pub(crate) unsafe fn write(event: u16, values: &[FieldValue]) {
    if !is_enabled(event) {
        return;
    }
    if let Some(entered) = enter() {
        // SAFETY: the caller's promise.
        unsafe { write_as(entered, entered.common(event), values) }
    }
}

/// Writes an event of these values with these common fields, whether it is enabled or not.
///
/// # Safety
///
/// As for [`write`].
pub(crate) unsafe fn write_as(entered: Entered, common: u64, values: &[FieldValue]) {
    let mut record = RecordBuffer::new();
    // SAFETY: the caller's promise.
    entered.write(unsafe { fill(&mut record, common, values) });
}

/// Makes a record of values.
///
/// # Safety
///
/// As for [`write`].
pub(crate) unsafe fn fill<'a>(
    record: &'a mut RecordBuffer<WORDS>,
    common: u64,
    values: &[FieldValue],
) -> EncodedEvent<'a> {
    record.push(common);
    let mut texts = EventStrings::new(values);
    for value in values {
        match *value {
            FieldValue::Text(..) | FieldValue::Described(..) => {
                // SAFETY: the caller's promise.
                record.push_half(unsafe { texts.place(value) });
            }
            value => value.push(record),
        }
    }
    for value in values {
        // SAFETY: the caller's promise.
        unsafe { texts.push(value, record) };
    }
    record.event()
}

/// The most texts of an event.
const MOST_TEXTS: usize = 4;

/// Where the texts of an event go: after its fixed fields, each at a multiple of 8. Each has its share of the
/// space that those before it have left.
struct EventStrings {
    next: usize,
    /// How many there are, have their place, and are in the record.
    count: usize,
    placed: usize,
    pushed: usize,
    /// Of those that have their place, the space and the length, without the zero bytes after them.
    lens: [(usize, usize); MOST_TEXTS],
    described: DescribedText,
}

impl EventStrings {
    fn new(values: &[FieldValue]) -> EventStrings {
        let (mut len, mut count) = (abi::common::SIZE, 0);
        for value in values {
            match value {
                FieldValue::Nothing => {}
                FieldValue::Half(_) => len += 4,
                FieldValue::Word(_) => len = len.next_multiple_of(8) + 8,
                FieldValue::Text(..) | FieldValue::Described(..) => {
                    len += 4;
                    count += 1;
                }
            }
        }
        let (next, described) = (len.next_multiple_of(8), DescribedText::new());
        EventStrings { next, count, placed: 0, pushed: 0, lens: [(0, 0); MOST_TEXTS], described }
    }

    /// Bytes of a text of which there is space for so many.
    ///
    /// # Safety
    ///
    /// The text can be read up to its zero byte.
    unsafe fn len(&mut self, value: &FieldValue, most: usize) -> usize {
        unsafe extern "C" {
            fn strnlen(text: *const c_char, most: usize) -> usize;
        }
        match *value {
            FieldValue::Text(text, _) if text.is_null() => 0,
            // SAFETY: the caller's promise.
            FieldValue::Text(text, readable) => unsafe { strnlen(text.cast(), most.min(readable as usize)) },
            // SAFETY: the caller's promise.
            FieldValue::Described(what, address, count) => unsafe {
                self.described.describe(what, address, count, most)
            },
            _ => 0,
        }
    }

    /// The word that says where a text is: its length with the zero byte, its offset.
    ///
    /// # Safety
    ///
    /// As for [`EventStrings::len`].
    unsafe fn place(&mut self, value: &FieldValue) -> u32 {
        let left = (WORDS * 8).saturating_sub(self.next);
        let share = left.checked_div(self.count.saturating_sub(self.placed)).unwrap_or(0) & !7;
        let most = share.saturating_sub(1);
        // SAFETY: the caller's promise.
        let mut len = unsafe { self.len(value, most) };
        match self.lens.get_mut(self.placed) {
            Some(kept) => *kept = (most, len),
            None => len = 0,
        }
        self.placed += 1;
        let at = self.next;
        self.next += (len + 1).next_multiple_of(8);
        (len as u32 + 1) << 16 | at as u32
    }

    /// Appends a text, with the length for which it has its place. Another thread may have changed it since.
    ///
    /// # Safety
    ///
    /// As for [`EventStrings::len`].
    unsafe fn push(&mut self, value: &FieldValue, record: &mut RecordBuffer<WORDS>) {
        let (most, len) = self.lens.get(self.pushed).copied().unwrap_or_default();
        let text = match *value {
            FieldValue::Text(text, _) => text,
            FieldValue::Described(..) => {
                // SAFETY: the caller's promise.
                unsafe { self.len(value, most) };
                self.described.as_ptr()
            }
            _ => return,
        };
        self.pushed += 1;
        // SAFETY: the caller's promise: so many bytes were there a moment ago; of a description there are as
        // many as it can have.
        unsafe { record.push_text(text, len) };
    }
}
