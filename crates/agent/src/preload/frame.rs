//! The frame between the program and libc's function.
//!
//! It is in assembly: exceptions, thread cancellation and longjmp leave through it by its unwind information,
//! and no Rust frame is ever between the two. While neither of a call's events is on there is no frame at
//! all, only a jump.
//!
//! # Safety
//!
//! The frame calls what is here with pointers to the words that it has kept on the stack.

use crate::preload::real;
use core::arch::naked_asm;
use core::ffi::CStr;
use core::mem::{offset_of, transmute};
use core::ptr::with_exposed_provenance;
use core::sync::atomic::AtomicUsize;
use trace_event::FrameRecord;

/// A symbol that is wrapped.
///
/// Made by the assembly of its stub, with distances from its own address instead of addresses: so it is
/// constant, and the dynamic linker has nothing to do for it when a process starts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Wrapped {
    /// To where the address of libc's function is kept, once it is known.
    found: i32,
    /// To the word that says whether the entry's event is on, as long as there is no session, see
    /// [`trace_event::ENABLED_SHIFT`]. The word of the exit's event follows.
    enabled: i32,
    /// To the call's [`Around`].
    around: i32,
    /// To the symbol's name.
    name: i32,
    /// 1 if there are hooks, which have to be called in any case.
    hooked: u32,
    /// 1 if there are parameters on the stack. Else nothing above the return address need be there.
    stacked: u32,
    /// 1 if the call's return is seen. Else libc's function is jumped to: it sees its caller.
    returns: u32,
    /// 1 if it is no reason to attach: such a call may be made, by the dynamic linker for one, before
    /// anything else is ready.
    early: u32,
}

/// What is done around a call: hooks, and events as far as they are on.
pub(crate) type Around = unsafe fn(&mut Frame, Moment);

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Before,
    After,
}

/// What is done around a call besides recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hooks {
    /// Before; it may change the arguments.
    pub(crate) before: unsafe fn(&mut Frame),
    /// After.
    pub(crate) after: unsafe fn(&mut Frame),
}

/// A call under way: what is kept of it on the stack.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Frame {
    /// The arguments: six from registers, two from the stack, if the call has any there.
    pub(crate) arguments: [u64; 8],
    /// What the call has returned.
    pub(crate) result: u64,
    /// For hooks.
    pub(crate) scratch: u64,
    /// Where the call comes from.
    pub(crate) caller: u64,
    /// Libc's function.
    real: usize,
    wrapped: &'static Wrapped,
    /// What a variadic call has in rax.
    rax: u64,
}

const _: () = assert!(size_of::<Frame>().is_multiple_of(16));

impl Frame {
    /// Has another function called than libc's, with the same contract: for hooks before the call.
    pub(crate) fn call_instead(&mut self, function: usize) {
        self.real = function;
    }

    /// What the assembly has pushed before it: the program's rbp, and above it is where the call returns to.
    #[inline(always)]
    pub(crate) fn record(&self) -> *const FrameRecord {
        with_exposed_provenance((&raw const *self).wrapping_add(1).addr())
    }
}

/// What every stub jumps to, with its [`Wrapped`] in r11.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call() {
    naked_asm!(
        ".cfi_startproc",
        // The common case: no hooks, nothing is on, and the function is known.
        "cmp dword ptr [r11 + {HOOKED}], 0",
        "jne 2f",
        "movsxd r10, dword ptr [r11 + {ENABLED}]",
        "add r10, r11",
        "add r10, [rip + {SHIFT}]",
        "cmp qword ptr [r10], 0",
        "jne 2f",
        "cmp qword ptr [r10 + 8], 0",
        "jne 2f",
        "movsxd r10, dword ptr [r11 + {FOUND}]",
        "mov r10, [r11 + r10]",
        "test r10, r10",
        "jz 2f",
        "jmp r10",
        // A frame, with the arguments in it.
        "2:",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {FRAME}",
        "mov [rsp + {ARGUMENTS}], rdi",
        "mov [rsp + {ARGUMENTS} + 8], rsi",
        "mov [rsp + {ARGUMENTS} + 16], rdx",
        "mov [rsp + {ARGUMENTS} + 24], rcx",
        "mov [rsp + {ARGUMENTS} + 32], r8",
        "mov [rsp + {ARGUMENTS} + 40], r9",
        "cmp dword ptr [r11 + {STACKED}], 0",
        "je 3f",
        "mov rdx, [rbp + 16]",
        "mov [rsp + {ARGUMENTS} + 48], rdx",
        "mov rdx, [rbp + 24]",
        "mov [rsp + {ARGUMENTS} + 56], rdx",
        "3:",
        "mov rdx, [rbp + 8]",
        "mov [rsp + {CALLER}], rdx",
        "mov [rsp + {WRAPPED}], r11",
        "mov [rsp + {RAX}], rax",
        "mov rdi, rsp",
        "call {before}",
        "mov r11, [rsp + {WRAPPED}]",
        "mov r10d, [r11 + {RETURNS}]",
        // Libc's function, with the arguments where it expects them.
        "mov rdi, [rsp + {ARGUMENTS}]",
        "mov rsi, [rsp + {ARGUMENTS} + 8]",
        "mov rdx, [rsp + {ARGUMENTS} + 16]",
        "mov rcx, [rsp + {ARGUMENTS} + 24]",
        "mov r8, [rsp + {ARGUMENTS} + 32]",
        "mov r9, [rsp + {ARGUMENTS} + 40]",
        "mov rax, [rsp + {RAX}]",
        "mov r11, [rsp + {REAL}]",
        "test r10d, r10d",
        "jz 4f",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "call r11",
        "add rsp, 16",
        "mov [rsp + {RESULT}], rax",
        "mov rdi, rsp",
        "call {after}",
        "mov rax, [rsp + {RESULT}]",
        ".cfi_remember_state",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        "4:",
        ".cfi_restore_state",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp r11",
        ".cfi_endproc",
        SHIFT = sym trace_event::ENABLED_SHIFT,
        FOUND = const offset_of!(Wrapped, found),
        ENABLED = const offset_of!(Wrapped, enabled),
        HOOKED = const offset_of!(Wrapped, hooked),
        STACKED = const offset_of!(Wrapped, stacked),
        RETURNS = const offset_of!(Wrapped, returns),
        FRAME = const size_of::<Frame>(),
        ARGUMENTS = const offset_of!(Frame, arguments),
        RESULT = const offset_of!(Frame, result),
        CALLER = const offset_of!(Frame, caller),
        REAL = const offset_of!(Frame, real),
        WRAPPED = const offset_of!(Frame, wrapped),
        RAX = const offset_of!(Frame, rax),
        before = sym before,
        after = sym after,
    )
}

/// What is done before libc's function is called.
unsafe extern "C" fn before(frame: &mut Frame) {
    frame.real = frame.wrapped.real();
    // SAFETY: the frame of a call to this symbol.
    unsafe { (frame.wrapped.around())(frame, Moment::Before) };
}

/// What is done after it has returned.
unsafe extern "C" fn after(frame: &mut Frame) {
    // SAFETY: the frame of a call to this symbol.
    unsafe { (frame.wrapped.around())(frame, Moment::After) };
}

impl Wrapped {
    /// Libc's function.
    fn real(&self) -> usize {
        // SAFETY: the stub's assembly has put a word there, and a text with a zero byte.
        let (found, name) =
            unsafe { (&*self.at::<AtomicUsize>(self.found), CStr::from_ptr(self.at(self.name))) };
        real::known(found, name, self.early == 0)
    }

    fn around(&self) -> Around {
        // SAFETY: the stub's assembly has put such a function there.
        unsafe { transmute(self.at::<()>(self.around)) }
    }

    fn at<T>(&self, distance: i32) -> *const T {
        (&raw const *self).cast::<u8>().wrapping_offset(distance as isize).cast()
    }
}
