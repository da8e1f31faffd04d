//! A record where it lies.

use crate::layout::PackedLayout;
use abi::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A record where it lies: the event of a tracepoint, from its common fields on, as
/// `events/ktrace/NAME/format` describes it.
///
/// It may be overwritten at any moment, so what is read of it counts only after
/// [`Consumer::put_consumed`](crate::Consumer::put_consumed) has said so.
#[derive(Debug, Clone, Copy)]
pub struct PlacedRecord<'a> {
    /// Its number among the events of its block.
    pub number: u64,
    /// Its time, in the buffer's clock.
    pub time: u64,
    /// How many events before it were overwritten before they were reached.
    pub lost: u64,
    /// The CPU that it was written on.
    pub cpu: u32,
    /// Its payload, in words of 4 bytes.
    pub payload: &'a [AtomicU32],
    pub(crate) layout: &'a PackedLayout,
}

/// Bytes that most events don't exceed: they need no memory of their own to be packed.
const SHORT: usize = 256;

impl PlacedRecord<'_> {
    /// The id of its tracepoint.
    #[inline]
    pub fn id(&self) -> u16 {
        self.word(0) as u16
    }

    /// The thread that has written it.
    #[inline]
    pub fn tid(&self) -> i32 {
        self.word(1).cast_signed()
    }

    /// A word of the payload; 0 after its end.
    // Relaxed: it was committed when the page was looked at; see `ring_buffer`.
    #[inline]
    pub fn word(&self, index: usize) -> u32 {
        self.payload.get(index).map_or(0, |word| word.load(Relaxed))
    }

    /// Appends it as a record of `buffers/cpuN`: its id, and its arguments packed.
    pub fn pack(&self, out: &mut Vec<u8>) {
        let len = self.payload.len() * 4;
        let (mut short, mut long) = ([0; SHORT], Vec::new());
        let copy = match short.get_mut(..len) {
            Some(copy) => copy,
            None => {
                long.resize(len, 0);
                &mut long
            }
        };
        for (index, to) in copy.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *to = self.word(index).to_le_bytes();
        }
        self.layout.pack(self.id(), copy, out);
    }
}
