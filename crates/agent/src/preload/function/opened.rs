//! Whether the calling thread has loaded a library since it last looked for sites.

use trace_event::{session, slow_calls, thread_words};

thread_words!(
    /// Where the frame of dlopen(3) was, if the calling thread has loaded a library since it last looked for
    /// sites, and [`SLOW`]; else 0.
    fn opened() -> *mut usize,
    "lookback_thread_opened"
);

/// The bit of that word by which this thread has all calls take the slow path. Frames are aligned.
const SLOW: usize = 1;

/// Whether the calling thread has to look for sites, in a call whose frame is at this address.
#[inline(always)]
pub(super) fn has_opened(frame: usize) -> bool {
    // SAFETY: the word is the thread's own.
    let opened = unsafe { opened().read_volatile() };
    opened != 0 && frame >= opened & !SLOW
}

/// Says that it has.
pub(super) fn has_looked() {
    // SAFETY: the word is the thread's own.
    let before = unsafe { opened().replace(0) };
    if before & SLOW != 0 {
        slow_calls(false);
    }
}

/// Notes that the thread is about to load a library, by a call whose frame is at this address.
pub(super) fn opens(frame: usize) {
    if has_opened(usize::MAX) {
        return;
    }
    let is_traced = session().is_some_and(|session| session.control().functions_wanted() != 0);
    let slow = if is_traced { SLOW } else { 0 };
    // SAFETY: the word is the thread's own.
    unsafe { opened().write_volatile(frame | slow) };
    if is_traced {
        slow_calls(true);
    }
}
