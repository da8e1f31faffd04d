//! The calls that threads are in, as the session's tables say it while they are.
//!
//! A call that has a frame says in its thread's entry what it is and since when, and at its end what the
//! entry said before: so a call in another, or in a handler of a signal, is shown for as long as it is there.
//!
//! A call that is left by a jump says nothing. If the jump is seen the thread is in none from then on; else
//! the next call finds that the one before has its frame below its own, where no frame is any more.

use crate::innermost::{Innermost, forget_place, load, say_none, store_frame, words};
use crate::{entered, thread};
use abi::control::call_word;
use control::{begin_call, end_call, store_current_call, stored_call};

/// What a thread was in before a call: kept in the call's frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct OuterCall {
    /// 0 where it was in none: then the other words say nothing.
    frame: usize,
    /// Where the thread says what it is in.
    place: usize,
    call: u64,
    since: u64,
}

/// A call that begins.
#[derive(Debug, Clone, Copy)]
pub struct EnteredCall {
    /// The index of its entry's event.
    pub index: u32,
    /// Its first argument.
    pub argument: u64,
    /// When it was made: a reading of [`call_time`](crate::call_time).
    pub start: u64,
    /// Where it has its frame.
    pub frame: usize,
}

/// Has the calling thread's entry say from now on that it is in a call, and notes what it was in before, for
/// [`leave_call`].
///
/// A child in its maker's memory says nothing: the maker's entry is not its own.
///
/// Async-signal-safe.
#[inline(always)]
pub fn enter_call(entered: EnteredCall, outer: &mut OuterCall) {
    outer.frame = 0;
    let Innermost { place, frame: before } = load();
    if before == 0
        && let Some(tid) = thread::known_tid()
        && let Some(words) = words(place)
    {
        // It is in none. A handler that comes in between finds the frame, and puts both words back.
        store_frame(entered.frame);
        begin_call(words, entered.word(tid), entered.start);
    } else {
        enter_in_another(&entered, outer);
    }
}

/// Does so where there is more to look at: a call in another, or a thread that makes its first.
#[cold]
#[inline(never)]
fn enter_in_another(entered: &EnteredCall, outer: &mut OuterCall) {
    let tid = entered::enter().and_then(|_| thread::known_tid());
    let Innermost { place, frame: before } = load();
    let Some((words, tid)) = tid.and_then(|tid| Some((words(place)?, tid))) else { return };
    // What is below has been left.
    if before > entered.frame {
        let (call, since) = stored_call(words);
        *outer = OuterCall { frame: before, place, call, since };
    }
    store_frame(entered.frame);
    store_current_call(words, entered.word(tid), entered.start);
}

impl EnteredCall {
    #[inline(always)]
    fn word(&self, tid: u32) -> u64 {
        call_word(self.index, self.argument as u32, tid, self.start)
    }
}

/// Has the calling thread's entry say again what it said before a call, which has its frame there.
#[inline(always)]
pub fn leave_call(frame: usize, outer: &OuterCall) {
    let Innermost { place, frame: innermost } = load();
    if outer.frame == 0
        && innermost == frame
        && thread::known_tid().is_some()
        && let Some(words) = words(place)
    {
        end_call(words);
        store_frame(0);
    } else {
        leave_in_another(frame, outer);
    }
}

/// Does so where there is more to look at. Nothing in the child of a fork, whose entry has said nothing
/// before.
#[cold]
#[inline(never)]
fn leave_in_another(frame: usize, outer: &OuterCall) {
    let Innermost { place, frame: innermost } = load();
    let Some(words) = thread::known_tid().and_then(|_| words(place)) else {
        // The process was detached meanwhile.
        if innermost == frame {
            store_frame(outer.frame);
        }
        return;
    };
    if outer.frame == 0 {
        // A call in this one was left by a jump that nobody has seen.
        if (1..frame).contains(&innermost) {
            say_none();
        }
    } else if outer.place == place {
        store_current_call(words, outer.call, outer.since);
        store_frame(outer.frame);
    }
}

/// Says that the calling thread jumps out of calls, nobody knows of how many: its entry says that it is in
/// none until it makes the next. Those that it is still in put right at their end what was before them.
pub fn jump_out_of_calls() {
    if thread::known_tid().is_some() {
        say_none();
    }
}

/// Says in the calling thread's entry that it is in no call, for the last time: it is about to end.
pub fn end_calls() {
    if thread::known_tid().is_some() {
        say_none();
        forget_place();
    }
}
