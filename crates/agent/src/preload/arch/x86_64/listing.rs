//! Stubs of functions that take a list of arguments.

/// Defines a wrapper for a function with the program's arguments in its own, up to a null. Those in
/// registers are pushed below those on the stack: so they make the array that `$body` gets second, with the
/// caller's address third.
macro_rules! listing {
    ($symbol:ident, $body:path) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $symbol() {
            core::arch::naked_asm!(
                "pop rax",
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "push rax",
                "mov rdx, rax",
                "call {body}",
                "pop rcx",
                "add rsp, 40",
                "push rcx",
                "ret",
                body = sym $body,
            )
        }
    };
}

pub(crate) use listing;
