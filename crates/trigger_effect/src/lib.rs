//! Doing what triggers say, where the event happens.
//!
//! A [`Stage`] is what an instance's triggers act on: the session's control area and the instance's buffer.
//! A traced process has them act around the record that it writes, `trace_marker` after its own.
//!
//! What this crate is not: it doesn't choose the triggers that are due (`event_trigger` does), and a stack is
//! written by who has the thread.
//!
//! Source: `kernel/trace/trace_events_trigger.c` of Linux 6.18, for what they do and what counts.
//!
//! ```
//! use control::{Clocks, ControlArea, FileLayout, Here, Identity};
//! use event_trigger::{Action, Trigger};
//! use ring_buffer::{Buffer, Clock, Specification};
//! use trigger_effect::Stage;
//!
//! let name = |part| std::ffi::CString::new(format!("/dev/shm/{part}-{}", std::process::id())).unwrap();
//! let wanted = Specification {
//!     page_size: 4096, pages: 2, most_pages: 2, cpus: &[true], lanes: 1, rings: 1, clock: Clock::Tsc,
//!     overwrite: true, identity: 7,
//! };
//! let segment = shm::create(&name("buffer"), wanted.file_size().unwrap() as usize).unwrap();
//! let buffer = Buffer::create(segment, &wanted).unwrap();
//! let identity = Identity { number: 7, agent: 1, creator: 2, pid_namespace: 3, created: Clocks::now(),
//!     trace_clock: abi::clock::TraceClock::Mono };
//! let segment = shm::create(&name("control"), abi::control::CONTROL_SIZE).unwrap();
//! let layout = FileLayout::new(1, 4096, 4096, 1).unwrap();
//! let control = ControlArea::create(segment, &identity, &layout).unwrap();
//! let event = control.add_event("app", "request", "").unwrap();
//!
//! let traceoff = Action::named("traceoff").unwrap();
//! let counter = control.new_counter(1).unwrap();
//! let list = Trigger::head(traceoff, 0, counter, 0, 0);
//! control.set_triggers(event, 0, control.filter_space().store(&list, ""));
//!
//! let first_word = abi::common::word(event, 0, 0, 12);
//! let due = control.due(0, &first_word.to_le_bytes(), &Here { cpu: 0, comm: b"server" });
//! Stage { control: &control, buffer: &buffer, instance: 0, first_word }.act_all(&due);
//! assert!(!buffer.is_tracing());
//! assert_eq!(control.count_left(counter), Some(0));
//! # for part in ["buffer", "control"] {
//! #     std::fs::remove_file(name(part).to_str().unwrap()).unwrap();
//! # }
//! ```
//!
//! Async-signal-safe: all of it. No allocation, no system call.
#![no_std]
#![forbid(unsafe_code)]

mod snapshot;

use abi::control::is_of_tracer;
use abi::instance::STACKS;
use control::ControlArea;
use event_trigger::{Due, DueAction, Effect, ErrorRate};
use ring_buffer::{Buffer, Reason, SnapshotCause, SnapshotOrigin, digits, duration_time};
pub use snapshot::{keep_longest, take_snapshot};

/// An instance, for the triggers of its events to act on.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    /// The session's file.
    pub control: &'a ControlArea,
    /// The instance's buffer.
    pub buffer: &'a Buffer,
    /// Its number.
    pub instance: usize,
    /// The first word of the record whose triggers they are: which event, and whose.
    pub first_word: u64,
}

impl Stage<'_> {
    /// Has the triggers act that come before the record is written.
    #[inline]
    pub fn before(&self, due: &Due) {
        due.before().for_each(|due| self.act(due, None));
    }

    /// Has those act that come after it; with what writes the thread's stack, where there is one.
    #[inline]
    pub fn after(&self, due: &Due, write_stack: Option<&dyn Fn()>) {
        due.after().for_each(|due| self.act(due, write_stack));
    }

    /// Has all act, for a record that is written: what the kernel does with those of `trace_marker`.
    pub fn act_all(&self, due: &Due) {
        self.before(due);
        self.after(due, None);
    }

    /// Does what one says. An action that finds nothing to do doesn't count.
    pub fn act(&self, due: DueAction, write_stack: Option<&dyn Fn()>) {
        if due.action.effect == Effect::CountError {
            return self.count_error(due);
        }
        if self.is_done(due, write_stack) || !self.control.take_count(due.counter) {
            return;
        }
        let has_acted = match due.action.effect {
            Effect::SetTracing(on) => self.buffer.set_tracing(on),
            Effect::TakeSnapshot => {
                self.take_snapshot();
                true
            }
            Effect::RecordStack => write_stack.map(|write| write()).is_some(),
            Effect::EnableTarget(on) => self.control.turn(due.target, self.instance, on),
            // Done above: its counter is no count.
            Effect::CountError => true,
            Effect::Dump => {
                self.take_snapshot();
                self.buffer.set_tracing(false);
                true
            }
        };
        // Somebody else has done the same just now.
        if !has_acted {
            self.control.give_count_back(due.counter);
        }
    }

    fn is_done(&self, due: DueAction, write_stack: Option<&dyn Fn()>) -> bool {
        match due.action.effect {
            Effect::SetTracing(on) => self.buffer.is_tracing() == on,
            Effect::TakeSnapshot | Effect::Dump | Effect::CountError => false,
            // With the option it follows the event anyhow. Calls of functions have another option, and the
            // kernel writes both stacks.
            Effect::RecordStack => {
                let is_event = !is_of_tracer(abi::common::event(self.first_word));
                let flags = self.control.instance_flags(self.instance);
                write_stack.is_none() || is_event && flags & STACKS != 0
            }
            Effect::EnableTarget(on) => self.control.is_enabled(due.target, self.instance) == on,
        }
    }

    /// Counts an error of a call; one too many keeps what has been recorded, if no error has done so just
    /// now.
    fn count_error(&self, due: DueAction) {
        let Some(rate) = ErrorRate::decode(due.target, due.detail) else { return };
        let now = duration_time(self.control.tick_rate().is_some());
        if self.control.count_error(due.counter, rate, now) && self.control.claim_error(now) {
            let event = abi::common::event(self.first_word);
            let cause = SnapshotCause::Errors { event, error: due.error };
            let mut space = [0; 20];
            let limit = digits(rate.limit.into(), 10, &mut space);
            let parts = [b"more than ", limit, b"/", rate.period.letter().as_bytes()];
            let origin = SnapshotOrigin { cause, reason: Reason::of(&parts), ..self.origin() };
            take_snapshot(self.control, self.buffer, &origin);
        }
    }

    /// Keeps what has been recorded.
    fn take_snapshot(&self) {
        take_snapshot(self.control, self.buffer, &self.origin());
    }

    /// The thread's name is in the session's tables.
    fn origin(&self) -> SnapshotOrigin {
        let cause = SnapshotCause::Trigger { event: abi::common::event(self.first_word) };
        let tid = abi::common::pid(self.first_word) as u32;
        SnapshotOrigin { cause, tid, uid: None, comm: [0; 16], reason: Reason::default() }
    }
}
