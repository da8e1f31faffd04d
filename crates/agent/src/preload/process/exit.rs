//! The end of the process.
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::arch::stub::stub;
use crate::preload::object::mapped;
use crate::preload::process::status;
use crate::preload::record;
use crate::preload::record::value::FieldValue;
use crate::preload::thread::end::record_exit;
use crate::preload::wrapper::real::real;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::AcqRel;
use events::{Call, sched};
use trace_event::{end_calls, enter, is_aside, session};

/// Records the end of the process, once.
pub(crate) fn process_ends() {
    static ENDED_PID: AtomicU32 = AtomicU32::new(0);
    let Some(session) = session() else { return };
    if is_aside() {
        // A child in its parent's memory, that has executed nothing: only the child ends.
        if let Some(entered) = enter() {
            let child = entered.tid() as u32;
            record_exit(&session.process_comm(), child, true, [sched::ITSELF, 0]);
            if let Some(process) = session.find_child(child) {
                session.control().end_process(process.entry, session.now());
            }
        }
        return;
    }
    // Who has recorded nothing may not know yet that it is a copy.
    let _ = enter();
    let pid = session.pid();
    if ENDED_PID.swap(pid, AcqRel) == pid {
        return;
    }
    if let Some(process) = session.process() {
        mapped::keep_up();
        record_exit(&session.process_comm(), pid, true, [sched::ITSELF, 0]);
        // What is still called, by handlers of the exit, is not said in an entry that others may use now.
        end_calls();
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
    ($symbol:ident, $name:literal, $call:ident, ends: $ends:expr, shows_status: $shows_status:expr) => {
        const _: () = {
            unsafe extern "C" fn body(status: i32, caller: usize) {
                let values = [FieldValue::Half(status as u32), FieldValue::Word(caller as u64)];
                // SAFETY: no value is a pointer.
                unsafe { record::write(Call::$call.entry(), &values) };
                if $shows_status {
                    status::keep(status);
                }
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

ending!(exit, c"exit", exit, ends: false, shows_status: false);
ending!(quick_exit, c"quick_exit", exit, ends: false, shows_status: true);
ending!(_exit, c"_exit", _exit, ends: true, shows_status: true);
ending!(_Exit, c"_Exit", _exit, ends: true, shows_status: true);
