//! The end of threads.
//!
//! # Safety
//!
//! The C library calls the key's destructor in a thread that ends.

use crate::preload::function;
use crate::preload::object::tables::SymbolName;
use crate::preload::object::{borrowed, symbols};
use crate::preload::process::priority::priority;
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicUsize};
use events::sched;
use libc::pthread_key_t;
use trace_event::{end_thread, enter, is_aside, session};

/// The key whose destructor says that a thread ends, + 1; 0 while there is none.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Keys below this have their place in the thread itself: setting one needs no memory. In musl all have.
const INLINE_KEYS: pthread_key_t = 32;

/// Where pthread_setspecific(3) is, once there is a key.
static SET: AtomicUsize = AtomicUsize::new(0);

/// Makes the key, if libc has them: before version 2.34 glibc has not where there can be no threads.
pub(crate) fn make_key() {
    const CREATE: SymbolName<'_> = SymbolName::new(b"pthread_key_create\0");
    const SET_VALUE: SymbolName<'_> = SymbolName::new(b"pthread_setspecific\0");
    type CreateKey = unsafe extern "C" fn(*mut pthread_key_t, unsafe extern "C" fn(*mut c_void)) -> c_int;
    let (Some(create), Some(set)) = (symbols::find_libc(CREATE), symbols::find_libc(SET_VALUE)) else {
        return;
    };
    let mut key = 0;
    // SAFETY: the function has this type; the destructor may be called with any value.
    let made = unsafe { transmute::<usize, CreateKey>(create)(&mut key, thread_ended) } == 0;
    if made && (key < INLINE_KEYS || !borrowed::is_glibc()) {
        SET.store(set, Relaxed);
        KEY.store(key + 1, Relaxed);
        watch_thread();
    }
}

/// Frees the key: threads' ends are not noticed any more.
pub(crate) fn forget_key() {
    const DELETE: SymbolName<'_> = SymbolName::new(b"pthread_key_delete\0");
    type DeleteKey = unsafe extern "C" fn(pthread_key_t) -> c_int;
    let key = KEY.swap(0, Relaxed).checked_sub(1);
    if let (Some(key), Some(delete)) = (key, symbols::find_libc(DELETE)) {
        // SAFETY: the function has this type; the key is ours.
        unsafe { transmute::<usize, DeleteKey>(delete)(key) };
    }
}

/// Has the calling thread's end noticed. Without a key it is not: its entry is found ended by others.
pub(crate) fn watch_thread() {
    if let Some(key) = KEY.load(Relaxed).checked_sub(1) {
        type SetValue = unsafe extern "C" fn(pthread_key_t, *const c_void) -> c_int;
        // SAFETY: the function has this type, and is known since there is a key, which is ours. Any value but
        // null has its destructor called.
        unsafe { transmute::<usize, SetValue>(SET.load(Relaxed))(key, (&raw const KEY).cast()) };
    }
}

unsafe extern "C" fn thread_ended(_: *mut c_void) {
    end_calling_thread();
}

/// Records the calling thread's end, and gives back what it has.
pub(crate) fn end_calling_thread() {
    if let (Some(session), Some(entered)) = (session(), enter())
        && !is_aside()
    {
        record_exit(&session.comm(), entered.tid() as u32, false, [sched::ITSELF, 0]);
    }
    function::thread_ends();
    end_thread();
}

/// Records the end of a thread, or with `group_dead` of a process: who has noticed it, and the signal.
pub(crate) fn record_exit(comm: &[u8; 16], pid: u32, group_dead: bool, [noticed_by, signal]: [u32; 2]) {
    let [low, high] = comm.as_chunks::<8>().0 else { return };
    let values = [
        FieldValue::Word(u64::from_le_bytes(*low)),
        FieldValue::Word(u64::from_le_bytes(*high)),
        FieldValue::Half(pid),
        FieldValue::Half(priority() as u32),
        FieldValue::Half(u32::from(group_dead)),
        FieldValue::Half(noticed_by),
        FieldValue::Half(signal),
    ];
    // SAFETY: no value is a pointer.
    unsafe { record::write(sched::EXIT_ID, &values) };
}
