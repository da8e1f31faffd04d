//! Loops that write.

use super::fixture::{Fixture, Route};
use ring_buffer::RecordBuffer;
use std::hint::black_box;

/// The event's id and its thread, as each event has them.
const COMMON: u64 = abi::common::word(300, 0, 0, 4711);

/// 12 bytes, and the one that ends a text.
const TEXT: &[u8; 13] = b"/etc/hosts.1\0";

/// Words of the payload that is "64 bytes": with the word that each event has.
const WORDS_OF_64: u64 = 8;

/// Events with one number.
pub fn numbers(ring: &Fixture, route: Route, count: u64) {
    let thread = Fixture::thread(route);
    for value in 0..count {
        let mut record = RecordBuffer::<4>::new();
        record.push(COMMON);
        record.push(black_box(value));
        let _ = ring.writer.write(thread, record.event());
    }
}

/// Events with two numbers, of 8 and of 4 bytes, and a text of 12.
pub fn texts(ring: &Fixture, count: u64) {
    let thread = Fixture::thread(Route::Cpu);
    for value in 0..count {
        let mut record = RecordBuffer::<8>::new();
        record.push(COMMON);
        record.push(black_box(value));
        record.push_half(value as u32);
        record.push_half((TEXT.len() as u32) << 16 | 24);
        record.push_bytes(black_box(TEXT));
        let _ = ring.writer.write(thread, record.event());
    }
}

/// Events with 64 bytes.
pub fn bytes(ring: &Fixture, count: u64) {
    let thread = Fixture::thread(Route::Cpu);
    for value in 0..count {
        let mut record = RecordBuffer::<10>::new();
        record.push(COMMON);
        (0..WORDS_OF_64).for_each(|word| record.push(black_box(value) + word));
        let _ = ring.writer.write(thread, record.event());
    }
}

/// Events with 4 KiB.
pub fn pages(ring: &Fixture, count: u64) {
    write_words::<513>(ring, count, 513);
}

/// Events of which a page of 4 KiB holds one, so that there each is written to a new page.
pub fn whole_pages(ring: &Fixture, count: u64) {
    write_words::<509>(ring, count, 509);
}

fn write_words<const WORDS: usize>(ring: &Fixture, count: u64, words: u64) {
    let thread = Fixture::thread(Route::Cpu);
    let mut record = RecordBuffer::<WORDS>::new();
    record.push(COMMON);
    (1..words).for_each(|word| record.push(black_box(word)));
    for _ in 0..count {
        let _ = ring.writer.write(thread, record.event());
    }
}
