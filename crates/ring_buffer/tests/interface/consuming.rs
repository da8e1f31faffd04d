//! Looking at events where they lie, and saying afterwards how far one has come.

use crate::temporary::{ROUTES, TemporaryBuffer, block, thread, write};
use ring_buffer::{Buffer, Moved, PlacedCursor, Unread, Writer};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// The numbers in the events from the cursor on, and how many were lost before them.
fn placed(buffer: &Buffer, block: u32, cursor: &mut PlacedCursor) -> (Vec<u64>, u64) {
    let (mut numbers, mut lost) = (Vec::new(), 0);
    while let Some(event) = buffer.next_placed(block, cursor) {
        numbers.push(number(&event));
        lost += event.lost;
    }
    (numbers, lost)
}

/// The number in an event, at its end.
fn number(event: &ring_buffer::PlacedEvent<'_>) -> u64 {
    let len = event.payload.len();
    let half = |index: usize| u64::from(event.payload[index].load(Relaxed));
    half(len - 2) | half(len - 1) << 32
}

#[test]
fn events_are_seen_where_they_lie_and_stay() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let mut cursor = PlacedCursor::default();
        assert_eq!(placed(&buffer, block, &mut cursor), (vec![], 0));
        let write = |numbers: std::ops::Range<u64>| {
            numbers.for_each(|number| write(&writer, thread(lane), number).unwrap());
        };
        write(0..1000);
        assert_eq!(placed(&buffer, block, &mut cursor), ((0..1000).collect(), 0));
        write(1000..1001);
        assert_eq!(placed(&buffer, block, &mut cursor), (vec![1000], 0), "of the page that it knows");
        assert_eq!(buffer.unread(block), Some(Unread { start: 0, oldest: 0, end: 1001 }));
        assert_eq!(placed(&buffer, block, &mut PlacedCursor::default()).0.len(), 1001, "as it was");
    }
}

#[test]
fn what_was_consumed_is_gone_and_the_rest_is_not() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        (0..1000).for_each(|number| write(&writer, thread(lane), number).unwrap());
        assert_eq!(buffer.consume_to(block, 0, 1001, 0), Ok(()), "after the last");
        assert_eq!(buffer.statistics(block).entries, 1000);
        assert_eq!(buffer.consume_to(block, 0, 321, 0), Ok(()));
        assert_eq!(buffer.consume_to(block, 0, 400, 0), Err(Moved));
        assert_eq!(buffer.consume_to(block, 321, 320, 0), Ok(()), "before the first");
        assert_eq!(buffer.statistics(block).read, 321);
        let mut cursor = PlacedCursor::default();
        assert_eq!(placed(&buffer, block, &mut cursor), ((321..1000).collect(), 0));
        let mut page = vec![0; 4096];
        assert_eq!(buffer.consume(block, &mut page).unwrap().first_event, 321, "for all readers");
        buffer.clear();
        assert_eq!(buffer.unread(block), None);
        assert_eq!(buffer.consume_to(block, 321, 1000, 0), Err(Moved));
        write(&writer, thread(lane), 7).unwrap();
        assert_eq!(placed(&buffer, block, &mut cursor), (vec![7], 0));
    }
}

#[test]
fn what_was_overwritten_is_told_and_counted() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(16, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let mut cursor = PlacedCursor::default();
        (0..10).for_each(|number| write(&writer, thread(lane), number).unwrap());
        assert_eq!(buffer.next_placed(block, &mut cursor).map(|event| number(&event)), Some(0));
        (10..10_000).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let (mut found, mut lost) = (Vec::new(), 0);
        while let Some(event) = buffer.next_placed(block, &mut cursor) {
            found.push((event.number, number(&event)));
            lost += event.lost;
        }
        let Unread { start, oldest, end } = buffer.unread(block).unwrap();
        assert_eq!((start, end), (0, 10_000));
        let (whole, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|(number, _)| *number >= oldest);
        assert_eq!(whole, (oldest..end).map(|number| (number, number)).collect::<Vec<_>>());
        // What is left of the page that it was in may be anything, but no more than was written of it.
        assert!((whole.len() + rest.len()) as u64 + lost + 1 == 10_000 && rest.len() < 10);
        buffer.consume_to(block, start, end, oldest - start).unwrap();
        let statistics = buffer.statistics(block);
        assert_eq!((statistics.overrun, statistics.read, statistics.entries), (oldest, end - oldest, 0));
    }
}

#[test]
fn writers_at_full_speed_lose_nothing_that_is_not_counted() {
    let temporary = TemporaryBuffer::new(16, 1);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let (block, is_over) = (block(true, &buffer), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..300_000).for_each(|number| write(&writer, thread(true), number).unwrap());
            is_over.store(true, Relaxed);
        });
        let (mut cursor, mut had) = (PlacedCursor::default(), 0);
        loop {
            let was_over = is_over.load(Relaxed);
            let mut seen = Vec::new();
            while let Some(event) = buffer.next_placed(block, &mut cursor) {
                seen.push((event.number, number(&event)));
                if seen.len() == 500 {
                    break;
                }
            }
            let Some(Unread { start, oldest, .. }) = buffer.unread(block) else { continue };
            let to = cursor.number();
            let whole = seen.iter().filter(|(number, _)| *number >= oldest);
            for (event, number) in whole.clone() {
                assert_eq!(event, number, "whole and in its place");
            }
            had += whole.count() as u64;
            buffer.consume_to(block, start, to, oldest.min(to) - start).unwrap();
            if was_over && seen.is_empty() {
                break;
            }
        }
        let statistics = buffer.statistics(block);
        assert_eq!((statistics.read, statistics.overrun + had), (had, 300_000));
    });
}
