//! Buffers that get another size.

use crate::temporary::{TemporaryBuffer, cpus, identity, kept, live, range, thread, with_spares, write};
use ring_buffer::{Content, NotReserved, NotResized, Refused, Released, Writer};

/// KB of what a ring with `pages` pages for each CPU takes at least.
fn ring_kb(pages: u64) -> u64 {
    pages * 4 * cpus() as u64
}

#[test]
fn a_buffer_grows_and_shrinks() {
    for lane in [false, true] {
        let temporary = TemporaryBuffer::new(64, 2);
        let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
        let holder = buffer.holder(identity()).unwrap();
        let at_first = temporary.kb();
        let mut next = 0;
        for (pages, lane_pages) in [(200, 50), (2, 4), (256, 64), (64, 16)] {
            assert_eq!(holder.resize(&temporary.path, pages, Content::Discard), Ok(None));
            let (cpu, lane_size) = (buffer.capacity(0), buffer.capacity(buffer.geometry().cpus));
            assert_eq!((cpu, lane_size), (u64::from(pages) * 4096, lane_pages * 4096));
            assert_eq!(live(&buffer), [], "the old events are freed");
            (next..next + 50).for_each(|number| write(&writer, thread(lane), number).unwrap());
            assert_eq!(live(&buffer), range(next..next + 50));
            assert_eq!(buffer.overruns(), 0);
            next += 50;
            let (kb, most) = (temporary.kb(), at_first + ring_kb(u64::from(pages)));
            assert!(kb < most, "{kb} KB with {pages} pages, {at_first} KB at first");
        }
    }
}

#[test]
fn a_ring_of_the_new_size_holds_as_much() {
    let temporary = TemporaryBuffer::new(4, 2);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let holder = buffer.holder(identity()).unwrap();
    let lane = buffer.geometry().cpus;
    let fill = || {
        (0..20_000).for_each(|number| write(&writer, thread(true), number).unwrap());
        buffer.statistics(lane)
    };
    let small = fill();
    // The buffer has addresses for four times the pages: a lane has at least four of them.
    assert_eq!(holder.resize_block(&temporary.path, lane, 4, Content::Discard), Ok(None));
    assert_eq!(holder.resize_block(&temporary.path, lane, 2, Content::Discard), Ok(None));
    let smaller = fill();
    assert!(smaller.bytes < small.bytes && smaller.bytes > 4096, "{smaller:?}, {small:?}");
    assert_eq!(smaller.written, smaller.entries + smaller.overrun);
    assert_eq!(buffer.capacity(0), 4 * 4096, "the others are as they were");
}

#[test]
fn what_was_there_can_be_kept() {
    let (temporary, buffer, writer) = with_spares(64);
    (0..100).for_each(|number| write(&writer, thread(false), number).unwrap());
    let holder = buffer.holder(identity()).unwrap();
    let snapshot = holder.resize(&temporary.path, 128, Content::Keep).unwrap().unwrap();
    (100..120).for_each(|number| write(&writer, thread(false), number).unwrap());
    assert_eq!(kept(&buffer, &holder.hold(snapshot).unwrap()), range(0..100));
    assert_eq!(live(&buffer), range(100..120));
    // One ring is live, one holds what was there, one is spare, of the new size.
    assert_eq!(buffer.spare_rings(), 1);
    let second = buffer.snapshot().unwrap();
    assert_eq!(buffer.capacity(0), 128 * 4096);
    assert_eq!(kept(&buffer, &holder.hold(second).unwrap()), range(100..120));

    // A ring of the old size is of no use for a snapshot, until it has been given the new one.
    assert!(buffer.discard(snapshot));
    assert_eq!((buffer.spare_rings(), buffer.snapshot()), (0, Err(Refused::NoSpare)));
    holder.reserve(&temporary.path).unwrap();
    assert_eq!((buffer.spare_rings(), buffer.snapshot().is_ok()), (1, true));
    assert_eq!(buffer.capacity(0), 128 * 4096);
}

#[test]
fn what_can_not_be_resized_stays_as_it_is() {
    let (temporary, buffer, writer) = with_spares(64);
    (0..100).for_each(|number| write(&writer, thread(false), number).unwrap());
    let holder = buffer.holder(identity()).unwrap();
    let before = (temporary.kb(), buffer.spare_rings());
    let resize = |path: &std::ffi::CStr, pages| holder.resize(path, pages, Content::Discard);
    let unchanged = |why| {
        assert_eq!((temporary.kb(), buffer.spare_rings()), before, "{why}");
        assert_eq!((live(&buffer), buffer.capacity(0)), (range(0..100), 64 * 4096), "{why}");
    };
    assert_eq!(resize(&temporary.path, 257), Err(NotResized::TooLarge { most: 256 }));
    unchanged("too large");
    assert_eq!(resize(&temporary.path, 64), Ok(None));
    unchanged("the same size");
    assert!(matches!(resize(c"/dev/shm/lookback-no-such-file", 128), Err(NotResized::System(_))));
    unchanged("no memory");

    let snapshots = [buffer.snapshot().unwrap(), buffer.snapshot().unwrap()];
    assert_eq!(resize(&temporary.path, 128), Err(NotResized::NoRing));
    assert_eq!(holder.reserve(&temporary.path), Err(NotReserved::AllReserved));
    assert_eq!(buffer.capacity(0), 64 * 4096);
    assert!(buffer.discard(snapshots[1]));
    assert_eq!(resize(&temporary.path, 128), Ok(None));
    assert_eq!(kept(&buffer, &holder.hold(snapshots[0]).unwrap()), range(0..100));
}

#[test]
fn memory_goes_when_a_buffer_shrinks() {
    let temporary = TemporaryBuffer::new(256, 2);
    let (buffer, writer) = (temporary.open(), Writer::new(temporary.open()));
    let holder = buffer.holder(identity()).unwrap();
    (0..100).for_each(|number| write(&writer, thread(number % 2 == 0), number).unwrap());
    let before = temporary.kb();
    holder.resize(&temporary.path, 16, Content::Discard).unwrap();
    let after = temporary.kb();
    assert!(after + ring_kb(256) < before + ring_kb(16) + 64, "{before} KB, then {after}");
    assert_eq!(holder.release(), Released::NothingSpare);
    write(&writer, thread(false), 7).unwrap();
    assert_eq!(live(&buffer), [7]);
}
