//! The pages that readers get: the kernel's, with what was lost before them.

use crate::temporary::{ROUTES, TemporaryBuffer, block, numbers, thread, write};
use abi::page::{COMMIT_LENGTH, COMMIT_OFFSET, HEADER_SIZE, MISSED_EVENTS, MISSED_STORED, event_size};
use ring_buffer::{Buffer, Clock, PageCopy, RecordBuffer, Walk, Writer};

/// What a page says of the events lost before it: whether there were any, and how many.
fn missed(page: &[u8]) -> (bool, Option<u64>) {
    let word = |offset: usize| u64::from_le_bytes(*page[offset..].first_chunk().unwrap());
    let commit = word(COMMIT_OFFSET);
    let stored = commit & MISSED_STORED != 0;
    let count = stored.then(|| word(HEADER_SIZE + (commit & COMMIT_LENGTH) as usize));
    (commit & MISSED_EVENTS != 0, count)
}

fn lane(buffer: &Buffer) -> u32 {
    buffer.geometry().cpus
}

#[test]
fn a_page_after_a_loss_says_how_much_it_was() {
    let temporary = TemporaryBuffer::new(16, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let mut page = vec![7; 4096];
    write(&writer, thread(true), 0).unwrap();
    buffer.consume(lane(&buffer), &mut page).unwrap();
    assert_eq!(missed(&page), (false, None));
    assert!(page[HEADER_SIZE + 28..].iter().all(|byte| *byte == 0), "nothing of what was there");
    (1..=2000).for_each(|number| write(&writer, thread(true), number).unwrap());
    let overrun = buffer.statistics(lane(&buffer)).overrun;
    assert!(overrun > 0);
    let peeked = buffer.read(lane(&buffer), 1, &mut page).unwrap();
    assert_eq!((peeked.lost, missed(&page)), (overrun, (true, Some(overrun))), "a copy says so, too");
    let taken = buffer.consume(lane(&buffer), &mut page).unwrap();
    assert_eq!((taken, missed(&page)), (peeked, (true, Some(overrun))));
    assert_eq!(numbers(&page)[0], 1 + overrun);
    assert!(page[taken.len..].iter().all(|byte| *byte == 0));
    buffer.consume(lane(&buffer), &mut page).unwrap();
    assert_eq!(missed(&page), (false, None), "it is said once");
}

/// Loses pages that each have one event of `words` words, and takes what comes after into `page`.
fn lose(words: usize, page: &mut [u8]) -> PageCopy {
    let temporary = TemporaryBuffer::new(16, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let mut record = RecordBuffer::<512>::new();
    (0..words).for_each(|word| record.push(word as u64));
    (0..10).for_each(|_| writer.write(thread(true), record.event()).unwrap());
    buffer.consume(lane(&buffer), page).unwrap()
}

#[test]
fn a_full_page_has_space_for_the_count_only_after_it() {
    // In a lane, 8 bytes more: with its header all that a page of 4096 bytes takes.
    const FULL: usize = (4072 - 8) / 8;
    let mut page = vec![0; 4096 + 8];
    let taken = lose(FULL, &mut page[..4096]);
    assert_eq!((taken.lost, taken.len, missed(&page)), (6, 4096, (true, None)));
    let taken = lose(FULL, &mut page);
    assert_eq!((taken.lost, taken.len, missed(&page)), (6, 4104, (true, Some(6))));
    let taken = lose(FULL - 1, &mut page[..4096]);
    assert_eq!((taken.lost, taken.len, missed(&page)), (6, 4096, (true, Some(6))));
}

#[test]
fn whole_pages_are_those_that_nobody_adds_to() {
    let temporary = TemporaryBuffer::new(64, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let block = lane(&buffer);
    let mut page = vec![0; 4096];
    (0..10).for_each(|number| write(&writer, thread(true), number).unwrap());
    assert_eq!(buffer.consume_whole(block, &mut page), None, "the page under the tail");
    assert_eq!(buffer.consume(block, &mut page).unwrap().events, 10);
    (10..300).for_each(|number| write(&writer, thread(true), number).unwrap());
    let rest = buffer.consume_whole(block, &mut page).unwrap();
    assert_eq!((rest.first_event, numbers(&page).first()), (10, Some(&10)), "the rest of the first page");
    let whole = buffer.consume_whole(block, &mut page).unwrap();
    assert!(whole.len > 4096 - 28 && whole.first_event == rest.next_event());
    assert_eq!(buffer.consume_whole(block, &mut page), None);
    assert_eq!(buffer.consume(block, &mut page).unwrap().first_event, whole.next_event());
}

#[test]
fn the_watermark_counts_pages_as_the_kernel_does() {
    let temporary = TemporaryBuffer::new(16, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let block = lane(&buffer);
    let pages = buffer.capacity(block) / 4096;
    let mut reached = Vec::new();
    for page in 0..pages {
        let statistics = || buffer.statistics(block);
        while statistics().bytes <= page * 4080 {
            write(&writer, thread(true), page).unwrap();
        }
        reached.push([0, 25, 50, 75, 100].map(|percent| buffer.has_reached(block, percent)));
    }
    // A lane of 4 pages: the one that is written counts, as it does in the kernel.
    assert_eq!(pages, 4);
    for (full, reached) in (1..).zip(reached) {
        assert_eq!(reached.iter().filter(|reached| **reached).count(), 1 + full, "{full} pages");
    }
}

#[test]
fn a_cursor_knows_when_it_is_at_the_end() {
    let temporary = TemporaryBuffer::new(16, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let mut page = vec![0; 4096];
    let mut cursor = buffer.cursor(lane(&buffer));
    assert!(cursor.is_empty());
    write(&writer, thread(true), 1).unwrap();
    assert!(!cursor.is_empty() && cursor.advance(&mut page).is_some() && cursor.is_empty());
    write(&writer, thread(true), 2).unwrap();
    assert!(!cursor.is_empty());
    cursor.reset();
    buffer.consume(lane(&buffer), &mut page).unwrap();
    assert!(cursor.is_empty(), "what others have consumed is gone");
}

/// The most events of `len` bytes that a page got, after a check that each has arrived whole.
fn fill_pages(lane: bool, clock: Clock, len: usize) -> usize {
    let temporary = TemporaryBuffer::with_clock(16, 1, clock);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let block = block(lane, &buffer);
    let payload = |number: u64| -> Vec<u8> { (0..len).map(|at| (number as usize + at) as u8).collect() };
    let statistics = || buffer.statistics(block);
    let mut written = 0;
    while statistics().bytes <= 3 * 4080 {
        let mut record = RecordBuffer::<64>::new();
        record.push_bytes(&payload(written));
        writer.write(thread(lane), record.event()).unwrap();
        written += 1;
    }
    let (mut page, mut number, mut most) = (vec![0; 4096], 0, 0);
    while let Some(taken) = buffer.consume(block, &mut page) {
        let events = Walk::new(&page[..taken.len]);
        let found: Vec<&[u8]> = events.map(|found| &page[found.payload..][..found.len]).collect();
        for found in &found {
            let found = if lane { &found[8..] } else { found };
            assert!(found.starts_with(&payload(number)), "{len} bytes, event {number}: {found:?}");
            number += 1;
        }
        most = most.max(found.len());
    }
    assert_eq!(number, written);
    most
}

#[test]
fn a_page_is_filled_to_its_end() {
    for lane in ROUTES {
        for len in (8..=136).chain([252, 500, 501, 504, 505]) {
            let size = event_size(if lane { len + 8 } else { len });
            // A pause takes 8 bytes of a page, but not of each.
            assert_eq!(fill_pages(lane, Clock::Tsc, len), 4080 / size, "{len} bytes, lane: {lane}");
        }
    }
    assert_eq!(fill_pages(false, Clock::Counter, 12), 255);
}
