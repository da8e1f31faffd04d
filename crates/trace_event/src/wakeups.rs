//! How long it takes from the call that wakes a thread until that thread goes on: the tracer `wakeup`.
//!
//! A thread says in shared memory what it waits for before it calls what can block. Who is about to wake
//! notes the time and the place there, and the woken thread compares when it has returned. Nobody waits for
//! anybody, and nobody makes a system call. Waits for data in descriptors are in `readiness.rs`.

use crate::sections::{Measuring, StateChange, measuring};
use crate::{current, sections_are_measured};
use abi::control::waiter::wait_owner;
use abi::control::{MeasuredSections, WAKEUPS};
use control::{BegunEntries, Wake, WakingCall, Woken};

/// What a call waits for, at most so much at once.
const MOST_AWAITED: usize = 2;

/// The waits that a call has begun: 16 bits for each, the number of its entry + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct BegunWaits(u64);

impl BegunWaits {
    /// None.
    pub const NONE: BegunWaits = BegunWaits(0);

    /// None: the call has woken somebody instead.
    pub const WOKEN: BegunWaits = BegunWaits(u64::MAX);

    /// Of a call that waits for data.
    pub(crate) const fn of_entries(begun: BegunEntries) -> BegunWaits {
        match begun.last {
            Some(last) => BegunWaits((begun.count as u64) << 16 | (last as u64 + 1)),
            None => BegunWaits::NONE,
        }
    }

    /// Those.
    pub(crate) const fn entries(self) -> BegunEntries {
        BegunEntries { last: (self.0 as usize & 0xffff).checked_sub(1), count: (self.0 >> 16) as usize }
    }
}

/// How a call has returned that waits for others.
#[derive(Debug, Clone, Copy)]
pub enum WaitEnd {
    /// Without what it waits for.
    Without,
    /// With it.
    With,
    /// With what others go on waiting for, at this address, if this call has had it without being woken.
    InsteadOf(u64),
}

/// Whether wake-ups are measured. Cost: two loads where no section is.
#[inline(always)]
pub fn wakeups_are_measured() -> bool {
    sections_are_measured() && is_wanted()
}

#[cold]
fn is_wanted() -> bool {
    current::shared().is_some_and(|shared| shared.control.measured_sections().states() & WAKEUPS != 0)
}

/// Says that the calling thread is about to call what can wait for objects at these addresses: for the first,
/// and then perhaps for the second, too. `frame` is an address that is the call's until it has returned.
///
/// Async-signal-safe.
pub fn begin_waits(addresses: &[u64], frame: usize, time: u64) -> BegunWaits {
    let Some(measuring) = wakeups() else { return BegunWaits::NONE };
    let owner = owner(&measuring, frame);
    let (mut begun, mut before) = (0, None);
    for (place, address) in addresses.iter().take(MOST_AWAITED).enumerate() {
        let key = key(*address, measuring.shared.pid());
        let Some(index) = measuring.shared.control.begin_wait(key, owner, time, before) else { break };
        begun |= (index as u64 + 1) << (16 * place);
        before = Some(index);
    }
    BegunWaits(begun)
}

/// Says that it has returned, and measures how long that took since the last call that it was for.
///
/// Async-signal-safe.
///
/// # Safety
///
/// The function that the change's frame is of has not returned.
pub unsafe fn end_waits(begun: BegunWaits, end: WaitEnd, frame: usize, change: StateChange) {
    let Some(measuring) = wakeups() else { return };
    let owner = owner(&measuring, frame);
    let control = &measuring.shared.control;
    let wakes: [Option<Wake>; MOST_AWAITED] = core::array::from_fn(|place| {
        let number = (begun.0 >> (16 * place) & 0xffff) as usize;
        number.checked_sub(1).and_then(|index| control.end_wait(index, owner))
    });
    let [first, second] = wakes;
    // For the second it has waited only after it was woken from the first.
    let last = first.map(|first| second.filter(|second| second.time > first.time).unwrap_or(first));
    match (end, last) {
        // SAFETY: the caller's promise.
        (WaitEnd::With | WaitEnd::InsteadOf(_), Some(wake)) => unsafe {
            measuring.ends(wake.time, wake.place, change);
        },
        (WaitEnd::InsteadOf(address), None) => {
            control.take_wakes(key(address, measuring.shared.pid()), change.time);
        }
        _ => {}
    }
}

/// Says that the calling thread is about to call what wakes threads that wait for an object.
///
/// Async-signal-safe.
pub fn wakes(address: u64, woken: Woken, change: impl FnOnce() -> StateChange) {
    let Some(measuring) = wakeups() else { return };
    let (change, process) = (change(), measuring.shared.pid());
    let waker = WakingCall { process, time: change.time, place: change.caller };
    if measuring.shared.control.wake(key(address, process), woken, &waker) {
        measuring.record(change);
    }
}

/// Who measures wake-ups.
pub(crate) fn wakeups() -> Option<Measuring> {
    let shared = current::shared().filter(|shared| !shared.is_left_out())?;
    let measured = shared.control.measured_sections();
    let measuring =
        if measured.states() & WAKEUPS != 0 { measuring(shared, measured)? } else { return None };
    measuring.writer.buffer().is_tracing().then_some(measuring)
}

/// Whose a wait is, and under which tracer it has begun: where that was another one it isn't found again.
pub(crate) fn owner(measuring: &Measuring, frame: usize) -> u64 {
    let MeasuredSections(word) = measuring.measured;
    wait_owner(measuring.shared.pid(), frame) ^ (word >> 32 & 0xffff)
}

/// Two threads have the same only if it is of the same object.
fn key(address: u64, process: u32) -> u64 {
    (address ^ u64::from(process).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}
