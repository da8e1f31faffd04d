//! What each thread knows of the call that it is in, see `current_call`.

use crate::thread_words;
use abi::control::CallWords;
use control::{ControlArea, store_current_call};
use core::ptr::with_exposed_provenance;

/// A thread's words. All zero in a thread that has no entry.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Innermost {
    /// The address of the thread's [`CallWords`], which stay mapped as long as the thread is
    /// [known](crate::thread::known) in the session; 0 where it has no entry.
    pub(crate) place: usize,
    /// The frame of the call that these say that it is in; 0 for none.
    pub(crate) frame: usize,
}

thread_words!(
    /// The calling thread's words.
    #[inline(always)]
    fn innermost() -> *mut Innermost,
    "lookback_thread_call"
);

#[inline(always)]
pub(crate) fn load() -> Innermost {
    // SAFETY: the words are the thread's own.
    unsafe { innermost().read_volatile() }
}

#[inline(always)]
pub(crate) fn store_frame(frame: usize) {
    // SAFETY: the words are the thread's own.
    unsafe { (&raw mut (*innermost()).frame).write_volatile(frame) };
}

fn store(words: Innermost) {
    // SAFETY: the words are the thread's own.
    unsafe { innermost().write_volatile(words) };
}

/// The words that lie at a thread's place: for one that is [known](crate::thread::known) in the session.
#[inline(always)]
pub(crate) fn words(place: usize) -> Option<&'static CallWords> {
    // SAFETY: 0, or the address of such words in the session's control area, which stays mapped meanwhile.
    unsafe { with_exposed_provenance::<CallWords>(place).as_ref() }
}

/// Has the calling thread say what it is in in an entry of its own: that of a thread, or of its process.
pub(crate) fn use_place(control: &ControlArea, task: Option<u32>, process: Option<u32>) {
    let place = control.current_call_place(task, process);
    store(Innermost { place: place.map_or(0, |place| (&raw const *place).expose_provenance()), frame: 0 });
}

/// Says nothing more in the entry that the calling thread was said to have. In the child of a fork it is the
/// parent's.
pub(crate) fn forget_place() {
    store(Innermost { place: 0, frame: 0 });
}

/// Says in the calling thread's entry that it is in no call.
pub(crate) fn say_none() {
    if let Some(words) = words(load().place) {
        store_current_call(words, 0, 0);
        store_frame(0);
    }
}
