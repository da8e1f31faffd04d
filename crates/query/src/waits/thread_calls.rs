//! What threads are in.

use super::wakers::WakeKey;
use super::{OffCpu, WaitCause, WaitKind, WaitObject, WaitPeer};
use crate::LockHolder;
use crate::pairs::FoundPair;
use events::lock;

/// What a thread is in.
#[derive(Debug, Default)]
pub(super) struct ThreadCalls {
    /// Calls, the innermost last.
    pub(super) calls: Vec<WaitingCall>,
    /// The lock that it waits for, since when, and how long it had not run until then.
    pub(super) contended: Option<(WaitObject, u64, OffCpu)>,
    /// Whether it has recorded nothing since it is in the innermost call.
    pub(super) is_in_call: bool,
}

/// A call that can block, or that wakes others.
#[derive(Debug)]
pub(super) struct WaitingCall {
    pub(super) id: u16,
    pub(super) start: u64,
    /// How long the thread had not run until then.
    pub(super) off: OffCpu,
    pub(super) is_chosen: bool,
    /// What it waits for.
    pub(super) object: Option<WaitObject>,
    /// What others wake it from.
    pub(super) wait: Option<WakeKey>,
    /// What it wakes others from.
    pub(super) wake: Option<WakeKey>,
    /// The thread whose end it waits for, by its process and its handle.
    pub(super) joined: Option<(i32, u64)>,
    /// That thread, if it was known when the wait began.
    pub(super) joined_thread: Option<i32>,
    /// The time in it for which it had to wait for a lock.
    pub(super) contended: Option<FoundPair>,
}

pub(super) fn held(holder: LockHolder) -> (WaitPeer, usize) {
    (WaitPeer { tid: holder.tid, cause: WaitCause::Holder }, holder.others)
}

/// The lock at an address, with the flags of the event that begins the wait for it.
pub(super) fn lock_object((address, flags): (i64, i64)) -> WaitObject {
    let flags = flags as u32;
    let kind = match flags & (lock::MUTEX | lock::SPIN | lock::READ | lock::WRITE) {
        lock::MUTEX => WaitKind::Mutex,
        lock::SPIN => WaitKind::SpinLock,
        lock::READ | lock::WRITE => WaitKind::ReadWriteLock,
        _ => WaitKind::Lock,
    };
    WaitObject { kind, call: None, number: Some(address as u64), name: None }
}
