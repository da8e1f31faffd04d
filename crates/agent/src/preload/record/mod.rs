//! Writing the agent's events.

pub(crate) mod argument;
mod read;
mod sockaddr;
pub(crate) mod value;

use crate::preload::record::sockaddr::SocketText;
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
            FieldValue::Nothing => {}
            FieldValue::Half(half) => record.push_half(half),
            FieldValue::Word(word) => record.push(word),
            // SAFETY: the caller's promise.
            FieldValue::Text(..) | FieldValue::Socket(..) => record.push_half(unsafe { texts.place(value) }),
        }
    }
    for value in values {
        // SAFETY: the caller's promise.
        unsafe { texts.push(value, record) };
    }
    record.event()
}

/// Where the texts of an event go: after its fixed fields, each at a multiple of 8, each with its share of
/// the space.
struct EventStrings {
    next: usize,
    share: usize,
    socket: SocketText,
}

impl EventStrings {
    fn new(values: &[FieldValue]) -> EventStrings {
        let (mut len, mut texts) = (abi::common::SIZE, 0);
        for value in values {
            match value {
                FieldValue::Nothing => {}
                FieldValue::Half(_) => len += 4,
                FieldValue::Word(_) => len = len.next_multiple_of(8) + 8,
                FieldValue::Text(..) | FieldValue::Socket(..) => {
                    len += 4;
                    texts += 1;
                }
            }
        }
        let start = len.next_multiple_of(8);
        let share = (WORDS * 8 - start).checked_div(texts).unwrap_or(0) & !7;
        EventStrings { next: start, share, socket: SocketText::new() }
    }

    /// Bytes of a text, without the zero byte after it.
    ///
    /// # Safety
    ///
    /// The text can be read up to its zero byte.
    unsafe fn len(&mut self, value: &FieldValue) -> usize {
        unsafe extern "C" {
            fn strnlen(text: *const c_char, most: usize) -> usize;
        }
        let most = self.share.saturating_sub(1);
        match *value {
            FieldValue::Text(text, _) if text.is_null() => 0,
            // SAFETY: the caller's promise.
            FieldValue::Text(text, readable) => unsafe { strnlen(text.cast(), most.min(readable as usize)) },
            FieldValue::Socket(address, len) => {
                // SAFETY: the caller's promise.
                let text = unsafe { self.socket.describe(address, len) };
                text.len().min(most)
            }
            _ => 0,
        }
    }

    /// The word that says where a text is: its length with the zero byte, its offset.
    ///
    /// # Safety
    ///
    /// As for [`EventStrings::len`].
    unsafe fn place(&mut self, value: &FieldValue) -> u32 {
        // SAFETY: the caller's promise.
        let len = unsafe { self.len(value) } + 1;
        let at = self.next;
        self.next += len.next_multiple_of(8);
        (len as u32) << 16 | at as u32
    }

    /// Appends a text. It can have become shorter since it was placed, by another thread; what is missing
    /// is zeros.
    ///
    /// # Safety
    ///
    /// As for [`EventStrings::len`].
    unsafe fn push(&mut self, value: &FieldValue, record: &mut RecordBuffer<WORDS>) {
        if !matches!(value, FieldValue::Text(..) | FieldValue::Socket(..)) {
            return;
        }
        // SAFETY: the caller's promise.
        let len = unsafe { self.len(value) };
        let text = if let FieldValue::Text(text, _) = *value { text } else { self.socket.as_ptr() };
        // SAFETY: the caller's promise: so many bytes were there a moment ago.
        unsafe { record.push_text(text, len) };
    }
}
