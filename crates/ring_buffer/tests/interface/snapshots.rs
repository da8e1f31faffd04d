//! Snapshots, holds and memory.

use crate::temporary::{ROUTES, TemporaryBuffer, identity, kept, live, range, thread, with_spares, write};
use abi::buffer::BufferHeader;
use ring_buffer::{MeasuredSection, Reason, Refused, Released, SnapshotCause, SnapshotOrigin, Writer};
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn a_snapshot_keeps_what_was_there() {
    for lane in ROUTES {
        let (_temporary, buffer, writer) = with_spares(64);
        (0..100).for_each(|number| write(&writer, thread(lane), number).unwrap());
        let before = buffer.now();
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
fn who_took_a_snapshot_is_said_of_no_other() {
    let (_temporary, buffer, _writer) = with_spares(16);
    let origin = |tid, uid, cause| SnapshotOrigin {
        cause,
        tid,
        uid,
        comm: *b"a thread's name\0",
        reason: Reason::of(&[b"full"]),
    };
    let first = origin(1, Some(0), SnapshotCause::Trigger { event: 0xffff });
    let second = origin(4_000_000, None, SnapshotCause::Killed { number: 9 });
    let old = buffer.snapshot().unwrap();
    assert_eq!(buffer.origin(old), None, "its taker was killed, or is about to say it");
    buffer.set_origin(old, &first);
    assert_eq!(buffer.origin(old), Some(first));
    let next = || {
        buffer.snapshots().for_each(|snapshot| assert!(buffer.discard(snapshot)));
        buffer.snapshot().unwrap()
    };
    let new = std::iter::repeat_with(next).take(9).find(|new| new.ring() == old.ring()).unwrap();
    assert_eq!(buffer.origin(new), None);
    buffer.set_origin(new, &second);
    assert_eq!(buffer.origin(new), Some(second));
    buffer.set_origin(old, &first);
    assert_eq!(buffer.origin(new), None, "one that was held up doesn't speak for it");
}

#[test]
fn a_section_is_said_in_place_of_a_reason() {
    let (_temporary, buffer, _writer) = with_spares(16);
    let number = |index: u64| 0x0123_4567_89ab_cdef * (2 * index + 1);
    let section = MeasuredSection {
        cpu: 0xfedc,
        start: number(0),
        nanoseconds: number(1),
        started_at: number(2),
        ended_at: number(3),
    };
    let cause = SnapshotCause::Latency(section);
    let comm = *b"a thread's name\0";
    let origin = SnapshotOrigin { cause, tid: 7, uid: None, comm, reason: Reason::default() };
    let taken = buffer.snapshot().unwrap();
    buffer.set_origin(taken, &origin);
    assert_eq!(buffer.origin(taken), Some(origin));
}

#[test]
fn a_snapshot_that_is_read_is_not_dropped() {
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
        let holder = same.holder(identity()).unwrap();
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
fn generations_go_on_after_the_last_number() {
    for lane in ROUTES {
        let (temporary, buffer, writer) = with_spares(16);
        // As if the buffer had been emptied some four billion times.
        let segment = temporary.segment();
        let header: &BufferHeader = segment.get(0).expect("a header");
        let holder = buffer.holder(identity()).unwrap();
        for _ in 0..2 {
            header.control.fetch_add(i32::MAX as u64 - 1, Relaxed);
            // What is more than two billion generations old can't be distinguished from newer ones: so
            // somebody looks half-way.
            let snapshot = buffer.snapshot().unwrap();
            assert!(holder.hold(snapshot).is_some() && buffer.discard(snapshot));
        }
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
fn one_block_is_kept_alone() {
    let (_temporary, buffer, writer) = with_spares(64);
    let lane = buffer.geometry().cpus;
    let holder = buffer.holder(identity()).unwrap();
    (0..50).for_each(|number| write(&writer, thread(number % 2 == 0), number).unwrap());
    let even: Vec<u64> = range(0..50).into_iter().filter(|number| number % 2 == 0).collect();
    let odd: Vec<u64> = range(0..50).into_iter().filter(|number| number % 2 != 0).collect();
    let snapshot = holder.snapshot_block(lane).unwrap();
    assert_eq!(live(&buffer), odd, "the others go on");
    let held = holder.hold(snapshot).unwrap();
    assert_eq!(kept(&buffer, &held), even, "before any writer has adopted it");
    write(&writer, thread(true), 50).unwrap();
    write(&writer, thread(false), 51).unwrap();
    assert_eq!(live(&buffer), [odd.clone(), vec![50, 51]].concat());
    assert_eq!((kept(&buffer, &held), held.settle()), (even.clone(), 0), "after that");
    assert_eq!((held.statistics(lane).written, buffer.statistics(lane).written), (25, 1));

    // One more of the same, and one of all: that has what was live and nothing else.
    let second = holder.snapshot_block(lane).unwrap();
    assert_eq!(kept(&buffer, &holder.hold(second).unwrap()), [50]);
    assert_eq!(holder.snapshot_block(lane), Err(Refused::NoSpare));
    assert_eq!((holder.snapshot_block(99_999), buffer.refused_snapshots()), (Err(Refused::NoBlock), 1));
    assert!(buffer.discard(second));
    let all = buffer.snapshot().unwrap();
    assert_eq!(kept(&buffer, &holder.hold(all).unwrap()), [odd, vec![51]].concat());
    assert_eq!(kept(&buffer, &held), even);
    assert_eq!(live(&buffer), []);
}

#[test]
fn parts_come_and_go_in_any_order() {
    let (temporary, buffer, writer) = with_spares(16);
    let lane = buffer.geometry().cpus;
    let holder = buffer.holder(identity()).unwrap();
    let mut next = 0;
    let mut add = || {
        next += 1;
        write(&writer, thread(true), next).unwrap();
        write(&writer, thread(false), 1000 + next).unwrap();
        next
    };
    for round in 0..40 {
        let number = add();
        let one = holder.snapshot_block(lane).unwrap();
        let later = if round % 3 == 0 { Some(add()) } else { None };
        if round % 5 == 0 {
            buffer.clear_block(lane);
        }
        let other = if round % 2 == 0 { holder.snapshot_block(lane) } else { buffer.snapshot() }.unwrap();
        let of_lane = |snapshot| {
            let held = holder.hold(snapshot).unwrap();
            kept(&buffer, &held).into_iter().filter(|number| *number < 1000).collect::<Vec<_>>()
        };
        assert_eq!(of_lane(one), [number], "round {round}");
        let expected = later.filter(|_| round % 5 != 0);
        assert_eq!(of_lane(other), expected.into_iter().collect::<Vec<_>>(), "round {round}");
        let order = if round % 4 < 2 { [one, other] } else { [other, one] };
        assert!(order.into_iter().all(|snapshot| buffer.discard(snapshot)));
        assert!(holder.hold(one).is_none() && !buffer.discard(other), "it is gone");
        if round % 7 == 0 {
            assert_eq!(holder.release(), Released::Freed);
            holder.reserve(&temporary.path).unwrap();
        }
        if round % 9 == 0 {
            let content = ring_buffer::Content::Discard;
            assert_eq!(holder.resize(&temporary.path, 16 + round, content), Ok(None));
        }
        assert_eq!(buffer.spare_rings(), 2, "round {round}");
    }
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
fn what_was_dropped_while_recording_was_off_is_freed() {
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
