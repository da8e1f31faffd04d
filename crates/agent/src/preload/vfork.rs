//! Making processes by vfork(2).
//!
//! # Safety
//!
//! As in `fork.rs`.

use crate::preload::argument::Value;
use crate::preload::fork::made;
use crate::preload::{attach, objects, record};
use core::arch::naked_asm;
use core::mem::offset_of;
use events::Call;
use trace_event::{Parent, ThreadState, aside_word, session, thread_state};

fn record_entry(call: Call, caller: usize) {
    // SAFETY: no value is a pointer.
    unsafe { record::write(call.entry(), &[Value::Word(caller as u64)]) };
}

fn record_return(call: Call, child: i32, error: i32) {
    // SAFETY: no value is a pointer.
    unsafe { record::write(call.exit(), &[Value::Half(child as u32), Value::Half(error as u32)]) };
}

/// vfork(2): the child goes on in this very frame, on this stack, before the parent does. So the return
/// address is kept in a register, which the kernel preserves for both, and so are the thread's words, see
/// [`ThreadState::aside`]. As libc does it, there is nothing else to it than the system call.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn vfork() {
    naked_asm!(
        "mov rdi, [rsp]",
        "sub rsp, 8",
        "call {before}",        // rax: the thread's words; rdx: what `aside` is to be
        "add rsp, 8",
        "mov rsi, rax",
        "push rdx",
        "mov rdx, [rsi + {COMMON}]",
        "mov r8, [rsi + {TASK}]",     // and libc's TID
        "mov r9, [rsi + {ASIDE}]",
        "mov r10, [rsi + {ASIDE_COMMON}]",
        "pop rax",
        "pop rdi",
        // In this order: a handler that comes in between must not take the words for those of a new thread.
        "mov [rsi + {ASIDE}], rax",
        "mov qword ptr [rsi + {ASIDE_COMMON}], 0",
        "mov qword ptr [rsi + {COMMON}], 0",
        "mov qword ptr [rsi + {TASK}], 0",
        "mov eax, 58",
        "syscall",
        "push rdi",
        "test eax, eax",
        "jz 2f",
        // The parent, once the child has executed a program or is gone; or nothing was made.
        "mov rcx, [rsi + {ASIDE}]",
        "mov [rsi + {ASIDE_COMMON}], r10",
        "mov [rsi + {COMMON}], rdx",
        "mov [rsi + {TASK}], r8",
        "mov [rsi + {ASIDE}], r9",
        "sub rsp, 8",
        "mov rdi, rax",
        "mov rsi, rcx",
        "call {after}",         // rax: what vfork returns
        "add rsp, 8",
        "ret",
        // The child.
        "2:",
        "sub rsp, 8",
        "call {in_child}",
        "add rsp, 8",
        "xor eax, eax",
        "ret",
        before = sym before_vfork,
        after = sym after_vfork,
        in_child = sym in_vforked_child,
        COMMON = const offset_of!(ThreadState, common),
        TASK = const offset_of!(ThreadState, task),
        ASIDE = const offset_of!(ThreadState, aside),
        ASIDE_COMMON = const offset_of!(ThreadState, aside_common),
    )
}

/// What the frame of vfork(2) needs to know, in two registers.
#[repr(C)]
struct Words {
    state: *mut ThreadState,
    aside: u64,
}

extern "C" fn before_vfork(caller: usize) -> Words {
    record_entry(Call::vfork, caller);
    objects::keep_up();
    let aside = aside_word();
    set_vforking(aside, true);
    Words { state: thread_state(), aside }
}

/// Has the process's entry say whether a child with a placeholder is in its memory.
fn set_vforking(aside: u64, begins: bool) {
    if trace_event::placeholder(aside).is_some()
        && let Some(session) = session()
        && let Some(process) = session.process()
    {
        session.control().set_vforking(process, begins);
    }
}

extern "C" fn after_vfork(result: isize, aside: u64) -> i32 {
    set_vforking(aside, false);
    made(trace_event::placeholder(aside).unwrap_or(0), result as i32);
    let (child, error) = if result < 0 { (-1, -result as i32) } else { (result as i32, 0) };
    record_return(Call::vfork, child, error);
    if error != 0 {
        // SAFETY: libc's word for the calling thread.
        unsafe { *libc::__errno_location() = error };
    }
    child
}

extern "C" fn in_vforked_child() {
    trace_event::child_in_memory(true);
    if let Some(session) = session() {
        attach::record_fork(Parent { tid: trace_event::maker_aside(), comm: session.process_comm() });
    }
    record_return(Call::vfork, 0, 0);
}
