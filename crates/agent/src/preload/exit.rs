//! The end of threads and of the process.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::argument::Value;
use crate::preload::real::real;
use crate::preload::stub::stub;
use crate::preload::tables::Name;
use crate::preload::{attach, objects, record, symbols};
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use core::sync::atomic::{AtomicU32, AtomicUsize};
use events::Call;
use events::sched;
use libc::pthread_key_t;
use trace_event::{end_thread, enter, is_aside, session};

/// The key whose destructor says that a thread ends, + 1; 0 while there is none.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Keys below this have their place in the thread itself: setting one needs no memory.
const INLINE_KEYS: pthread_key_t = 32;

/// Where pthread_setspecific(3) is, once there is a key.
static SET: AtomicUsize = AtomicUsize::new(0);

/// Makes the key, if libc has them: before version 2.34 glibc has not where there can be no threads.
pub(crate) fn make_key() {
    const CREATE: Name<'_> = Name::new(b"pthread_key_create\0");
    const SET_VALUE: Name<'_> = Name::new(b"pthread_setspecific\0");
    type Create = unsafe extern "C" fn(*mut pthread_key_t, unsafe extern "C" fn(*mut c_void)) -> c_int;
    let (Some(create), Some(set)) = (symbols::find_libc(CREATE), symbols::find_libc(SET_VALUE)) else {
        return;
    };
    let mut key = 0;
    // SAFETY: the function has this type; the destructor may be called with any value.
    let made = unsafe { transmute::<usize, Create>(create)(&mut key, thread_ended) } == 0;
    if made && key < INLINE_KEYS {
        SET.store(set, Relaxed);
        KEY.store(key + 1, Relaxed);
        watch_thread();
    }
}

/// Has the calling thread's end noticed. Without a key it is not: its entry is found ended by others.
pub(crate) fn watch_thread() {
    if let Some(key) = KEY.load(Relaxed).checked_sub(1) {
        type Set = unsafe extern "C" fn(pthread_key_t, *const c_void) -> c_int;
        // SAFETY: the function has this type, and is known since there is a key, which is ours. Any value but
        // null has its destructor called.
        unsafe { transmute::<usize, Set>(SET.load(Relaxed))(key, (&raw const KEY).cast()) };
    }
}

unsafe extern "C" fn thread_ended(_: *mut c_void) {
    if let (Some(session), Some(entered)) = (session(), enter())
        && !is_aside()
    {
        record_exit(&session.comm(), entered.tid() as u32, false);
    }
    end_thread();
}

/// Records the end of a thread, or with `group_dead` of a process.
pub(crate) fn record_exit(comm: &[u8; 16], pid: u32, group_dead: bool) {
    let [low, high] = comm.as_chunks::<8>().0 else { return };
    let values = [
        Value::Word(u64::from_le_bytes(*low)),
        Value::Word(u64::from_le_bytes(*high)),
        Value::Half(pid),
        Value::Half(attach::priority() as u32),
        Value::Half(u32::from(group_dead)),
    ];
    // SAFETY: no value is a pointer.
    unsafe { record::write(sched::EXIT_ID, &values) };
}

/// Records the end of the process, once.
pub(crate) fn process_ends() {
    static ENDED_PID: AtomicU32 = AtomicU32::new(0);
    let Some(session) = session() else { return };
    if is_aside() {
        // A child in its parent's memory, that has executed nothing: only the child ends.
        if let Some(entered) = enter() {
            let child = entered.tid() as u32;
            record_exit(&session.process_comm(), child, true);
            if let Some(process) = session.control().find_process(child) {
                session.control().end_process(process.entry, session.now());
            }
        }
        return;
    }
    let pid = session.pid();
    if ENDED_PID.swap(pid, AcqRel) == pid {
        return;
    }
    if let Some(process) = session.process() {
        objects::keep_up();
        record_exit(&session.process_comm(), pid, true);
        session.control().end_process(process, session.now());
    }
}

/// Run by exit(3) and by the return from main, after the program's own handlers.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = {
    extern "C" fn fini() {
        process_ends();
    }
    fini
};

/// Defines a wrapper for a function that ends the process.
macro_rules! ending {
    ($symbol:ident, $name:literal, $call:ident, ends: $ends:expr) => {
        const _: () = {
            unsafe extern "C" fn body(status: i32, caller: usize) {
                let values = [Value::Half(status as u32), Value::Word(caller as u64)];
                // SAFETY: no value is a pointer.
                unsafe { record::write(Call::$call.entry(), &values) };
                if $ends {
                    process_ends();
                    trace_event::child_in_memory(false);
                }
                // SAFETY: the function has this type.
                let real: unsafe extern "C" fn(i32) = unsafe { core::mem::transmute(real!($name)) };
                // SAFETY: the program's own call.
                unsafe { real(status) }
            }
            stub!($symbol, body, status);
        };
    };
}

ending!(exit, c"exit", exit, ends: false);
ending!(quick_exit, c"quick_exit", exit, ends: false);
ending!(_exit, c"_exit", _exit, ends: true);
ending!(_Exit, c"_Exit", _exit, ends: true);
