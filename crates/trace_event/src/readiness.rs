//! How long it takes from the call that writes until a thread goes on that has waited for the data: what the
//! tracer `wakeup` measures of descriptors.

use crate::sections::{Measuring, StateChange};
use crate::wakeups::{BegunWaits, owner, wakeups};
use control::{AwaitedData, BegunEntries, Wake, WakingCall};

/// What data comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSource {
    /// What this process alone knows by this number.
    Own(u64),
    /// What all processes know by it.
    Shared(u64),
}

/// The most descriptors that a call can wait for to be measured.
pub const MOST_DESCRIPTORS: usize = 64;

/// A call that begins to wait for data in descriptors.
pub struct DataWait {
    measuring: Measuring,
    owner: u64,
    time: u64,
    begun: BegunEntries,
}

impl DataWait {
    /// Begins it, where wake-ups are measured. `frame` is an address that is the call's until it has
    /// returned.
    ///
    /// Async-signal-safe.
    pub fn begin(frame: usize, time: u64) -> Option<DataWait> {
        let measuring = wakeups()?;
        Some(DataWait { owner: owner(&measuring, frame), measuring, time, begun: BegunEntries::default() })
    }

    /// It waits for this, too, which it knows again by `mark`; `None` is something that nobody is seen to
    /// write to. Whether there is space for it.
    pub fn add(&mut self, source: Option<DataSource>, mark: u64) -> bool {
        let unseen = || self.owner ^ mixed(self.begun.count as u64);
        let key = source.map_or_else(unseen, |source| key(source, &self.measuring));
        let thread = self.measuring.tid();
        let awaited = AwaitedData { key, mark, time: self.time, thread };
        let control = &self.measuring.shared.control;
        self.begun.count < MOST_DESCRIPTORS && control.await_data(awaited, self.owner, &mut self.begun)
    }

    /// Whether it waits for nothing so far.
    pub fn is_empty(&self) -> bool {
        self.begun.count == 0
    }

    /// It is about to wait.
    pub fn waits(self) -> BegunWaits {
        BegunWaits::of_entries(self.begun)
    }

    /// It needn't wait, or nobody could say what it has waited for.
    pub fn cancel(self) {
        self.measuring.shared.control.end_awaiting(self.begun, self.owner);
    }
}

/// Says that a call has returned which has waited for data, and measures how long that took since the first
/// write that has made any of what is `ready` readable. That is measured only where each of them, by its
/// mark, was waited for and is known to have been written to; `None` is something else than data.
///
/// Async-signal-safe.
///
/// # Safety
///
/// The function that the change's frame is of has not returned.
pub unsafe fn end_data_wait(
    waits: BegunWaits,
    frame: usize,
    change: StateChange,
    ready: impl Iterator<Item = Option<u64>>,
) {
    let Some(measuring) = wakeups() else { return };
    let (control, owner, begun) = (&measuring.shared.control, owner(&measuring, frame), waits.entries());
    let written = |mark| {
        let mut noted = control.noted_data(begun, owner).filter(|noted| noted.mark == mark);
        noted.next().filter(|_| noted.next().is_none())?.wake
    };
    let first = first_of(ready.map(|mark| mark.and_then(written)));
    control.end_awaiting(begun, owner);
    if let Some(wake) = first.filter(|wake| wake.time <= change.time) {
        // SAFETY: the caller's promise.
        unsafe { measuring.ends(wake.time, wake.place, change) };
    }
}

/// The first of them, if all are known.
fn first_of(mut wakes: impl Iterator<Item = Option<Wake>>) -> Option<Wake> {
    let first = wakes.next()??;
    wakes.try_fold(first, |first, wake| {
        Some(wake?).map(|wake| if wake.time < first.time { wake } else { first })
    })
}

/// Says that the calling thread is about to write what makes something readable, and whether somebody waits
/// for that who will surely have been woken by this. `is_readable` says whether there is something already.
///
/// Async-signal-safe.
pub fn makes_readable(
    source: DataSource,
    change: impl FnOnce() -> StateChange,
    is_readable: impl FnOnce() -> Option<bool>,
) -> bool {
    let Some(measuring) = wakeups() else { return false };
    let change = change();
    let process = measuring.shared.pid();
    let waker = WakingCall { process, time: change.time, place: change.caller };
    let control = &measuring.shared.control;
    let is_noted = control.makes_readable(key(source, &measuring), measuring.tid(), &waker, is_readable);
    if is_noted {
        measuring.record(change);
    }
    is_noted
}

/// Says that it hasn't, or not at once: who has waited may be woken by somebody else.
///
/// Async-signal-safe.
pub fn doubt_readable(source: DataSource) {
    if let Some(measuring) = wakeups() {
        measuring.shared.control.doubt(key(source, &measuring));
    }
}

/// What waits for it are found by.
fn key(source: DataSource, measuring: &Measuring) -> u64 {
    let key = match source {
        DataSource::Own(number) => mixed(number ^ u64::from(measuring.shared.pid()) << 32),
        DataSource::Shared(number) => number,
    };
    key.max(1)
}

/// A number that depends on all bits of another one, another for each.
pub const fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
