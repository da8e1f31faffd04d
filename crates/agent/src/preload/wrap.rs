//! The wrappers that are made from the table.
//!
//! The frame between the program and libc's function is in assembly: exceptions, thread cancellation and
//! longjmp leave through it by its unwind information, and no Rust frame is ever between the two. While
//! neither of a call's events is on there is no frame at all, only a jump.
//!
//! # Safety
//!
//! The frames in assembly call what is here with pointers to the words that they have kept on the stack.

use crate::argument::*;
use crate::calls::calls;
use crate::events::Call;
use crate::preload::{fork, real, reap, record};
use core::arch::naked_asm;
use core::ffi::CStr;
use core::mem::{offset_of, transmute};
use core::sync::atomic::AtomicUsize;
use ring_buffer::Record;
use trace_event::{enter, is_enabled};

/// Words of an entry event: common fields, six arguments, the caller.
const ENTRY_WORDS: usize = 8;

/// Parameters that are in registers.
const REGISTERS: usize = 6;

/// A symbol that is wrapped.
///
/// Made by the assembly of its stub, with distances from its own address instead of addresses: so it is
/// constant, and the dynamic linker has nothing to do for it when a process starts.
#[derive(Debug)]
#[repr(C)]
struct Wrapped {
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
}

/// What is done around a call: hooks, and events as far as they are on.
type Around = unsafe fn(&mut Frame, Moment);

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
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
    caller: u64,
    /// Libc's function.
    real: usize,
    wrapped: &'static Wrapped,
    /// What a variadic call has in rax.
    rax: u64,
}

const _: () = assert!(size_of::<Frame>().is_multiple_of(16));

/// What every stub jumps to, with its [`Wrapped`] in r11.
#[unsafe(naked)]
unsafe extern "C" fn call() {
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
        // Libc's function, with the arguments where it expects them.
        "mov rdi, [rsp + {ARGUMENTS}]",
        "mov rsi, [rsp + {ARGUMENTS} + 8]",
        "mov rdx, [rsp + {ARGUMENTS} + 16]",
        "mov rcx, [rsp + {ARGUMENTS} + 24]",
        "mov r8, [rsp + {ARGUMENTS} + 32]",
        "mov r9, [rsp + {ARGUMENTS} + 40]",
        "mov rax, [rsp + {RAX}]",
        "mov r11, [rsp + {REAL}]",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "push qword ptr [rsp + {ARGUMENTS} + 56]",
        "call r11",
        "add rsp, 16",
        "mov [rsp + {RESULT}], rax",
        "mov rdi, rsp",
        "call {after}",
        "mov rax, [rsp + {RESULT}]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        SHIFT = sym trace_event::ENABLED_SHIFT,
        FOUND = const offset_of!(Wrapped, found),
        ENABLED = const offset_of!(Wrapped, enabled),
        HOOKED = const offset_of!(Wrapped, hooked),
        STACKED = const offset_of!(Wrapped, stacked),
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
        real::known(found, name)
    }

    fn around(&self) -> Around {
        // SAFETY: the stub's assembly has put such a function there.
        unsafe { transmute(self.at::<()>(self.around)) }
    }

    fn at<T>(&self, distance: i32) -> *const T {
        (&raw const *self).cast::<u8>().wrapping_offset(distance as isize).cast()
    }
}

macro_rules! wrappers {
    ($($class:ident { $($call:ident $arguments:tt -> $outcome:ident
        as [$($symbol:ident),*]
        $(or $variant:ident $parameters:tt)*
        $(around $($hooks:ident)::+)?;)* })*) => {
        $($(
            wrap!(
                $call, $arguments, $arguments, $outcome,
                [$($($hooks)::+)?], [$($symbol)*]
            );
            wrap_variants!(
                $call, $arguments, $outcome,
                [$($($hooks)::+)?], [$($variant $parameters)*]
            );
        )*)*
    };
}

macro_rules! wrap_variants {
    ($call:ident, $arguments:tt, $outcome:ident, $hooks:tt, [$($variant:ident $parameters:tt)*]) => {
        $(wrap!($call, $arguments, $parameters, $outcome, $hooks, [$variant]);)*
    };
}

/// Defines the symbols of a call that have the same parameters: what is done around it, and the stubs.
macro_rules! wrap {
    ($call:ident, $arguments:tt, $parameters:tt, $outcome:ident, $hooks:tt, []) => {};
    (
        $call:ident,
        ($($argument:ident: $kind:ident $(= $value:expr)?),*),
        ($($parameter:ident: $type:ident $(= $ignored:expr)?),*),
        $outcome:ident, $hooks:tt, [$($symbol:ident)*]
    ) => {
        const _: () = {
            const PARAMETERS: &[&str] = &[$(stringify!($parameter)),*];
            const STACKED: u32 = (PARAMETERS.len() > REGISTERS) as u32;

            unsafe fn around(frame: &mut Frame, moment: Moment) {
                // SAFETY: the frame of such a call, at that moment.
                unsafe {
                    if moment == Moment::Before {
                        if is_enabled(Call::$call.entry()) {
                            record_entry(frame);
                        }
                        wrap!(@hook $hooks, before, frame);
                    } else {
                        wrap!(@hook $hooks, after, frame);
                        if is_enabled(Call::$call.exit()) {
                            record_exit(frame);
                        }
                    }
                }
            }

            #[allow(unused_variables, unused_mut, reason = "not every parameter is recorded")]
            unsafe fn record_entry(frame: &Frame) {
                let Some(entered) = enter() else { return };
                let mut words = frame.arguments.into_iter();
                $(let $parameter = words.next().unwrap_or(0);)*
                let mut record = Record::<ENTRY_WORDS>::new();
                record.push(entered.common(Call::$call.entry()));
                $(
                    let word = wrap!(@value $argument $($value)?);
                    record::push(&mut record, <$kind as Argument>::ENTRY, word);
                )*
                record.push(frame.caller);
                entered.write(record.event());
            }

            #[allow(unused_variables, unused_mut, reason = "not every parameter is recorded")]
            unsafe fn record_exit(frame: &Frame) {
                let mut words = frame.arguments.into_iter();
                $(let $parameter = words.next().unwrap_or(0);)*
                let returned = record::returned::<$outcome>(frame.result);
                let words: &[u64] = &[$($argument),*];
                let mut indices = 0..;
                let values = [
                    record::result::<$outcome>(frame.result),
                    Value::Half(returned.error as u32),
                    $(
                        // SAFETY: the arguments of the call that has just returned.
                        unsafe {
                            let index = indices.next().unwrap_or(0);
                            <$kind as Argument>::at_exit(words, index, returned)
                        }
                    ),*
                ];
                // SAFETY: what the values point to was read or written by the call.
                unsafe { record::write(Call::$call.exit(), &values) };
            }

            $(
                const _: () = {
                    #[unsafe(no_mangle)]
                    #[unsafe(naked)]
                    unsafe extern "C" fn $symbol() {
                        naked_asm!(
                            ".cfi_startproc",
                            "lea r11, [rip + 22f]",
                            "jmp {call}",
                            ".cfi_endproc",
                            ".pushsection .rodata.lookback, \"a\", @progbits",
                            concat!("23: .asciz \"", stringify!($symbol), "\""),
                            ".balign 4",
                            "22: .long 24f - 22b",
                            ".long {nothing} + {word} - 22b",
                            ".long {around} - 22b",
                            ".long 23b - 22b",
                            ".long {hooked}",
                            ".long {stacked}",
                            ".popsection",
                            ".pushsection .bss._found, \"aw\", @nobits",
                            ".balign 8",
                            "24: .quad 0",
                            ".popsection",
                            call = sym call,
                            around = sym around,
                            nothing = sym trace_event::NOTHING_ENABLED,
                            word = const Call::$call.entry() as u32 * 8,
                            hooked = const wrap!(@hooked $hooks),
                            stacked = const STACKED,
                        )
                    }
                };
            )*
        };
    };
    (@value $argument:ident) => { $argument };
    (@value $argument:ident $value:expr) => { $value };
    (@hooked []) => { 0 };
    (@hooked [$($hooks:ident)::+]) => { 1 };
    (@hook [], $moment:ident, $frame:ident) => {};
    (@hook [$($hooks:ident)::+], $moment:ident, $frame:ident) => { ($($hooks)::+.$moment)($frame) };
}

calls!(wrappers);
