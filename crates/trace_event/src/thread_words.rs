//! Words that each thread has of its own.
//!
//! They are thread-local in the initial-exec model, declared in assembly because stable Rust has no other way
//! to that model: reaching them is one instruction, never a call that might allocate. They are part of the
//! static TLS block, so they are there from a thread's first instruction to its last.

/// Defines `fn NAME() -> *mut TYPE`, which gives the calling thread's own `TYPE` under the linker's name
/// `SYMBOL`: all zero in a new thread, aligned to 16 bytes. Async-signal-safe.
#[macro_export]
macro_rules! thread_words {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident() -> *mut $type:ty, $symbol:literal) => {
        core::arch::global_asm!(
            ".pushsection .tbss, \"awT\", @nobits",
            ".balign 16",
            concat!(".hidden ", $symbol),
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ", @object"),
            concat!($symbol, ": .zero {size}"),
            concat!(".size ", $symbol, ", {size}"),
            ".popsection",
            size = const size_of::<$type>(),
        );

        $(#[$attribute])*
        $visibility fn $name() -> *mut $type {
            let address: *mut $type;
            // SAFETY: computes the address of the thread's own copy of the words above.
            unsafe {
                core::arch::asm!(
                    concat!("mov {0}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    "add {0}, fs:[0]",
                    out(reg) address,
                    options(pure, readonly, nostack),
                );
            }
            address
        }
    };
}
