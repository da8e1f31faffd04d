//! A writer that a debugger steps through, as gdb does for `step` and for watchpoints without hardware: the
//! kernel aborts each section that it begins.

use crate::acts::fill_page;
use crate::stage::Stage;
use crate::traced::Traced;
use abi::page::DELTA_LIMIT;

/// What is tested.
pub const TESTS: &[(&str, fn())] = &[
    ("a_writer_that_is_stepped_through_takes_a_lane_soon", || written_in_steps(|_| ())),
    ("the_same_at_the_end_of_a_page", || written_in_steps(|stage| fill_page(stage, false, 1))),
    ("the_same_after_a_gap", || stepped_after_a_gap()),
    ("the_same_after_a_snapshot", || {
        written_in_steps(|stage| assert!(stage.buffer.snapshot().is_ok(), "a spare ring"));
    }),
];

/// Sections that are begun: the fast path's, and two more.
const MOST_ABORTS: u32 = 3;

/// Has a child write the next event, one instruction at a time: that succeeds.
fn written_in_steps(before: impl Fn(&Stage)) {
    let stage = Stage::new();
    stage.write(false);
    // Else it may take longer from one instruction to another than an event's word can say.
    stage.set_last_time(stage.buffer.now() + 100 * DELTA_LIMIT);
    before(&stage);
    step_through(&stage);
    assert_eq!(stage.look().expect("in order").live.last(), Some(&stage.last()), "it is written");
}

/// A debugger steps through a write after more time than an event's word can hold. As much may pass again,
/// and again, from one instruction to another: then the event is lost, and counted.
fn stepped_after_a_gap() {
    let stage = Stage::new();
    stage.write(false);
    stage.set_last_time(1);
    step_through(&stage);
    let is_written = stage.look().expect("in order").live.last() == Some(&stage.last());
    let blocks = 0..stage.buffer.geometry().blocks();
    let lost: u64 = blocks.map(|block| stage.buffer.statistics(block).dropped_events()).sum();
    assert_eq!(lost, u64::from(!is_written), "it is written, or counted");
}

/// Has a child write the next event, one instruction at a time.
fn step_through(stage: &Stage) {
    stage.build_next();
    // Where it has no space, that is counted.
    let mut writer = Traced::start(|| _ = stage.try_to_write(false));
    stage.next_is_written();
    let mut aborts = 0;
    while writer.step_as_debugger() {
        aborts += u32::from(writer.is_in_section());
    }
    writer.kill();
    assert!((1..=MOST_ABORTS).contains(&aborts), "{aborts} sections were begun");
}
