//! Stubs: what the exported symbols are.
//!
//! A stub hands its caller's address on as one more argument, behind the call's own. Up to five of those
//! leave a register for it, and the stub just jumps; six and more need the stack.

/// Defines the exported symbol `$symbol`, a stub for `$body`, which has the parameters `$parameter` and
/// then the caller's address.
macro_rules! stub {
    ($symbol:ident, $body:path, $($parameter:ident)*) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $symbol() {
            $crate::preload::stub::jump!($body, $($parameter)*)
        }
    };
}

/// The stub's instructions, by the number of parameters. `al`, which a variadic call sets, stays as it is.
macro_rules! jump {
    ($body:path,) => { $crate::preload::stub::by_register!($body, "rdi") };
    ($body:path, $a:ident) => { $crate::preload::stub::by_register!($body, "rsi") };
    ($body:path, $a:ident $b:ident) => { $crate::preload::stub::by_register!($body, "rdx") };
    ($body:path, $a:ident $b:ident $c:ident) => { $crate::preload::stub::by_register!($body, "rcx") };
    ($body:path, $a:ident $b:ident $c:ident $d:ident) => {
        $crate::preload::stub::by_register!($body, "r8")
    };
    ($body:path, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $crate::preload::stub::by_register!($body, "r9")
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
            // Behind the seventh parameter, which is on the stack already; and 8 bytes that align it.
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

pub(crate) use {by_register, jump, stub};
