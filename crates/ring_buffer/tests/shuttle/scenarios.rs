//! What two or three do at a time.

use crate::explore::assert_holds;
use crate::identity::{alive, dead};
use crate::stage::{LANES, MOST_PAGES, RINGS, Stage};
use abi::buffer::{BLOCKS_OFFSET, Block, BufferHeader, MAX_HOLDERS};
use ring_buffer::{Content, DropReason, NotReserved, NotResized, NotWritten, Refused, Released, Snapshot};
use std::mem::offset_of;

/// Some who do something at a time.
pub struct Scenario {
    /// What has happened before.
    pub before: fn(&Stage),
    /// What each of them does.
    pub acts: &'static [fn(&Stage, usize)],
    /// What holds then, besides what always does.
    pub after: fn(&Stage),
}

/// Defines scenarios, each with a test that every law holds in it.
macro_rules! scenarios {
    ($($name:ident $test:ident: $before:expr, [$($act:expr),*], $after:expr;)*) => {
        $(
            pub static $name: Scenario =
                Scenario { before: $before, acts: &[$($act),*], after: $after };

            #[test]
            fn $test() {
                assert_holds(&$name);
            }
        )*
    };
}

scenarios! {
    SNAPSHOTS snapshots: write_some, [snapshot, snapshot], each_was_taken;
    SNAPSHOTS_AND_WRITER snapshots_and_a_writer: write_some, [snapshot, snapshot, write], each_was_taken;
    TOO_MANY_SNAPSHOTS too_many_snapshots: write_some,
        [try_snapshot, try_snapshot, try_snapshot], one_was_refused;
    SNAPSHOT_AND_RELEASE snapshot_and_release: write_some, [try_snapshot, release, release], |_| ();
    RESERVE_AND_SNAPSHOT reserve_and_snapshot: release_some, [reserve, try_snapshot, write], |_| ();
    RESERVES reserves: release_some, [reserve, reserve], |stage| assert_eq!(stage.events().reserved, 1);
    RESERVES_AND_RELEASE reserves_and_release: release_some, [reserve, reserve, release], |_| ();
    DISCARD_AND_HOLD discard_and_hold: keep_one, [discard, hold, snapshot_and_write], |_| ();
    HOLDERS_OF_ONE holders_of_one: keep_one, [hold_for_sure, hold_for_sure, hold_for_sure], |_| ();
    HOLDERS_FOR_THE_DEAD holders_for_the_dead: die_in_all_places, [hold_for_sure, hold_for_sure], |_| ();
    DISCARDS_FROM_THE_DEAD discards_from_the_dead: die_holding,
        [discard_by_holder, discard_by_holder, hold], |_| ();
    TAKEN_BY_THE_DEAD taken_by_the_dead: die_changing, [reserve, release, try_snapshot], |_| ();
    CONSUMERS consumers: write_some, [consume, consume], all_was_consumed;
    CONSUMERS_AND_WRITER consumers_and_a_writer: write_some, [consume, consume, write], |_| ();
    CONSUME_AND_CLEAR consume_and_clear: write_some, [consume, clear, write], |_| ();
    CONSUME_AND_CLEAR_BLOCK consume_and_clear_block: write_some, [consume, clear_block, write], |_| ();
    LANES_FOR_ALL lanes_for_all: |_| (), [write, write], |stage| assert_eq!(stage.events().no_lane, 0);
    LANES_FOR_TWO_OF_THREE lanes_for_two_of_three: |_| (), [write, write, write], |_| ();
    LANES_OF_THE_DEAD lanes_of_the_dead: die_owning, [write, write, write], |_| ();
    SNAPSHOT_BLOCK_AND_SNAPSHOT snapshot_block_and_snapshot: write_some,
        [snapshot_block, try_snapshot, write], |_| ();
    SNAPSHOT_BLOCKS snapshot_blocks: write_some, [snapshot_block, snapshot_block], |_| ();
    SNAPSHOT_BLOCKS_AND_WRITER snapshot_blocks_and_a_writer: write_some,
        [snapshot_block, snapshot_block, write], |_| ();
    SNAPSHOT_BLOCK_AND_HOLD snapshot_block_and_hold: write_some, [snapshot_block, snapshot_and_hold], |_| ();
    RESIZE_AND_SNAPSHOT resize_and_snapshot: write_some, [resize, try_snapshot, write], |_| ();
    RESIZES resizes: write_some, [resize, resize_less], |_| ();
    RESIZE_AND_HOLD resize_and_hold: keep_one, [resize, hold, write], |_| ();
}

fn write_some(stage: &Stage) {
    (0..3).for_each(|_| stage.write(0).expect("a lane"));
}

/// A buffer with one snapshot.
fn keep_one(stage: &Stage) {
    write_some(stage);
    stage.buffer.snapshot().expect("a spare ring");
    stage.write(0).expect("a lane");
}

/// A buffer with one ring that is spare, and one without memory.
fn release_some(stage: &Stage) {
    write_some(stage);
    assert_eq!(stage.holder(0).release(), Released::Freed);
}

/// A snapshot that someone holds who is dead.
fn die_holding(stage: &Stage) {
    keep_one(stage);
    stage.hold_by_the_dead(kept_before(stage));
}

/// A holder dies with a snapshot, and all other slots are the dead's, too.
fn die_in_all_places(stage: &Stage) {
    die_holding(stage);
    let holders = offset_of!(BufferHeader, holders);
    (0..MAX_HOLDERS).for_each(|place| stage.poke(holders + 8 * place, dead()));
}

/// A ring that someone was changing who is dead.
fn die_changing(stage: &Stage) {
    release_some(stage);
    let (entries, size) = (offset_of!(BufferHeader, kept), size_of::<abi::buffer::Kept>());
    let changing = abi::buffer::KeptWord::unused(abi::buffer::KeptState::Changing).held_by(0);
    let absent = (0..RINGS).find(|ring| stage.word(entries + ring * size) >> 56 == 0);
    stage.poke(entries + absent.expect("one was released") * size, changing.0);
    stage.poke(offset_of!(BufferHeader, holders), dead());
}

/// Lanes in the middle of whose writes the owners have died.
fn die_owning(stage: &Stage) {
    write_some(stage);
    let cpus = stage.buffer.geometry().cpus;
    for lane in cpus..cpus + LANES {
        let block = BLOCKS_OFFSET as usize + lane as usize * size_of::<Block>();
        stage.poke(block + offset_of!(Block, owner), dead());
    }
}

/// The snapshot that there is before all begins.
fn kept_before(stage: &Stage) -> Snapshot {
    let first = stage.buffer.snapshots().min_by_key(Snapshot::generation);
    first.expect("one was taken")
}

fn write(stage: &Stage, who: usize) {
    for _ in 0..2 {
        let written = stage.write(who);
        assert!(matches!(written, Ok(()) | Err(NotWritten::Dropped(DropReason::NoLane))), "{written:?}");
    }
}

fn snapshot(stage: &Stage, _: usize) {
    let asked = stage.buffer.now();
    let taken = stage.buffer.snapshot().expect("R13: there are as many spare rings as snapshots are taken");
    let in_time = (asked..=stage.buffer.now()).contains(&taken.time());
    assert!(in_time, "R13: {taken:?} was asked for at {asked}");
}

fn try_snapshot(stage: &Stage, _: usize) {
    let taken = stage.buffer.snapshot();
    assert!(matches!(taken, Ok(_) | Err(Refused::NoSpare)), "{taken:?}");
}

fn snapshot_and_write(stage: &Stage, who: usize) {
    snapshot(stage, who);
    write(stage, who);
}

fn snapshot_and_hold(stage: &Stage, who: usize) {
    snapshot(stage, who);
    hold(stage, who);
}

fn snapshot_block(stage: &Stage, who: usize) {
    let taken = stage.holder(who).snapshot_block(stage.buffer.geometry().cpus);
    assert!(matches!(taken, Ok(_) | Err(Refused::NoSpare)), "{taken:?}");
}

fn release(stage: &Stage, who: usize) {
    // What a lane's writer keeps it from stays retired.
    let _ = stage.holder(who).release();
}

fn reserve(stage: &Stage, who: usize) {
    match stage.holder(who).reserve(&stage.path) {
        Ok(()) => stage.events().reserved += 1,
        Err(error) => assert_eq!(error, NotReserved::AllReserved),
    }
}

/// Holds the snapshot that was there before, if it still is, and reads it.
fn hold(stage: &Stage, who: usize) {
    let holder = stage.holder(who);
    let Some(snapshot) = stage.buffer.snapshots().next() else { return };
    if let Some(held) = holder.hold(snapshot) {
        let first = stage.kept(&held);
        assert!(!stage.buffer.discard(snapshot), "R14: a snapshot that is held is freed");
        assert_eq!(stage.kept(&held), first, "R14: a snapshot that is held has changed");
        stage.events().seen.push((snapshot, first));
    }
}

fn hold_for_sure(stage: &Stage, who: usize) {
    let holder = stage.holder(who);
    let held = holder.hold(kept_before(stage)).expect("R14: nobody gives it up");
    let kept = stage.kept(&held);
    assert_eq!(kept, stage.events().written[..kept.len()], "R14: a snapshot that is held has changed");
    assert!(!stage.buffer.discard(held.snapshot()), "R14: a snapshot that is held is freed");
}

fn discard(stage: &Stage, _: usize) {
    let Some(snapshot) = stage.buffer.snapshots().next() else { return };
    if stage.buffer.discard(snapshot) {
        stage.events().are_dropped = true;
    }
}

fn discard_by_holder(stage: &Stage, who: usize) {
    let holder = stage.buffer.holder(alive(who)).expect("a place");
    let Some(snapshot) = stage.buffer.snapshots().next() else { return };
    if holder.discard(snapshot) {
        stage.events().are_dropped = true;
    }
}

fn consume(stage: &Stage, _: usize) {
    stage.consume();
}

fn clear(stage: &Stage, _: usize) {
    stage.events().are_dropped = true;
    stage.buffer.clear();
}

fn clear_block(stage: &Stage, _: usize) {
    stage.events().are_dropped = true;
    stage.buffer.clear_block(stage.buffer.geometry().cpus);
}

fn resize(stage: &Stage, who: usize) {
    resize_to(stage, who, MOST_PAGES);
}

fn resize_less(stage: &Stage, who: usize) {
    resize_to(stage, who, MOST_PAGES - 4);
}

fn resize_to(stage: &Stage, who: usize, pages: u32) {
    let resized = stage.holder(who).resize(&stage.path, pages, Content::Keep);
    let is_sane = matches!(resized, Ok(Some(_)) | Err(NotResized::NoRing | NotResized::Contended));
    assert!(is_sane, "{resized:?}");
}

fn each_was_taken(stage: &Stage) {
    let mut snapshots: Vec<Snapshot> = stage.buffer.snapshots().collect();
    snapshots.sort_unstable_by_key(Snapshot::generation);
    assert_eq!((snapshots.len(), stage.buffer.refused_snapshots()), (RINGS - 1, 0));
    let generations: Vec<u64> = snapshots.iter().map(Snapshot::generation).collect();
    assert_eq!(generations, [0, 1], "R13: each has a generation of its own");
}

fn one_was_refused(stage: &Stage) {
    assert_eq!((stage.buffer.snapshots().count(), stage.buffer.refused_snapshots()), (RINGS - 1, 1));
}

fn all_was_consumed(stage: &Stage) {
    let events = stage.events().clone();
    assert_eq!(events.consumed.len(), events.written.len(), "R8: events that nobody got");
}
