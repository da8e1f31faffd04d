//! Who waits and who wakes, in the tests of both.

use abi::control::waiter::wait_owner;
use control::{Wake, WakingCall};

/// A call of process 7.
pub fn owner(frame: usize) -> u64 {
    wait_owner(7, frame * 16)
}

/// A call of the same process that wakes at a time.
pub fn waker(time: u64) -> WakingCall {
    WakingCall { process: 7, time, place: 0x7000 + time }
}

/// That this has woken.
pub fn wake_at(time: u64) -> Option<Wake> {
    Some(Wake { time, place: 0x7000 + time })
}
