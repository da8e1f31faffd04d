//! Calls of the same function by the same caller, one after the other: the option `func-no-repeats`.
//!
//! The first is recorded, the others are counted, in words of the thread. When it calls something else the
//! count is recorded. What a thread has counted when it ends is not.
//!
//! A handler of a signal may call functions while the thread's words are being changed: then they are left
//! alone, and the call is recorded.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::compiler_fence;
use events::ftrace::FUNC_REPEATS_ID;
use ring_buffer::RecordBuffer;
use trace_event::{Entered, TracingInstance, call_time, is_aside, nanoseconds, thread_words};

/// In how many instances a thread's calls can be counted. In others all are recorded.
const RUNS: usize = 4;

/// Words of the event: common fields, the function, its caller, the count and the time.
const WORDS: usize = 5;

/// The thread's words.
#[repr(C)]
struct ThreadRepeats {
    /// 1 while the others are changed.
    busy: u64,
    calls: LastCalls,
}

/// What a thread has called last.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct LastCalls {
    /// Who that is, as in the common fields: in the child of a fork another one.
    common: u64,
    runs: [CallRun; RUNS],
}

/// What it has called last, as an instance has it.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct CallRun {
    /// The instance's index + 1; 0 for none.
    instance: u32,
    /// How often in addition to the call that was recorded.
    count: u32,
    /// The function and its caller.
    call: [u64; 2],
    /// When for the last time.
    last: u64,
}

thread_words!(fn thread_repeats() -> *mut ThreadRepeats, "lookback_function_repeats");

/// Counts a call, if it is the one that the thread has made before: then there is nothing to record. Else
/// records how often the thread had made that.
pub(super) fn count(instance: TracingInstance, entered: Entered, call: [u64; 2]) -> bool {
    let words = thread_repeats();
    // SAFETY: the words are the thread's own, and a handler leaves them as they are while they are busy. A
    // child in its maker's memory, which has the same, has left before.
    let before = unsafe {
        if is_aside() || (&raw const (*words).busy).read_volatile() != 0 {
            return false;
        }
        (&raw mut (*words).busy).write_volatile(1);
        compiler_fence(SeqCst);
        let before = (*words).calls.next(entered.common(0), instance.index() as u32 + 1, call);
        compiler_fence(SeqCst);
        (&raw mut (*words).busy).write_volatile(0);
        before
    };
    match before {
        Last::Same => true,
        Last::Other(run) => {
            if run.count > 0 {
                record(instance, entered, &run);
            }
            false
        }
    }
}

/// What a thread has called before.
enum Last {
    /// What it calls now.
    Same,
    /// Something else, so often.
    Other(CallRun),
}

impl LastCalls {
    /// Notes a call.
    fn next(&mut self, common: u64, instance: u32, call: [u64; 2]) -> Last {
        if self.common != common {
            *self = LastCalls { common, ..LastCalls::default() };
        }
        let index = self.runs.iter().position(|run| run.instance == instance);
        let index = index.or_else(|| self.runs.iter().position(|run| run.instance == 0));
        let Some(run) = index.and_then(|index| self.runs.get_mut(index)) else {
            return Last::Other(CallRun::default());
        };
        // The event has 16 bits for the count.
        if run.instance == instance && run.call == call && run.count < u32::from(u16::MAX) {
            run.count += 1;
            run.last = call_time();
            return Last::Same;
        }
        Last::Other(core::mem::replace(run, CallRun { instance, call, ..CallRun::default() }))
    }
}

fn record(instance: TracingInstance, entered: Entered, run: &CallRun) {
    let now = call_time();
    let delta = nanoseconds(run.last, now);
    let mut record = RecordBuffer::<WORDS>::new();
    record.push(entered.common(FUNC_REPEATS_ID));
    run.call.into_iter().for_each(|word| record.push(word));
    record.push(u64::from(run.count) | (delta >> 32 & 0xffff) << 16 | delta << 32);
    instance.write_at(now, record.event());
}
