//! The events of these tests: they say who wrote them and can be checked whole.

use abi::common;
use ring_buffer::{RecordBuffer, ShortEvent};

/// The event's id.
const EVENT: u16 = 300;

/// Words of the largest event.
pub const MAX_WORDS: usize = 40;

/// A writer whose events all fit registers.
pub const WRITER_OF_SHORT: i32 = i32::MAX;

/// Who wrote an event, and which of the writer's events it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The writer: a thread of a process, in its handler or not.
    pub writer: i32,
    /// The writer's own count.
    pub number: u64,
}

/// Builds the event: its length and every word of it follow from the stamp.
pub fn build(stamp: Stamp) -> RecordBuffer<MAX_WORDS> {
    let mut record = RecordBuffer::new();
    words(stamp).for_each(|word| record.push(word));
    record
}

/// Its words for registers, if they fit them.
pub fn short(stamp: Stamp) -> Option<ShortEvent<24>> {
    let mut words = words(stamp);
    let three = [words.next()?, words.next()?, words.next()?];
    words.next().is_none().then_some(ShortEvent::of(three))
}

/// Its words: what is common to all events, the number, and what follows from both.
fn words(stamp: Stamp) -> impl Iterator<Item = u64> {
    let head = [common::word(EVENT, 0, 0, stamp.writer), stamp.number];
    head.into_iter().chain((0..filler(stamp)).map(move |index| word(stamp, index)))
}

/// Checks an event of a CPU's block; None when it is torn. In a lane the CPU comes first.
pub fn check(payload: &[u8], lane: bool) -> Option<Stamp> {
    let mut words = payload.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    if lane {
        words.next().filter(|cpu| *cpu < 4096)?;
    }
    let head = words.next()?;
    let stamp = Stamp { writer: common::pid(head), number: words.next()? };
    let whole = common::event(head) == EVENT
        && (0..filler(stamp)).all(|index| words.next() == Some(word(stamp, index)))
        && words.next().is_none();
    whole.then_some(stamp)
}

fn filler(stamp: Stamp) -> u64 {
    if stamp.writer == WRITER_OF_SHORT {
        return 1;
    }
    mix(stamp.number ^ (stamp.writer as u64) << 32) % (MAX_WORDS as u64 - 2)
}

fn word(stamp: Stamp, index: u64) -> u64 {
    mix(stamp.number.wrapping_mul(31).wrapping_add(stamp.writer as u64).wrapping_add(index << 40))
}

/// Turns a number into one that looks random.
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
