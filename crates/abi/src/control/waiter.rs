//! Which threads wait for what, and who has woken them: the kernel's latency tracer `wakeup`.
//!
//! A thread says what it waits for before it calls what can block, in an entry of its own. Who is about to
//! wake looks for such an entry, and notes the time and the place there: with nobody waiting nothing is
//! written.

use super::{PID_PAGES, PID_PAGES_OFFSET};
use crate::atomic::AtomicU64;

/// How many threads can wait at once, and be found.
pub const WAITERS: usize = 4096;
/// An entry is in one of so many in a row, which the key says.
pub const WAITERS_IN_ROW: usize = 8;

/// Where the entries start.
pub const OFFSET: u64 = PID_PAGES_OFFSET + (PID_PAGES * 4096) as u64;
/// Bytes of all of them. Each page takes memory when it is first needed.
pub const SIZE: usize = WAITERS * size_of::<Waiter>();

/// A thread that waits.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Waiter {
    /// The call that has the entry, see [`wait_owner`]; 0 while it is free. Claimed by compare-and-exchange.
    pub owner: AtomicU64,
    /// What is waited for. 0 while the rest is not to be looked at.
    pub key: AtomicU64,
    /// [`waiting_since`], until somebody wakes it: then the time of that. [`doubtful`] where nobody can say
    /// who has.
    pub wake: AtomicU64,
    /// The [`wake_place`].
    pub place: AtomicU64,
    /// The number + 1 of the owner's entry for what it waits for before that; 0 if there is none.
    pub after: AtomicU64,
    /// The number + 1 of the entry that the call has begun before this one, of those that wait for any of
    /// several descriptors; 0 if there is none.
    pub next: AtomicU64,
    /// By which the call knows the descriptor again.
    pub mark: AtomicU64,
    /// The TID of who waits for descriptors; else 0.
    pub thread: AtomicU64,
}

/// Whose a wait is: no two that last at once have the same. Frames lie 16 bytes apart.
pub const fn wait_owner(process: u32, frame: usize) -> u64 {
    (process as u64) << FRAME | (frame as u64 >> 4) & ((1 << FRAME) - 1)
}

/// The process of an owner.
pub const fn owner_process(owner: u64) -> u32 {
    (owner >> FRAME) as u32
}

const FRAME: u32 = 42;

/// What [`Waiter::wake`] is while nobody has woken the thread.
pub const fn waiting_since(time: u64) -> u64 {
    WAITING | time
}

const WAITING: u64 = 1 << 63;
const DOUBTFUL: u64 = 1 << 62;

/// What [`Waiter::wake`] becomes where nobody can say any more who has woken the thread, or will.
pub const fn doubtful(wake: u64) -> u64 {
    wake | WAITING | DOUBTFUL
}

/// Whether that can't be said.
pub const fn is_doubtful(wake: u64) -> bool {
    wake & DOUBTFUL != 0
}

/// The time that the word has in any case.
pub const fn wake_time(wake: u64) -> u64 {
    wake & !(WAITING | DOUBTFUL)
}

/// Since when a thread has been waiting that nobody has woken.
pub const fn wait_start(wake: u64) -> Option<u64> {
    if wake & WAITING != 0 { Some(wake_time(wake)) } else { None }
}

/// Where the program has woken the thread, at this time: an address that a call returns to.
pub const fn wake_place(address: u64, time: u64) -> u64 {
    address << 16 | time & 0xffff
}

/// The address, if the place is of the wake at this time; else 0.
pub const fn place_at(place: u64, time: u64) -> u64 {
    if place & 0xffff == time & 0xffff { place >> 16 } else { 0 }
}

const _: () = assert!(size_of::<Waiter>() == 64 && WAITERS.is_multiple_of(WAITERS_IN_ROW));
// Four of them fit a word, each by 16 bits other than 0.
const _: () = assert!(WAITERS < 0xffff);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_what_was_put_there() {
        let owner = wait_owner((1 << 22) - 1, 0x7fff_1234_5670);
        assert_eq!(owner_process(owner), (1 << 22) - 1);
        assert_ne!(owner, wait_owner((1 << 22) - 1, 0x7fff_1234_5680));
        assert_eq!((wait_start(waiting_since(77)), wait_start(77)), (Some(77), None));
        assert_eq!((wait_start(doubtful(77)), is_doubtful(doubtful(77))), (Some(77), true));
        assert!(!is_doubtful(waiting_since(77)));
        let place = wake_place(0x7fff_1234_5678, 0x12_3456_789a);
        assert_eq!(place_at(place, 0x12_3456_789a), 0x7fff_1234_5678);
        assert_eq!(place_at(place, 0x12_3456_789b), 0);
    }
}
