//! What the interface says of a buffer that nobody changes meanwhile.

use crate::temporary::{ROUTES, TemporaryBuffer, block, numbers, thread, write};
use ring_buffer::{NotWritten, Writer};

#[test]
fn cursors_are_independent_of_each_other_and_of_consumers() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(64, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let mut page = vec![0; 4096];
        (0..1000).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let mut one = buffer.cursor(block);
        let mut other = one;
        let first = one.advance(&mut page).unwrap();
        assert_eq!(one.peek(&mut page).unwrap().first_event, first.next_event());
        assert_eq!(other.advance(&mut page), Some(first), "the other is where it was");
        while one.advance(&mut page).is_some() {}
        assert_eq!(buffer.entries(), 1000, "nothing was consumed");
        one.reset();
        assert_eq!(one.peek(&mut page).unwrap(), first);
        let taken = buffer.consume(block, &mut page).unwrap();
        assert_eq!(one.peek(&mut page).unwrap().first_event, taken.next_event(), "consumed is gone");
        assert_eq!(buffer.entries(), 1000 - taken.events);
    }
}

#[test]
fn a_buffer_says_when_it_is_empty_and_how_full_it_is() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(if lane { 64 } else { 16 }, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        assert!(buffer.is_empty() && !buffer.has_reached(block, 0));
        write(&writer, thread(lane), 1).unwrap();
        assert!(!buffer.is_empty() && !buffer.is_block_empty(block) && buffer.is_block_empty(block + 1));
        assert!(buffer.has_reached(block, 0) && !buffer.has_reached(block, 50));
        (0..3000).for_each(|number| write(&writer, thread(lane), number).unwrap());
        assert!(buffer.has_reached(block, 50), "of 16 pages: a lane has a quarter of a CPU's");
        (0..10_000).for_each(|number| write(&writer, thread(lane), number).unwrap());
        assert_eq!(buffer.overruns() + buffer.entries(), 13_001);
        let mut page = vec![0; 4096];
        while buffer.consume(block, &mut page).is_some() {}
        assert!(buffer.is_empty() && !buffer.has_reached(block, 0));
    }
}

#[test]
fn the_flags_are_the_seeds() {
    for lane in ROUTES {
        let temporary = TemporaryBuffer::new(16, 1);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let block = block(lane, &buffer);
        let refused = |number| write(&writer, thread(lane), number) == Err(NotWritten::Off);
        buffer.set_tracing(false);
        buffer.set_recording(false);
        assert!(refused(1));
        buffer.set_tracing(true);
        assert!(refused(2), "the buffer's own flag is another");
        buffer.set_recording(true);
        buffer.set_block_recording(block, false);
        assert!(refused(3));
        buffer.set_block_recording(block, true);
        write(&writer, thread(lane), 4).unwrap();
        buffer.disable_block(block);
        buffer.set_block_recording(block, true);
        buffer.set_tracing(true);
        assert!(refused(5), "an anomaly stays");
        let mut page = vec![0; 4096];
        let taken = buffer.consume(block, &mut page).unwrap();
        assert_eq!((numbers(&page[..taken.len]), buffer.statistics(block).dropped_events()), (vec![4], 0));
    }
}

#[test]
fn times_do_not_decrease_on_a_cpu_whatever_the_clock() {
    for clock in ring_buffer::Clock::ALL {
        let temporary = TemporaryBuffer::with_clock(1024, 1, clock);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let start = buffer.now();
        std::thread::scope(|scope| {
            for lane in [false, false, false, true] {
                let writer = &writer;
                scope
                    .spawn(move || (0..5000).for_each(|number| write(writer, thread(lane), number).unwrap()));
            }
        });
        let end = buffer.now();
        let mut page = vec![0; 4096];
        let mut events = 0;
        for block in 0..buffer.geometry().blocks() {
            let mut last = start;
            while let Some(taken) = buffer.consume(block, &mut page) {
                for found in ring_buffer::Walk::new(&page[..taken.len]) {
                    assert!((last..=end).contains(&found.time), "{clock:?}: {} after {last}", found.time);
                    last = found.time;
                    events += 1;
                }
            }
        }
        assert_eq!(events + buffer.overruns(), 20_000, "{clock:?}");
    }
}

#[test]
fn a_counter_numbers_the_events_of_all_cpus() {
    const EVENTS: u64 = 10_000;
    for lanes in [[true; 1].as_slice(), &[false; 1], &[false, false, true]] {
        let temporary = TemporaryBuffer::with_clock(1024, 1, ring_buffer::Clock::Counter);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        std::thread::scope(|scope| {
            for lane in lanes {
                let writer = &writer;
                scope.spawn(move || {
                    (0..EVENTS).for_each(|number| write(writer, thread(*lane), number).unwrap())
                });
            }
        });
        let mut page = vec![0; 4096];
        let mut found = Vec::new();
        for block in 0..buffer.geometry().blocks() {
            while let Some(taken) = buffer.consume(block, &mut page) {
                found.extend(ring_buffer::Walk::new(&page[..taken.len]).map(|event| event.time));
            }
        }
        found.sort_unstable();
        let events = EVENTS * lanes.len() as u64 - buffer.overruns();
        assert_eq!((found.len() as u64, *found.last().unwrap()), (events, buffer.now()));
        if lanes.len() == 1 {
            // Whoever is interrupted takes another number, so a few may be missing.
            assert!(found.is_sorted_by(|one, other| one < other));
            assert!(buffer.now() < EVENTS + 100 && (!lanes[0] || buffer.now() == EVENTS), "{}", buffer.now());
        }
    }
}
