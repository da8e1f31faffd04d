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
use control::{store_current_call, stored_call};

/// What a thread was in before a call: kept in the call's frame.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct OuterCall {
    /// Where the thread says what it is in; 0 if it doesn't.
    place: usize,
    call: u64,
    since: u64,
    frame: usize,
}

const NOWHERE: OuterCall = OuterCall { place: 0, call: 0, since: 0, frame: 0 };

/// Has the calling thread's entry say from now on that it is in a call: that of the entry `event`, with this
/// first argument, made at `start`, a reading of [`call_time`](crate::call_time), which has its frame at
/// `frame`. Gives what is to be handed to [`leave_call`].
///
/// A child in its maker's memory says nothing: the maker's entry is not its own.
///
/// Cost: 2 ns with its end. Async-signal-safe.
#[inline]
pub fn enter_call(frame: usize, event: u16, argument: u64, start: u64) -> OuterCall {
    let Some(entered) = entered::enter().filter(|_| !thread::is_aside()) else { return NOWHERE };
    let Innermost { place, frame: before } = load();
    let Some(words) = words(place) else { return NOWHERE };
    let (call, since) = stored_call(words);
    // What is below has been left.
    let outer = match before > frame {
        true => OuterCall { place, call, since, frame: before },
        false => OuterCall { place, ..NOWHERE },
    };
    store_frame(frame);
    store_current_call(words, call_word(event, argument as u32, entered.tid() as u32, start), start);
    outer
}

/// Has the calling thread's entry say again what it said before a call.
///
/// Nothing in the child of a fork, whose entry has said nothing before.
#[inline]
pub fn leave_call(outer: &OuterCall) {
    let place = load().place;
    if let Some(words) = words(outer.place).filter(|_| place == outer.place && thread::is_who_it_was()) {
        store_current_call(words, outer.call, outer.since);
        store_frame(outer.frame);
    }
}

/// Says that the calling thread jumps out of calls, nobody knows of how many: its entry says that it is in
/// none until it makes the next. Those that it is still in put right at their end what was before them.
pub fn jump_out_of_calls() {
    if thread::is_who_it_was() {
        say_none();
    }
}

/// Says in the calling thread's entry that it is in no call, for the last time: it is about to end.
pub fn end_calls() {
    if thread::is_who_it_was() {
        say_none();
        forget_place();
    }
}
