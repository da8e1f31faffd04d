//! Damaged pages.

use super::damage::damage;
use super::random::Random;
use ring_buffer::Walk;
use std::hint::black_box;
use trace_data::page::Page;

/// Reads a damaged page, by both of the readers of pages.
pub fn run(pages: &[u8], random: &mut Random) {
    let mut page: Vec<u8> =
        pages.chunks(4096).nth(random.below(pages.len() / 4096)).unwrap_or_default().to_vec();
    for _ in 0..1 + random.below(12) {
        let range = if random.one_in(3) { 0..64 } else { 0..page.len() };
        damage(&mut page, range, random);
    }
    if random.one_in(8) {
        page.truncate(random.below(page.len()));
    }
    read(&page);
}

/// Goes over all events of a page.
pub fn read(page: &[u8]) {
    for found in Walk::new(page) {
        black_box(&page[found.payload..found.payload + found.len]);
    }
    if let Some(page) = Page::new(page) {
        black_box((page.missed, page.time_stamp));
        black_box(page.events().map(|event| event.payload.len()).sum::<usize>());
    }
}
