//! The instructions of a site, and what describes it.
//!
//! ```text
//!         .p2align 3,,4                     so that the nop is inside of one aligned 8-byte word
//! site:   0f 1f 44 00 00                    one nop of 5 bytes
//!
//! section lookback_functions, read-only, one entry of 12 bytes for each site:
//!         i32 site - here, i32 name - here, u32 kind: 0 entry, 1 exit
//!
//! section .rodata.lookback_names:           names, each once, that end with a null byte
//! name:   the mangled name of a static that is named SITE, in the function
//! ```
//!
//! 1. **Addresses are relative to the word they are in.** There is nothing to relocate when a program starts,
//!    and the section is the same in the file and in memory.
//! 2. **A function that the linker removes takes its entries along.** The section is linked to the site's
//!    (`o`), which needs a label that no other site of the object file has: a counter of the assembler's,
//!    because a function may be copied any number of times. A section that is only reached by its name
//!    would be removed as a whole by lld.
//! 3. **A call may stand in place of the nop.** Neither `nostack` nor `preserves_flags` is said: the compiler
//!    keeps nothing below the stack pointer and nothing in the flags, and the stack is aligned to 16. All
//!    other registers are in use.
//! 4. **Not in `__patchable_function_entries`.** A site there is at the first instruction of a function, with
//!    the return address on top of the stack. These come after the function's own set-up of its stack, and
//!    tools that replace return addresses at such sites would destroy the program's stack.
//! 5. **The name comes from the compiler.** An operand may stand inside of a string, so the name is the one
//!    that symbols and backtraces have, of methods of traits and inlined copies, too.

use proc_macro2::TokenStream;
use quote::quote;

/// The static whose path is the name of sites.
pub fn name() -> TokenStream {
    quote!(
        static SITE: u8 = 0;
    )
}

/// An expression that has the site of an entry, and whose value has that of an exit where it is dropped. The
/// static that names them is in scope.
pub fn guard() -> TokenStream {
    let (entry, exit) = (site(0), site(1));
    quote!({
        struct Exit;
        impl ::core::ops::Drop for Exit {
            #[inline(always)]
            fn drop(&mut self) {
                #exit
            }
        }
        #entry
        Exit
    })
}

fn site(kind: u32) -> TokenStream {
    let kind = format!(".long {kind}");
    quote!(
        #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
        // SAFETY: a nop, which changes nothing.
        unsafe {
            ::core::arch::asm!(
                ".p2align 3,,4",
                "2: .byte 0x0f, 0x1f, 0x44, 0, 0",
                ".pushsection .rodata.lookback_names, \"aMS\", @progbits, 1",
                "3: .asciz \"{name}\"",
                ".popsection",
                ".ifndef lookback_count",
                ".set lookback_count, 0",
                ".endif",
                ".set lookback_count, lookback_count + 1",
                ".altmacro",
                ".macro lookback_entry count",
                ".Llookback_\\count:",
                ".pushsection lookback_functions, \"ao\", @progbits, .Llookback_\\count",
                ".balign 4",
                ".long 2b - .",
                ".long 3b - .",
                #kind,
                ".popsection",
                ".endm",
                "lookback_entry %lookback_count",
                ".purgem lookback_entry",
                ".noaltmacro",
                name = sym SITE,
                options(nomem),
            );
        }
    )
}
