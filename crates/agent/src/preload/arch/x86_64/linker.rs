//! What the linkers know: where this object is, and where symbols of others are.

use core::arch::{asm, global_asm};
use core::ops::Range;

global_asm!(
    ".weak environ",
    ".weak __errno_location",
    ".weak getauxval",
    ".weak _r_debug",
    ".weak _dl_debug_addr",
);

/// The address of a symbol; 0 where nobody has it.
macro_rules! address {
    ($name:literal) => {{
        let address: usize;
        // SAFETY: reads the linker's entry for the symbol.
        unsafe {
            core::arch::asm!(
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}

pub(crate) use address;

/// The addresses of this object, from its first byte to its last.
pub(crate) fn own_object() -> Range<usize> {
    let (start, end): (usize, usize);
    // SAFETY: the linker's symbols for them.
    unsafe {
        asm!(
            "lea {start}, [rip + __ehdr_start]",
            "lea {end}, [rip + _end]",
            start = out(reg) start,
            end = out(reg) end,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    start..end
}

/// This object's dynamic section.
pub(crate) fn own_dynamic_section() -> *const [u64; 2] {
    let own;
    // SAFETY: the linker's symbol for it; nothing is read.
    unsafe { asm!("lea {}, [rip + _DYNAMIC]", out(reg) own, options(pure, nomem, nostack)) };
    own
}
