//! Locks that a thread holds, and waits for: each event says how many it holds.
//!
//! They are counted from a process's first call on, those of mutexes, spin locks and of locks for readers and
//! writers, by what libc's functions return. Where nothing else is wanted of a call, the frame counts by
//! itself (`arch/x86_64/frame.rs`).
//!
//! Where waits are recorded, a lock is first tried: libc says whether it can be had at once. If so it is
//! taken already, and what the program gets is that result.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::object::borrowed;
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::section;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::mem::transmute;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicI32;
use core::sync::atomic::Ordering::Relaxed;
use events::lock;
use trace_event::is_enabled;

/// Calls that take a lock, or don't wait for it.
pub(crate) const TRY: CallHooks = CallHooks { before: |_| (), after: after_try };

/// What else than the lock's state decides whether a call fails at once.
#[derive(Debug, Clone, Copy)]
enum Checked {
    Nothing,
    /// The clock of the second argument.
    Clock,
    /// The time of the second argument.
    Time,
    /// The clock of the second argument and the time of the third.
    Both,
}

/// How a lock is waited for.
#[derive(Debug, Clone, Copy)]
struct Waited {
    /// What tries to take it: takes the lock, and returns as the call itself.
    attempt: usize,
    checked: Checked,
    /// As in the event.
    flags: u32,
    /// Where in the lock its holder's TID is.
    holder: Option<usize>,
}

/// Where glibc's mutex has its owner, and its read-write lock the writer. musl's usual mutex has none, nor
/// has its read-write lock.
const MUTEX_OWNER: Option<usize> = Some(8);
const WRITER: Option<usize> = Some(24);

/// Calls that wait for a lock.
macro_rules! waits {
    ($($name:ident = $attempt:literal, $checked:ident, $flags:expr, $holder:expr;)*) => {
        $(
            pub(crate) const $name: CallHooks = CallHooks {
                before: |frame| {
                    frame.scratch = 0;
                    if is_recorded() {
                        let (attempt, checked) = (real!($attempt), Checked::$checked);
                        // SAFETY: the frame of such a call, before it.
                        unsafe { begin(frame, Waited { attempt, checked, flags: $flags, holder: $holder }) };
                    }
                },
                after: after_wait,
            };
        )*
    };
}

waits! {
    MUTEX = c"pthread_mutex_trylock", Nothing, lock::MUTEX, MUTEX_OWNER;
    MUTEX_CLOCK = c"pthread_mutex_trylock", Clock, lock::MUTEX, MUTEX_OWNER;
    READ = c"pthread_rwlock_tryrdlock", Nothing, lock::READ, WRITER;
    READ_TIME = c"pthread_rwlock_tryrdlock", Time, lock::READ, WRITER;
    READ_CLOCK = c"pthread_rwlock_tryrdlock", Both, lock::READ, WRITER;
    WRITE = c"pthread_rwlock_trywrlock", Nothing, lock::WRITE, WRITER;
    WRITE_TIME = c"pthread_rwlock_trywrlock", Time, lock::WRITE, WRITER;
    WRITE_CLOCK = c"pthread_rwlock_trywrlock", Both, lock::WRITE, WRITER;
    SPIN = c"pthread_spin_trylock", Nothing, lock::SPIN, None;
}

/// Whether waits are recorded.
fn is_recorded() -> bool {
    [lock::CONTENTION_BEGIN_ID, lock::CONTENTION_END_ID, lock::CONTENTION_HOLDER_ID]
        .into_iter()
        .any(is_enabled)
}

/// In a frame's scratch word: that the call waits.
const WAITS: u64 = 1;

/// Tries to take the lock, and records that the call waits for it if it can't be had.
unsafe fn begin(frame: &mut CallFrame, waited: Waited) {
    // SAFETY: libc looks at the arguments in this way first, too.
    if unsafe { fails_at_once(frame, waited.checked) } {
        return;
    }
    let address = frame.arguments[0];
    // SAFETY: the function has this type. The program's own lock, which it is about to take.
    let result = unsafe { transmute::<usize, unsafe extern "C" fn(u64) -> i32>(waited.attempt)(address) };
    match result {
        0 => frame.call_instead(taken as *const () as usize),
        libc::EOWNERDEAD => frame.call_instead(taken_from_the_dead as *const () as usize),
        libc::EBUSY | libc::EAGAIN => {
            frame.scratch = WAITS;
            let word = |offset| with_exposed_provenance::<AtomicI32>(address as usize + offset);
            // SAFETY: the lock is there: it was just looked at.
            let holder = waited
                .holder
                .filter(|_| borrowed::is_glibc())
                .map_or(0, |offset| unsafe { (*word(offset)).load(Relaxed) });
            let lock = FieldValue::Word(address);
            // SAFETY: no value is followed.
            unsafe {
                record::write(lock::CONTENTION_BEGIN_ID, &[lock, FieldValue::Half(waited.flags)]);
                record::write(lock::CONTENTION_HOLDER_ID, &[lock, FieldValue::Half(holder as u32)]);
            }
        }
        // It says so again.
        _ => {}
    }
}

/// Whether a call fails for its arguments, also where the lock is free.
///
/// # Safety
///
/// They are those of a call with what is checked.
unsafe fn fails_at_once(frame: &CallFrame, checked: Checked) -> bool {
    let [_, second, third, ..] = frame.arguments;
    let is_no_clock = |clock: u64| ![libc::CLOCK_REALTIME, libc::CLOCK_MONOTONIC].contains(&(clock as i32));
    // SAFETY: libc reads the time of such a call in any case.
    let is_no_time = |time: u64| unsafe {
        let time = with_exposed_provenance::<libc::timespec>(time as usize);
        !time.is_null() && !(0..1_000_000_000).contains(&(*time).tv_nsec)
    };
    match checked {
        Checked::Nothing => false,
        Checked::Clock => is_no_clock(second),
        Checked::Time => is_no_time(second),
        Checked::Both => is_no_clock(second) || is_no_time(third),
    }
}

/// What is called instead of a function whose lock has been taken.
extern "C" fn taken() -> i32 {
    0
}

extern "C" fn taken_from_the_dead() -> i32 {
    libc::EOWNERDEAD
}

unsafe fn after_wait(frame: &mut CallFrame) {
    // SAFETY: the caller's promise.
    unsafe { after_try(frame) };
    if frame.scratch == WAITS {
        let [address, ..] = frame.arguments;
        let values = [FieldValue::Word(address), FieldValue::Half(frame.result as u32)];
        // SAFETY: no value is followed.
        unsafe { record::write(lock::CONTENTION_END_ID, &values) };
    }
}

/// Calls that free one. What libc does after that is not held time: the time is taken before.
pub(crate) const FREE: CallHooks =
    CallHooks { before: |frame| frame.scratch = section::time_if_measured(), after: after_free };

/// Calls that wait for a condition: without the mutex, which they have again when they return.
pub(crate) const WAIT: CallHooks = CallHooks {
    // SAFETY: the frame of such a call.
    before: |frame| unsafe { section::count(false, frame, 0) },
    // SAFETY: the frame of such a call.
    after: |frame| unsafe { section::count(true, frame, 0) },
};

/// Whether a call that takes a lock has it, by its result. One whose owner has died is taken, too.
fn is_taken(result: i32) -> bool {
    matches!(result, 0 | libc::EOWNERDEAD)
}

unsafe fn after_try(frame: &mut CallFrame) {
    if is_taken(frame.result as i32) {
        // SAFETY: the caller's promise.
        unsafe { section::count(true, frame, 0) };
    }
}

unsafe fn after_free(frame: &mut CallFrame) {
    if frame.result as i32 == 0 {
        // SAFETY: the caller's promise.
        unsafe { section::count(false, frame, frame.scratch) };
    }
}
