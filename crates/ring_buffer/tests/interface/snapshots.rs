//! Snapshots, holds and memory.

use crate::temporary::{ROUTES, TemporaryBuffer, identity, numbers, thread, write};
use abi::buffer::Header;
use ring_buffer::{Buffer, Held, Refused, Released, Writer};
use std::sync::atomic::Ordering::Relaxed;

/// A buffer with two spare rings, and a writer to it.
fn with_spares(pages: u32) -> (TemporaryBuffer, Buffer, Writer) {
    let temporary = TemporaryBuffer::new(pages, 3);
    let buffer = temporary.open();
    let holder = buffer.holder(identity()).unwrap();
    holder.reserve(&temporary.path).unwrap();
    holder.reserve(&temporary.path).unwrap();
    drop(holder);
    let writer = Writer::new(temporary.open());
    (temporary, buffer, writer)
}

/// All numbers that a buffer holds, read without consuming.
fn live(buffer: &Buffer) -> Vec<u64> {
    all(buffer, |block, position, page| buffer.read(block, position, page))
}

/// All that a snapshot holds.
fn kept(buffer: &Buffer, held: &Held<'_>) -> Vec<u64> {
    all(buffer, |block, position, page| held.read(block, position, page))
}

fn all(buffer: &Buffer, read: impl Fn(u32, u64, &mut [u8]) -> Option<ring_buffer::Taken>) -> Vec<u64> {
    let mut page = vec![0; buffer.geometry().page_size as usize];
    let mut found = Vec::new();
    for block in 0..buffer.geometry().blocks() {
        let mut position = 0;
        while let Some(taken) = read(block, position, &mut page) {
            found.extend(numbers(&page[..taken.len]));
            position = taken.next_event();
        }
    }
    found.sort_unstable();
    found
}

fn range(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}

#[test]
fn a_snapshot_keeps_what_was_there() {
    for lane in ROUTES {
        let (_temporary, buffer, writer) = with_spares(64);
        (0..100).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let before = ring_buffer::now(buffer.geometry().clock);
        let first = buffer.snapshot().unwrap();
        assert!(first.time() >= before);
        assert_eq!(live(&buffer), [], "what is kept is no longer live");
        let holder = buffer.holder(identity()).unwrap();
        let held = holder.hold(first).unwrap();
        assert_eq!(kept(&buffer, &held), range(0..100), "before any writer has adopted it");

        (100..150).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let second = buffer.snapshot().unwrap();
        (150..170).for_each(|number| write(&writer, thread(lane), number).unwrap());
        assert_eq!(live(&buffer), range(150..170));
        assert_eq!(kept(&buffer, &held), range(0..100), "after that");
        assert_eq!(kept(&buffer, &holder.hold(second).unwrap()), range(100..150));
        assert_eq!(buffer.snapshots().count(), 2);
        assert!(second.generation() > first.generation() && second.time() >= first.time());
    }
}

#[test]
fn a_full_pool_refuses_and_counts() {
    for lane in ROUTES {
        let (_temporary, buffer, writer) = with_spares(16);
        write(&writer, thread(lane), 1).unwrap();
        let first = buffer.snapshot().unwrap();
        buffer.snapshot().unwrap();
        assert_eq!((buffer.snapshot(), buffer.refused_snapshots()), (Err(Refused::NoSpare), 1));
        write(&writer, thread(lane), 2).unwrap();
        assert_eq!(live(&buffer), [2], "recording goes on");
        assert!(buffer.discard(first) && !buffer.discard(first));
        assert!(buffer.snapshot().is_ok());
    }
}

#[test]
fn a_snapshot_that_is_read_is_not_given_up() {
    for lane in ROUTES {
        let (_temporary, buffer, writer) = with_spares(16);
        (0..10).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let snapshot = buffer.snapshot().unwrap();
        let (one, other) = (buffer.holder(identity()).unwrap(), buffer.holder(identity()).unwrap());
        let held = one.hold(snapshot).unwrap();
        assert!(one.hold(snapshot).is_none(), "it holds it already");
        assert!(!buffer.discard(snapshot) && !other.discard(snapshot));
        drop(other.hold(snapshot).unwrap());
        assert!(!buffer.discard(snapshot));
        assert_eq!(kept(&buffer, &held), range(0..10));
        drop(held);
        assert!(buffer.discard(snapshot));
        assert!(one.hold(snapshot).is_none());
    }
}

#[test]
fn the_holds_of_the_dead_are_let_go() {
    let (temporary, buffer, _writer) = with_spares(16);
    let snapshot = buffer.snapshot().unwrap();
    // SAFETY: the child touches nothing of its parent's but the file.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let same = temporary.open();
        // SAFETY: always allowed.
        let holder = same.holder(unsafe { libc::getpid() } as u64).unwrap();
        let held = holder.hold(snapshot);
        std::mem::forget((held.is_some(), held));
        // SAFETY: ends the child with nothing let go.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(!buffer.discard(snapshot), "the dead still hold it");
    let holder = buffer.holder(identity()).unwrap();
    assert!(holder.discard(snapshot), "a holder finds out that they are dead");
}

#[test]
fn each_generation_has_its_accounts() {
    let (_temporary, buffer, writer) = with_spares(4);
    (0..5000).for_each(|number| write(&writer, thread(true), number).unwrap());
    let mut page = vec![0; 4096];
    let lane = buffer.geometry().cpus;
    let taken = buffer.consume(lane, &mut page).unwrap();
    let before = buffer.statistics(lane);
    let snapshot = buffer.snapshot().unwrap();
    let holder = buffer.holder(identity()).unwrap();
    let held = holder.hold(snapshot).unwrap();
    assert_eq!(buffer.statistics(lane).written, 0);
    assert_eq!(held.statistics(lane).written, 5000);
    assert_eq!(
        (held.statistics(lane).entries, held.statistics(lane).overrun),
        (before.entries, before.overrun)
    );
    write(&writer, thread(true), 1).unwrap();
    assert_eq!(buffer.statistics(lane).written, 1);
    // A snapshot can be consumed, too: what was taken before is not given again.
    let mut consumed = taken.events;
    while let Some(taken) = held.consume(lane, &mut page) {
        consumed += taken.events;
    }
    let after = held.statistics(lane);
    assert_eq!((after.entries, after.read, after.read + after.overrun), (0, consumed, 5000));
}

#[test]
fn generations_go_on_behind_the_last_number() {
    for lane in ROUTES {
        let (temporary, buffer, writer) = with_spares(16);
        // As if the buffer had been emptied some four billion times.
        let segment = temporary.segment();
        let header: &Header = segment.get(0).expect("a header");
        header.control.fetch_add(u64::from(u32::MAX) - 2, Relaxed);
        let holder = buffer.holder(identity()).unwrap();
        for number in 0..6 {
            write(&writer, thread(lane), number).unwrap();
            let snapshot = buffer.snapshot().unwrap();
            assert_eq!(live(&buffer), []);
            write(&writer, thread(lane), 100 + number).unwrap();
            assert_eq!(kept(&buffer, &holder.hold(snapshot).unwrap()), [number]);
            assert_eq!(live(&buffer), [100 + number]);
            assert!(buffer.discard(snapshot));
            assert_eq!(holder.release(), Released::Freed);
            holder.reserve(&temporary.path).unwrap();
            buffer.clear();
            assert_eq!(live(&buffer), []);
        }
        assert!(buffer.control().generation() < 100, "{:?}", buffer.control());
    }
}

#[test]
fn one_block_is_emptied_alone() {
    let (_temporary, buffer, writer) = with_spares(16);
    let lane = buffer.geometry().cpus;
    write(&writer, thread(false), 1).unwrap();
    write(&writer, thread(true), 2).unwrap();
    buffer.clear_block(lane);
    assert_eq!(live(&buffer), [1]);
    write(&writer, thread(true), 3).unwrap();
    assert_eq!(live(&buffer), [1, 3]);
    assert_eq!(buffer.statistics(lane).written, 1);
}

#[test]
fn memory_comes_when_it_is_wanted_and_goes_on_request() {
    let temporary = TemporaryBuffer::new(256, 2);
    let buffer = temporary.open();
    let writer = Writer::new(temporary.open());
    let holder = buffer.holder(identity()).unwrap();
    let alone = temporary.kb();
    assert_eq!((buffer.spare_rings(), holder.release()), (0, Released::NothingSpare));
    holder.reserve(&temporary.path).unwrap();
    assert!(holder.reserve(&temporary.path).is_err(), "there are two rings");
    let ring_kb = 1024 * crate::temporary::cpus() as u64;
    assert!(temporary.kb() >= alone + ring_kb, "{} KB, then {}", alone, temporary.kb());

    (0..3).for_each(|number| write(&writer, thread(number == 0), number).unwrap());
    let snapshot = buffer.snapshot().unwrap();
    assert!(buffer.discard(snapshot));
    // Some CPUs have not written since: their tails are in the ring, so they are visited.
    assert_eq!((holder.release(), buffer.spare_rings()), (Released::Freed, 0));
    assert!(temporary.kb() < alone + ring_kb / 4, "{} KB, then {}", alone, temporary.kb());
    assert_eq!(buffer.snapshot(), Err(Refused::NoSpare));
    (3..2000).for_each(|number| write(&writer, thread(number % 2 == 0), number).unwrap());
    assert_eq!(live(&buffer), range(3..2000));

    holder.reserve(&temporary.path).unwrap();
    let snapshot = buffer.snapshot().unwrap();
    write(&writer, thread(false), 2000).unwrap();
    assert_eq!(kept(&buffer, &holder.hold(snapshot).unwrap()), range(3..2000));
    assert_eq!(live(&buffer), [2000]);
}

#[test]
fn what_was_given_up_while_recording_was_off_is_freed() {
    for lane in ROUTES {
        let (temporary, buffer, writer) = with_spares(64);
        (0..10).for_each(|number| write(&writer, thread(lane), number).unwrap());
        buffer.set_tracing(false);
        let snapshot = buffer.snapshot().unwrap();
        assert!(buffer.discard(snapshot));
        let holder = buffer.holder(identity()).unwrap();
        assert_eq!([holder.release(), holder.release(), holder.release()], {
            [Released::Freed, Released::Freed, Released::NothingSpare]
        });
        buffer.set_tracing(true);
        write(&writer, thread(lane), 10).unwrap();
        assert_eq!(live(&buffer), [10]);
        drop(temporary);
    }
}
