//! The general section, and the pieces that others are made of.

use crate::area::Area;
use crate::publish::{Commit, Guard, Outcome, Store};
use core::arch::asm;

/// Starts a section: template text for `asm!`.
///
/// Operands: `{area}` the registration's address, `{cpu}` the CPU that the section is for, or another that is
/// named, `{scratch}` a register, `{aborted}` where to go when the thread is on another CPU. Uses the labels
/// 76 to 79. The descriptor needs absolute addresses, so its section is writable and relocated; debuggers
/// find sections through `__rseq_cs_ptr_array`, which the linker must not drop.
#[macro_export]
macro_rules! begin {
    () => {
        $crate::begin!("cpu")
    };
    ($cpu:literal) => {
        concat!(
            ".pushsection __rseq_cs, \"aw\", @progbits\n",
            ".balign 32\n",
            "77:\n",
            ".long 0, 0\n",
            ".quad 78f, 79f - 78f, 76f\n",
            ".popsection\n",
            ".pushsection __rseq_cs_ptr_array, \"awR\", @progbits\n",
            ".quad 77b\n",
            ".popsection\n",
            "lea {scratch}, [rip + 77b]\n",
            "mov qword ptr [{area} + 8], {scratch}\n",
            "78:\n",
            "cmp dword ptr [{area} + 4], {",
            $cpu,
            ":e}\n",
            "jne {aborted}\n",
        )
    };
}

/// Ends a section, right after its committing instruction: template text for `asm!`.
///
/// The abort handler is preceded by the signature that glibc registers, dressed as an instruction.
#[macro_export]
macro_rules! end {
    () => {
        concat!(
            "79:\n",
            "mov qword ptr [{area} + 8], 0\n",
            ".pushsection __rseq_failure, \"ax\", @progbits\n",
            ".byte 0x0f, 0xb9, 0x3d\n",
            ".long 0x53053053\n",
            "76:\n",
            "jmp {aborted}\n",
            ".popsection\n",
        )
    };
}

/// On `cpu`, if every guard holds: does all `stores` in order, then the commit.
///
/// When it ends otherwise than [`Outcome::Committed`] any number of the stores may have been done, but
/// not the commit; they were done while every guard held, and before another thread ran on `cpu`.
///
/// Cost: a few ns and about one per guard and store.
///
/// # Safety
///
/// The addresses are valid for what is done to them, and the commit's is 16-byte aligned. `area` is
/// the calling thread's.
#[inline(never)]
pub unsafe fn publish(area: Area, cpu: u32, guards: &[Guard], stores: &[Store], commit: Commit) -> Outcome {
    // SAFETY: the caller answers for the addresses. The section's only way out with an effect that
    // counts is its last instruction.
    unsafe {
        asm!(
            crate::begin!(),
            // Every guard.
            "20:",
            "cmp {guard}, {guards_end}",
            "je 21f",
            "mov {scratch}, [{guard}]",
            "mov {scratch}, [{scratch}]",
            "cmp {scratch}, [{guard} + 8]",
            "jne {refused}",
            "add {guard}, 16",
            "jmp 20b",
            // Every store.
            "21:",
            "cmp {store}, {stores_end}",
            "je 22f",
            "mov {scratch}, [{store}]",
            "mov {value}, [{store} + 8]",
            "mov [{scratch}], {value}",
            "add {store}, 16",
            "jmp 21b",
            // The commit.
            "22:",
            "movups xmm0, [{commit} + 8]",
            "mov {scratch}, [{commit}]",
            "movaps [{scratch}], xmm0",
            crate::end!(),
            area = in(reg) area.address(),
            cpu = in(reg) cpu,
            guard = inout(reg) guards.as_ptr() => _,
            guards_end = in(reg) guards.as_ptr_range().end,
            store = inout(reg) stores.as_ptr() => _,
            stores_end = in(reg) stores.as_ptr_range().end,
            commit = in(reg) &raw const commit,
            scratch = out(reg) _,
            value = out(reg) _,
            out("xmm0") _,
            aborted = label { return Outcome::Aborted },
            refused = label { area.leave(); return Outcome::Refused },
            options(nostack),
        );
    }
    Outcome::Committed
}

/// Stores two words by one instruction, so that no kill and no signal comes between them.
///
/// # Safety
///
/// `address` is 16-byte aligned and valid for 16 bytes.
#[inline(always)]
pub unsafe fn store_pair(address: *mut u64, low: u64, high: u64) {
    let pair = [low, high];
    // SAFETY: the caller answers for the address.
    unsafe {
        asm!("movups {value}, [{pair}]", "movaps [{address}], {value}",
            pair = in(reg) &raw const pair, address = in(reg) address, value = out(xmm_reg) _,
            options(nostack, preserves_flags));
    }
}
