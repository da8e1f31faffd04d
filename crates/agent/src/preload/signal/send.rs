//! Sending signals: an event for each that a program sends.
//!
//! Of a signal that a thread or process sends to itself, which can't fail, it is recorded before the call; of
//! others when the call has succeeded. Signals to groups of processes are not recorded: who gets them only
//! the kernel knows.
//!
//! # Safety
//!
//! Hooks are called by the frame of `frame.rs` only, around the call that they are named after, with its
//! arguments and its result.

use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use events::signal;
use libc::{SI_QUEUE, SI_TKILL, SI_USER};
use trace_event::{AttachedSession, enter, is_enabled, session, tid_offset};

/// A call that sends a signal.
#[derive(Debug, Clone, Copy)]
struct SendingCall {
    /// What the kernel gives as the signal's code.
    code: i32,
    /// Whether it goes to a thread, not to a process.
    is_thread: bool,
    /// To which one.
    target: fn(&CallFrame) -> i32,
    /// Which argument is the signal.
    number: usize,
}

/// Defines the hooks of a call.
macro_rules! sending {
    ($(#[$doc:meta])* $name:ident: $way:expr) => {
        $(#[$doc])*
        pub(crate) const $name: CallHooks = {
            const WAY: SendingCall = $way;
            CallHooks { before: |frame| before(WAY, frame), after: |frame| after(WAY, frame) }
        };
    };
}

sending! {
    /// kill(2).
    KILL: SendingCall { code: SI_USER, is_thread: false, target: first, number: 1 }
}
sending! {
    /// sigqueue(3).
    SIGQUEUE: SendingCall { code: SI_QUEUE, is_thread: false, target: first, number: 1 }
}
sending! {
    /// raise(3).
    RAISE: SendingCall { code: SI_TKILL, is_thread: true, target: |_| own_tid(), number: 0 }
}
sending! {
    /// tgkill(2).
    TGKILL: SendingCall { code: SI_TKILL, is_thread: true, target: second, number: 2 }
}
sending! {
    /// pthread_kill(3).
    PTHREAD_KILL: SendingCall { code: SI_TKILL, is_thread: true, target: tid_of_first, number: 1 }
}
sending! {
    /// pthread_sigqueue(3).
    PTHREAD_SIGQUEUE: SendingCall { code: SI_QUEUE, is_thread: true, target: tid_of_first, number: 1 }
}

fn first(frame: &CallFrame) -> i32 {
    let [first, ..] = frame.arguments;
    first as i32
}

fn second(frame: &CallFrame) -> i32 {
    let [_, second, ..] = frame.arguments;
    second as i32
}

/// The TID of the thread that is the first argument, as libc has it.
fn tid_of_first(frame: &CallFrame) -> i32 {
    let [thread, ..] = frame.arguments;
    // SAFETY: libc itself is about to look there, to know whether the thread has ended.
    unsafe { (thread as usize as *const u8).wrapping_offset(tid_offset()).cast::<i32>().read_volatile() }
}

fn own_tid() -> i32 {
    enter().map_or(0, |entered| entered.tid())
}

/// Before the call: what can't fail is recorded. Else who is meant is kept, as long as it is there.
fn before(way: SendingCall, frame: &mut CallFrame) {
    frame.scratch = 0;
    let Some(session) = session().filter(|_| is_enabled(signal::GENERATE_ID)) else { return };
    let target = (way.target)(frame);
    let own = if way.is_thread { own_tid() } else { session.pid() as i32 };
    if target == own {
        record(session, way, target, frame);
    } else if target > 0 {
        frame.scratch = target as u64;
    }
}

/// After it: it was sent.
fn after(way: SendingCall, frame: &mut CallFrame) {
    if frame.scratch != 0
        && frame.result as i32 == 0
        && let Some(session) = session()
    {
        record(session, way, frame.scratch as i32, frame);
    }
}

/// Records that a signal is sent to `target`, if it is one.
fn record(session: AttachedSession, way: SendingCall, target: i32, frame: &CallFrame) {
    let number = frame.arguments.get(way.number).map_or(0, |number| *number as i32);
    if !(1..=64).contains(&number) {
        return;
    }
    let unknown = *b"<...>\0\0\0\0\0\0\0\0\0\0\0";
    let comm = session.control().find_task(target as u32).map_or(unknown, |task| task.comm);
    let mut halves = comm.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let mut next = || FieldValue::Half(halves.next().unwrap_or(0));
    let half = |number: i32| FieldValue::Half(number as u32);
    let values = [
        half(number),
        half(0),
        half(way.code),
        next(),
        next(),
        next(),
        next(),
        half(target),
        half(i32::from(!way.is_thread)),
        // As the kernel says that a signal was delivered.
        half(0),
    ];
    // SAFETY: no value is a pointer.
    unsafe { record::write(signal::GENERATE_ID, &values) };
}
