//! What an event has of an argument or a result.

use crate::preload::memory::readable::readable;
use crate::preload::record::described::Described;
use ring_buffer::RecordBuffer;

/// How a call has returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Returned {
    /// Its result.
    pub(crate) result: u64,
    /// Its error, or 0.
    pub(crate) error: i32,
}

impl Returned {
    /// Whether what the call was to read or to fill has been read, or is filled.
    pub(crate) fn has_succeeded(self) -> bool {
        self.error == 0
    }
}

/// What an event records of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue {
    /// It has no field there.
    Nothing,
    /// 4 bytes.
    Half(u32),
    /// 8 bytes.
    Word(u64),
    /// A string up to a zero byte, or so many bytes of it, all of which can be read; null when it can't be.
    Text(*const u8, u32),
    /// Text that says what so many things mean that lie there; null when they can't be read.
    Described(Described, *const u8, u32),
}

impl FieldValue {
    /// Appends it to a record. A string is appended otherwise, see [`fill`](super::fill).
    #[inline(always)]
    pub(crate) fn push<const N: usize>(self, record: &mut RecordBuffer<N>) {
        match self {
            FieldValue::Half(half) => record.push_half(half),
            FieldValue::Word(word) => record.push(word),
            FieldValue::Nothing | FieldValue::Text(..) | FieldValue::Described(..) => {}
        }
    }

    /// A string that ends with a zero byte, and can be read up to it.
    pub(crate) const fn text(text: *const u8) -> FieldValue {
        FieldValue::Text(text, u32::MAX)
    }

    /// A string of these bytes.
    pub(crate) const fn bytes(bytes: &[u8]) -> FieldValue {
        FieldValue::Text(bytes.as_ptr(), bytes.len() as u32)
    }

    /// A string that nobody has read, as far as it can be read for sure.
    pub(crate) fn readable_text(text: *const u8) -> FieldValue {
        /// The most bytes of a string that an event has.
        const MOST: usize = 256;
        match readable(text, MOST) {
            0 => FieldValue::text(core::ptr::null()),
            len => FieldValue::Text(text, len as u32),
        }
    }
}
