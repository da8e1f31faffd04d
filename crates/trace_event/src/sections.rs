//! Sections of the calling thread that a latency tracer measures: while it has asynchronous signals blocked,
//! or is in a critical section.
//!
//! The thread itself takes the time where a section begins and where it ends, writes both into the trace, and
//! compares how long it was with the longest so far. Where it is longer, a snapshot keeps the trace of this
//! moment, and recording goes on.
//!
//! Which section it is in a thread knows from its [state](crate::state), so one begins and ends with the
//! first of what makes it and the last. Nobody looks at that while no latency tracer is current.

use crate::entered::{CallRecord, Entered, FrameRecord, enter};
use crate::graph::{GraphExit, graph_entry, graph_exit};
use crate::here::CallingThread;
use crate::shared::SharedSession;
use crate::state::{locks_held, signals_are_blocked};
use crate::{current, is_aside, is_enabled, nanoseconds, thread_words};
use abi::control::{LOCKS_HELD, MeasuredSections, SECTIONS_ID, SIGNALS_BLOCKED, WAKEUPS};
use abi::instance::IN_SECTIONS;
use control::{Context, ControlArea};
use events::ftrace::FUNCTION_ID;
use ring_buffer::{
    EncodedEvent, MeasuredSection, Reason, RecordBuffer, SnapshotCause, SnapshotOrigin, Writer,
};
use trigger_effect::keep_longest;

/// The section that a thread is in.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct OwnSection {
    /// When it began, by [`crate::call_time`]; 0 in none that is measured.
    start: u64,
    /// Where: an address that a call returns to.
    started_at: u64,
    /// What was measured then.
    measured: u64,
    _aligned: u64,
}

thread_words!(
    /// The calling thread's.
    fn section() -> *mut OwnSection,
    "lookback_thread_section"
);

/// Where and when the state of a thread changes.
#[derive(Debug, Clone, Copy)]
pub struct StateChange {
    /// The function that changes it: libc's, or a handler.
    pub function: u64,
    /// The address that the program's call of it returns to; 0 where that isn't known.
    pub caller: u64,
    /// What the function that was called has on the stack; null where that isn't known.
    pub frame: *const FrameRecord,
    /// A reading of [`crate::call_time`].
    pub time: u64,
}

impl StateChange {
    /// The place in the program, as an address that a call returns to.
    fn place(&self) -> u64 {
        if self.caller == 0 { self.function.wrapping_add(1) } else { self.caller }
    }
}

/// Whether sections are measured. Cost: two loads.
#[inline(always)]
pub fn sections_are_measured() -> bool {
    is_enabled(SECTIONS_ID)
}

/// What makes sections, of [`abi::control::SIGNALS_BLOCKED`] and others, as far as it holds for the calling
/// thread.
pub fn section_state() -> u32 {
    let blocked = if signals_are_blocked() { SIGNALS_BLOCKED } else { 0 };
    blocked | if locks_held() > 0 { LOCKS_HELD } else { 0 }
}

/// What [`section_state`] is with so many locks.
pub fn with_locks(state: u32, held: u32) -> u32 {
    state & !LOCKS_HELD | if held > 0 { LOCKS_HELD } else { 0 }
}

/// What it is with asynchronous signals blocked, or not.
pub fn with_signals(state: u32, blocked: bool) -> u32 {
    state & !SIGNALS_BLOCKED | if blocked { SIGNALS_BLOCKED } else { 0 }
}

/// Changes the state of the calling thread from `before` to `after` by `apply`, and begins a section or ends
/// one where that is what it means. What a handler does that comes in between is within the section.
///
/// Async-signal-safe, and without a system call where the thread has recorded before.
///
/// # Safety
///
/// The function that the frame is of has not returned.
#[inline]
pub unsafe fn change_state(
    (before, after): (u32, u32),
    change: impl FnOnce() -> StateChange,
    apply: impl FnOnce(),
) {
    if before == after || !sections_are_measured() {
        return apply();
    }
    let ends = after & !before == 0;
    let change = change();
    if ends {
        // SAFETY: the caller's promise.
        unsafe { state_changes(before, after, change) };
    }
    apply();
    if !ends {
        // SAFETY: the caller's promise.
        unsafe { state_changes(before, after, change) };
    }
}

/// Whether what the calling thread calls is left out in an instance: that has functions within sections only
/// ([`abi::instance::IN_SECTIONS`]), and the thread is in none. Which threads a wake-up concerns nobody knows
/// before it is over: of those none is left out.
#[inline]
pub fn is_outside_sections(control: &ControlArea, instance: usize) -> bool {
    control.instance_flags(instance) & IN_SECTIONS != 0 && !is_in_section(control.measured_sections())
}

fn is_in_section(measured: MeasuredSections) -> bool {
    // SAFETY: the words are the thread's own.
    let begun = unsafe { section().read_volatile() };
    // What a child in its parent's memory does there is not the parent's.
    (measured.states() & WAKEUPS != 0 || begun.start != 0 && begun.measured == measured.0) && !is_aside()
}

/// Begins a section, or ends one and notes how long it was, as the state changes.
///
/// # Safety
///
/// As for [`change_state`].
#[cold]
#[inline(never)]
unsafe fn state_changes(before: u32, after: u32, change: StateChange) {
    let Some(shared) = current::shared().filter(|shared| !shared.is_left_out()) else { return };
    let measured = shared.control.measured_sections();
    let [was, is] = [before, after].map(|state| state & measured.states() != 0);
    let Some(measuring) = (was != is).then(|| measuring(shared, measured)).flatten() else { return };
    if is {
        measuring.begin(change);
    } else {
        // SAFETY: the caller's promise.
        unsafe { measuring.end(change) };
    }
}

/// What is needed to measure in the calling thread.
pub(crate) fn measuring(shared: &'static SharedSession, measured: MeasuredSections) -> Option<Measuring> {
    // What a child in its parent's memory does there is not the parent's.
    let instance = measured.instance().filter(|_| !is_aside())?;
    let (writer, entered) = (shared.writer_of(instance)?, enter()?);
    Some(Measuring { shared, entered, instance, writer, measured })
}

/// Who measures, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Measuring {
    pub(crate) shared: &'static SharedSession,
    entered: Entered,
    instance: usize,
    pub(crate) writer: &'static Writer,
    pub(crate) measured: MeasuredSections,
}

impl Measuring {
    /// The calling thread.
    pub(crate) fn tid(self) -> u32 {
        self.entered.tid() as u32
    }

    fn begin(self, change: StateChange) {
        let start = if self.writer.buffer().is_tracing() { change.time } else { 0 };
        let begun = OwnSection {
            start,
            started_at: change.place(),
            measured: self.measured.0,
            ..OwnSection::default()
        };
        // SAFETY: the words are the thread's own.
        unsafe { section().write_volatile(begun) };
        if start != 0 {
            self.record(change);
        }
    }

    /// Ends the section that the thread is in.
    ///
    /// # Safety
    ///
    /// As for [`change_state`].
    unsafe fn end(self, change: StateChange) {
        // SAFETY: the words are the thread's own.
        let begun = unsafe { section().read_volatile() };
        // SAFETY: the words are the thread's own.
        unsafe { section().write_volatile(OwnSection::default()) };
        let is_measured = begun.start != 0 && begun.measured == self.measured.0;
        if is_measured && self.writer.buffer().is_tracing() {
            // SAFETY: the caller's promise.
            unsafe { self.ends(begun.start, begun.started_at, change) };
        }
    }

    /// Notes how long it was since something began, and keeps the trace of it where that is to be kept.
    ///
    /// # Safety
    ///
    /// As for [`change_state`].
    pub(crate) unsafe fn ends(self, start: u64, started_at: u64, change: StateChange) {
        self.record(change);
        let passed = nanoseconds(start, change.time);
        if !self.shared.control.exceeds_latency(self.instance, passed) {
            return;
        }
        let call = (!change.frame.is_null()).then_some(CallRecord { frame: change.frame, time: 0 });
        self.entered.write_stack(self.shared, call, self.instance, self.writer);
        let section = MeasuredSection {
            cpu: CallingThread::new(self.shared).cpu() as u16,
            start,
            nanoseconds: passed,
            started_at,
            ended_at: change.place(),
        };
        // A recording has all sections.
        if self.writer.buffer().keeps_snapshots() {
            self.keep(section);
        }
    }

    /// Writes where a section begins or ends.
    pub(crate) fn record(self, change: StateChange) {
        let StateChange { function, caller, time, .. } = change;
        if self.measured.is_graph() {
            self.commit(time, graph_entry(self.entered, function, 0).record().event());
            self.commit(
                time,
                graph_exit(
                    self.entered,
                    function,
                    GraphExit { start: time, end: time, ..GraphExit::default() },
                )
                .event(),
            );
            return;
        }
        let mut record = RecordBuffer::<5>::new();
        record.push(self.entered.common(FUNCTION_ID));
        record.push(function);
        record.push(caller);
        self.commit(time, record.event());
    }

    fn commit(self, time: u64, event: EncodedEvent<'_>) {
        let call = CallRecord { frame: core::ptr::null(), time };
        self.entered.commit(self.shared, Some(call), (self.instance, self.writer), event);
    }

    /// Keeps the trace of the section that has just ended.
    fn keep(self, section: MeasuredSection) {
        let control = &self.shared.control;
        let origin = SnapshotOrigin {
            cause: SnapshotCause::Latency(section),
            tid: self.entered.tid() as u32,
            uid: None,
            comm: self.shared.thread_comm(),
            reason: Reason::default(),
        };
        let is_longest = || control.max_latency(self.instance) == section.nanoseconds;
        keep_longest(control, self.writer.buffer(), &origin, is_longest);
    }
}
