//! Stubs: what the exported symbols are.
//!
//! Those of calls with a frame jump to that; those without hooks jump to libc's function where nothing is on.
//! Those of functions that are wrapped by hand jump to their body
//! and pass their caller's address to it as one more argument, after the call's own. Up to five of those
//! leave a register for it, and the stub just jumps; six and more need the stack.

/// Defines the exported symbol `$symbol`, a stub for `$body`, which has the parameters `$parameter` and
/// then the caller's address.
macro_rules! stub {
    ($symbol:ident, $body:path, $($parameter:ident)*) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $symbol() {
            $crate::preload::arch::stub::jump!($body, $($parameter)*)
        }
    };
}

/// The stub's instructions, by the number of parameters. `al`, which a variadic call sets, stays as it is.
macro_rules! jump {
    ($body:path,) => { $crate::preload::arch::stub::by_register!($body, "rdi") };
    ($body:path, $a:ident) => { $crate::preload::arch::stub::by_register!($body, "rsi") };
    ($body:path, $a:ident $b:ident) => { $crate::preload::arch::stub::by_register!($body, "rdx") };
    ($body:path, $a:ident $b:ident $c:ident) => { $crate::preload::arch::stub::by_register!($body, "rcx") };
    ($body:path, $a:ident $b:ident $c:ident $d:ident) => {
        $crate::preload::arch::stub::by_register!($body, "r8")
    };
    ($body:path, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $crate::preload::arch::stub::by_register!($body, "r9")
    };
    ($body:path, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "push qword ptr [rsp]",
            ".cfi_adjust_cfa_offset 8",
            "call {body}",
            "add rsp, 8",
            ".cfi_adjust_cfa_offset -8",
            "ret",
            ".cfi_endproc",
            body = sym $body,
        )
    };
    ($body:path, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            // After the seventh parameter, which is on the stack already; and 8 bytes that align it.
            "sub rsp, 8",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 8]",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 24]",
            ".cfi_adjust_cfa_offset 8",
            "call {body}",
            "add rsp, 24",
            ".cfi_adjust_cfa_offset -24",
            "ret",
            ".cfi_endproc",
            body = sym $body,
        )
    };
}

/// The caller's address goes into a register.
macro_rules! by_register {
    ($body:path, $register:literal) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            concat!("mov ", $register, ", [rsp]"),
            "jmp {body}",
            ".cfi_endproc",
            body = sym $body,
        )
    };
}

/// Defines the exported symbol `$symbol` of a call with a frame: its [`Wrapped`], and what jumps to the frame
/// with that in r11, after the instructions `$first`.
///
/// Each has a line of the cache to itself, which is all that is executed of the agent in the common case.
///
/// [`Wrapped`]: crate::preload::wrapper::frame::Wrapped
macro_rules! wrapped {
    (
        $first:ident, $frame:path, $symbol:ident, $around:path, $event:expr,
        hooked: $hooked:expr, stacked: $stacked:expr, returns: $returns:expr, early: $early:expr,
        locks: $locks:expr
    ) => {
        const _: () = {
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            #[unsafe(link_section = ".text.stubs")]
            unsafe extern "C" fn $symbol() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    $crate::preload::arch::stub::$first!(),
                    "21: lea r11, [rip + 22f]",
                    "jmp {call}",
                    ".cfi_endproc",
                    ".balign 64",
                    ".pushsection .rodata.lookback, \"a\", @progbits",
                    concat!("23: .asciz \"", stringify!($symbol), "\""),
                    ".balign 4",
                    "22: .long 24f - 22b",
                    ".long {nothing} + {word} - 22b",
                    ".long {around} - 22b",
                    ".long 23b - 22b",
                    ".long {hooked}",
                    ".long {stacked}",
                    ".long {returns}",
                    ".long {early}",
                    ".long {shown}",
                    ".long {locks}",
                    ".popsection",
                    ".pushsection .bss._found, \"aw\", @nobits",
                    ".balign 8",
                    "24: .quad 0",
                    ".popsection",
                    call = sym $frame,
                    around = sym $around,
                    nothing = sym trace_event::NOTHING_ENABLED,
                    shift = sym trace_event::ENABLED_SHIFT,
                    off = const abi::control::OFF,
                    word = const abi::control::event_index($event) * 8,
                    hooked = const $hooked,
                    stacked = const $stacked,
                    returns = const $returns,
                    early = const $early,
                    locks = const $locks,
                    shown = const abi::control::event_index($event) as u32 * $returns,
                )
            }
        };
    };
}

/// The common case of a call without hooks: nothing is on, and the function is known. Between two system
/// calls caches are cold, and each line that is read costs more than all of these instructions: so they are
/// few, and read nothing of the call's [`Wrapped`](crate::preload::wrapper::frame::Wrapped).
macro_rules! off {
    () => {
        "lea r10, [rip + {nothing} + {word}]
        add r10, [rip + {shift}]
        cmp qword ptr [r10], {off}
        jne 21f
        cmp qword ptr [r10 + 8], {off}
        jne 21f
        mov r10, [rip + 24f]
        test r10, r10
        jz 21f
        jmp r10"
    };
}

/// No instruction: there are hooks.
macro_rules! hooked {
    () => {
        "/* {shift} {off} */"
    };
}

pub(crate) use {by_register, hooked, jump, off, stub, wrapped};
