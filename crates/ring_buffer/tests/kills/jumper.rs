//! A thread that leaves writes to lanes by longjmp, as out of a signal handler (R9).

use crate::acts::ACTS;
use crate::stage::{Stage, block_offset};
use crate::{Trial, traced::Traced};
use abi::buffer::Block;
use std::mem::offset_of;

/// What is tested.
pub const TESTS: &[(&str, fn())] = &[
    ("lanes_that_are_left_by_longjmp_are_taken_back", left_lanes_are_taken_back),
    ("lanes_of_writes_that_may_be_under_way_stay_taken", others_stay_taken),
];

/// How often a write is left before one comes to its end. There are fewer lanes.
const JUMPS: u32 = 3;

/// After whichever instruction writes are left: the thread writes on, and no lane stays taken.
fn left_lanes_are_taken_back() {
    for act in ACTS.iter().filter(|act| act.name.starts_with("lane_")) {
        let trial = Trial::of(act).expect("in order");
        for instructions in trial.points(false) {
            let mut child = trial.start();
            let start = set_jump(&mut child);
            for _ in 0..JUMPS {
                let _ = (0..instructions).all(|_| child.step());
                child.set_registers(&start);
            }
            finish(child, &trial.stage);
            let scene = trial.stage.look().expect("in order");
            let was_written = trial.before.live != scene.live;
            assert!(was_written, "{} after {instructions}: {scene:?}", act.name);
        }
    }
}

/// Where a child goes back to: the frame that does the act, and not that of the call by which it has stopped.
fn set_jump(child: &mut Traced) -> libc::user_regs_struct {
    let stopped = child.registers();
    while child.registers().rsp <= stopped.rsp {
        assert!(child.step());
    }
    child.registers()
}

/// Lets a child come to its end, and sees to it that it owns no lane then.
fn finish(child: Traced, stage: &Stage) {
    let own = child.identity();
    child.finish();
    let lanes = stage.buffer.geometry().cpus..stage.buffer.geometry().blocks();
    let owned = lanes.filter(|lane| stage.peek(block_offset(*lane) + offset_of!(Block, owner)) == own);
    assert_eq!(owned.count(), 0, "lanes that stay taken");
}

/// A write that this thread has begun with a frame elsewhere may be what a handler has interrupted, on
/// whatever stack that runs. So its lane stays taken, and where there is no other, the event is dropped.
fn others_stay_taken() {
    let stage = Stage::new();
    let lanes = stage.buffer.geometry().cpus..stage.buffer.geometry().blocks();
    let here = (&raw const stage).addr() as u64;
    for frame in [0, here - (64 << 10), here + (64 << 10), u64::MAX] {
        for lane in lanes.clone() {
            let block = block_offset(lane);
            stage.poke(block + offset_of!(Block, owner), crate::stage::identity());
            stage.poke(block + offset_of!(Block, owner_frame), frame);
        }
        assert!(stage.try_to_write(true).is_err(), "an owner's frame at {frame:#x}, the test's at {here:#x}");
    }
}
