//! The points at which somebody is killed: each instruction of each of these.

use crate::event::WRITER_OF_SHORT;
use crate::stage::{PAGES, Stage, block_offset, identity};
use crate::traced::NAMESPACE;
use abi::buffer::{Block, BufferHeader, DropReason, MAX_HOLDERS};
use abi::page::HEADER_SIZE;
use ring_buffer::{Content, NotWritten, PlacedCursor, Released};
use std::mem::offset_of;

/// Something that is done to a buffer.
pub struct Act {
    pub name: &'static str,
    /// What has happened before.
    pub before: fn(&Stage),
    /// What is done.
    pub act: fn(&Stage),
    /// Whether it stores something in sections.
    pub in_sections: bool,
    /// Whether something else is to be seen after it.
    pub is_seen: bool,
    /// When the last event was before it.
    pub last_event: LastEvent,
}

/// When the last event was, as the buffer has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastEvent {
    /// Just before the act begins. In a debug build its instructions take too long, one by one, for an
    /// event's word; there it is the same as the next.
    Now,
    /// Later than the act's own will be: so it does not matter how long one takes over its instructions.
    Ahead,
    /// So long ago that an event's word can't say it.
    LongAgo,
}

const fn of_writer(name: &'static str, before: fn(&Stage), act: fn(&Stage)) -> Act {
    Act { name, before, act, in_sections: true, is_seen: true, last_event: LastEvent::Ahead }
}

const fn of_lane(name: &'static str, before: fn(&Stage), act: fn(&Stage)) -> Act {
    Act { name, before, act, in_sections: false, is_seen: true, last_event: LastEvent::Ahead }
}

const fn of_others(name: &'static str, is_seen: bool, before: fn(&Stage), act: fn(&Stage)) -> Act {
    Act { name, before, act, in_sections: false, is_seen, last_event: LastEvent::Ahead }
}

/// A resize. It visits the CPU at the end, to take the memory of the ring that is of no use any more.
const fn of_resize(name: &'static str, act: fn(&Stage)) -> Act {
    Act { in_sections: true, ..of_others(name, true, write_to_cpu, act) }
}

/// All of them.
pub const ACTS: &[Act] = &[
    Act { last_event: LastEvent::Now, ..of_writer("write", write_to_cpu, |stage| stage.write(false)) },
    Act {
        last_event: LastEvent::Now,
        ..of_writer("write_short", write_of_short, |stage| stage.write_short())
    },
    of_writer("first_write", |_| (), |stage| stage.write(false)),
    of_writer("adopt_clear", |stage| write_and(stage, false, clear), |stage| stage.write(false)),
    of_writer("adopt_snapshot", |stage| write_and(stage, false, snapshot), |stage| stage.write(false)),
    of_writer("adopt_reset", |stage| write_and(stage, false, clear_blocks), |stage| stage.write(false)),
    of_writer("next_page", |stage| fill_page(stage, false, 1), |stage| stage.write(false)),
    of_writer("end_of_page", leave_space_for_one, |stage| stage.write(false)),
    of_writer("overwrite_page", |stage| fill_page(stage, false, 3), |stage| stage.write(false)),
    Act {
        last_event: LastEvent::LongAgo,
        ..of_writer("time_extend", write_to_cpu, |stage| stage.write(false))
    },
    of_lane("lane_write", write_to_lane, |stage| stage.write(true)),
    of_lane("lane_take_over", own_lanes_by_the_dead, |stage| stage.write(true)),
    of_lane("lane_adopt", |stage| write_and(stage, true, snapshot), |stage| stage.write(true)),
    of_lane("lane_overwrite_page", |stage| fill_page(stage, true, 4), |stage| stage.write(true)),
    Act {
        last_event: LastEvent::LongAgo,
        ..of_lane("lane_time_extend", write_to_lane, |stage| stage.write(true))
    },
    of_others("refuse", false, fill_for_good, |stage| {
        let refused = stage.try_to_write(false);
        assert_eq!(refused, Err(NotWritten::Dropped(DropReason::Full)));
    }),
    of_others("snapshot", true, write_to_cpu, snapshot),
    of_others("clear", true, write_to_cpu, clear),
    of_others("clear_block", true, write_to_lane, clear_blocks),
    of_others("enable_tracing", false, write_to_cpu, |stage| {
        stage.buffer.set_tracing(true);
    }),
    of_others(
        "hold_and_let_go",
        false,
        |stage| write_and(stage, false, snapshot),
        |stage| {
            let holder = stage.holder();
            stage.buffer.snapshots().for_each(|snapshot| drop(holder.hold(snapshot).expect("kept")));
        },
    ),
    of_others("replace_dead_holder", false, hold_by_the_dead, |stage| drop(stage.holder())),
    of_others("discard", true, |stage| write_and(stage, false, snapshot), discard),
    of_others("discard_from_the_dead", true, hold_by_the_dead, discard),
    // Where nobody has written since, these visit the CPU.
    Act { in_sections: true, ..of_others("release", false, leave_kept, release) },
    of_others("snapshot_block", true, write_to_cpu, |stage| {
        let block = ring_buffer_block(stage);
        stage.holder().snapshot_block(block).expect("a spare ring");
    }),
    of_others("reserve", false, release, |stage| {
        stage.holder().reserve(&stage.path).expect("memory");
    }),
    of_others(
        "consume",
        true,
        |stage| fill_page(stage, false, 1),
        |stage| {
            let block = ring_buffer_block(stage);
            stage.buffer.consume(block, &mut [0; 4096]).expect("events");
        },
    ),
    of_others(
        "consume_placed",
        true,
        |stage| fill_page(stage, false, 1),
        |stage| {
            let (block, mut cursor) = (ring_buffer_block(stage), PlacedCursor::default());
            while stage.buffer.next_placed(block, &mut cursor).is_some() {}
            let start = stage.buffer.unread(block).expect("events").start;
            stage.buffer.consume_to(block, start, cursor.number(), 0).expect("nobody else consumes");
        },
    ),
    of_resize("resize_shrink", |stage| resize(stage, PAGES - 1)),
    of_resize("resize_grow", |stage| resize(stage, PAGES + 1)),
    of_resize("resize_one", |stage| {
        let (holder, block) = (stage.holder(), ring_buffer_block(stage));
        let resized = holder.resize_block(&stage.path, block, PAGES + 1, Content::Keep);
        assert!(resized.expect("it fits").is_some());
    }),
    Act {
        in_sections: true,
        ..of_others(
            "settle",
            false,
            |stage| write_and(stage, false, snapshot),
            |stage| {
                let holder = stage.holder();
                let snapshot = stage.buffer.snapshots().next().expect("one was taken");
                assert_eq!(holder.hold(snapshot).expect("kept").settle(), 0);
            },
        )
    },
];

/// A mistake, to see that it is found: a writer that stores what another would, but the tail first.
pub const COMMIT_FIRST: Act = of_lane("commit_first", plan_commit_first, |stage| {
    stage.plan.borrow().iter().for_each(|(offset, word)| stage.poke(*offset, *word));
});

fn plan_commit_first(stage: &Stage) {
    write_to_lane(stage);
    let before = stage.image();
    stage.write(true);
    let mut plan = before.differences(&stage.image());
    stage.restore(&before);
    let tail = block_offset(stage.buffer.geometry().cpus);
    plan.sort_by_key(|(offset, _)| *offset != tail);
    stage.plan.replace(plan);
}

fn write_to_cpu(stage: &Stage) {
    (0..3).for_each(|_| stage.write(false));
}

fn write_of_short(stage: &Stage) {
    write_to_cpu(stage);
    stage.stamped.set(WRITER_OF_SHORT);
}

fn write_to_lane(stage: &Stage) {
    (0..3).for_each(|_| stage.write(true));
}

fn write_and(stage: &Stage, lane: bool, then: fn(&Stage)) {
    (0..3).for_each(|_| stage.write(lane));
    then(stage);
}

fn clear(stage: &Stage) {
    stage.buffer.clear();
}

fn snapshot(stage: &Stage) {
    stage.buffer.snapshot().expect("a spare ring");
}

fn clear_blocks(stage: &Stage) {
    stage.buffer.clear_block(ring_buffer_block(stage));
}

fn discard(stage: &Stage) {
    let holder = stage.holder();
    stage.buffer.snapshots().for_each(|snapshot| assert!(holder.discard(snapshot)));
}

fn release(stage: &Stage) {
    assert_eq!(stage.holder().release(), Released::Freed);
}

/// What was there is kept: where it is dropped, one who is killed in between leaves it kept.
fn resize(stage: &Stage, pages: u32) {
    let resized = stage.holder().resize(&stage.path, pages, Content::Keep);
    assert!(resized.expect("it fits").is_some());
}

/// A ring that is spare, although the tail is still in it.
fn leave_kept(stage: &Stage) {
    write_and(stage, false, snapshot);
    discard(stage);
}

/// The block that was written to.
fn ring_buffer_block(stage: &Stage) -> u32 {
    let mut blocks = 0..stage.buffer.geometry().blocks();
    blocks.find(|block| !stage.buffer.is_block_empty(*block)).expect("something was written")
}

/// Writes until the next event goes to another page, for the `pages`th time.
pub fn fill_page(stage: &Stage, lane: bool, pages: u32) {
    stage.write(lane);
    let block = block_offset(ring_buffer_block(stage));
    for page in 1..=pages {
        let before = page_of_tail(stage, block);
        let mut image = stage.image();
        stage.write(lane);
        while page_of_tail(stage, block) == before {
            image = stage.image();
            stage.write(lane);
        }
        if page == pages {
            stage.restore(&image);
        }
    }
}

/// Leaves a page less space than the fast path needs, and builds an event that fits it.
fn leave_space_for_one(stage: &Stage) {
    const SMALLEST: usize = 20;
    stage.write(false);
    let block = block_offset(ring_buffer_block(stage));
    let space = || 4096 - HEADER_SIZE - (stage.peek(block) >> 16) as usize % 4096;
    while space() > 300 {
        stage.build_next_of(SMALLEST..=200);
        stage.write(false);
    }
    stage.build_next_of(space() - 35..=space() - SMALLEST);
    stage.write(false);
    assert!((SMALLEST..36).contains(&space()));
    stage.build_next_of(SMALLEST..=SMALLEST);
}

/// A full buffer that doesn't overwrite.
fn fill_for_good(stage: &Stage) {
    stage.buffer.set_overwrite(false);
    while stage.try_to_write(false).is_ok() {}
}

fn own_lanes_by_the_dead(stage: &Stage) {
    write_to_lane(stage);
    let cpus = stage.buffer.geometry().cpus;
    for lane in cpus..stage.buffer.geometry().blocks() {
        stage.poke(block_offset(lane) + offset_of!(Block, owner), someone_dead());
    }
}

/// A snapshot that the dead hold, who have taken all places.
fn hold_by_the_dead(stage: &Stage) {
    write_to_cpu(stage);
    snapshot(stage);
    let kept = stage.buffer.snapshots().next().expect("just taken");
    let child = fork(|| {
        let holder = stage.holder();
        std::mem::forget(holder.hold(kept).expect("kept"));
        std::mem::forget(holder);
    });
    let holders = offset_of!(BufferHeader, holders);
    (1..MAX_HOLDERS).for_each(|place| stage.poke(holders + 8 * place, child));
}

/// The identity of somebody who is dead.
fn someone_dead() -> u64 {
    fork(|| ())
}

/// Has a child do something, and says who that was when it is dead.
fn fork(act: impl FnOnce()) -> u64 {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child == 0 {
        act();
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: a child of ours.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!((child > 0, status), (true, 0));
    assert_ne!(child as u64 | NAMESPACE, identity());
    child as u64 | NAMESPACE
}

fn page_of_tail(stage: &Stage, block: usize) -> u64 {
    stage.peek(block) >> 28
}
