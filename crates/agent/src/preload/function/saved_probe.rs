//! What an instruction's entry has on the stack that a probe is at.

use super::moved_site;
use super::register_words::RegisterWords;
use core::mem::offset_of;
use probe::MachineRegister;
use trace_event::{Entered, FrameRecord, KnownThread};

/// All registers, and where the instruction was moved to.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SavedProbe {
    /// Where the moved instruction is, before which the entry returns.
    moved: u64,
    /// From r15 down to r8.
    high: [u64; 8],
    rdi: u64,
    rsi: u64,
    rbx: u64,
    rdx: u64,
    rcx: u64,
    rax: u64,
    flags: u64,
    /// As if the function had called something at the instruction.
    frame: FrameRecord,
}

/// All but the stack pointer and the instruction pointer, by their numbers.
// SAFETY: it is nothing but words.
static REGISTERS: RegisterWords<SavedProbe> = unsafe {
    RegisterWords::new(&[
        (0, offset_of!(SavedProbe, rax)),
        (1, offset_of!(SavedProbe, rcx)),
        (2, offset_of!(SavedProbe, rdx)),
        (3, offset_of!(SavedProbe, rbx)),
        (5, offset_of!(SavedProbe, frame)),
        (6, offset_of!(SavedProbe, rsi)),
        (7, offset_of!(SavedProbe, rdi)),
        (8, offset_of!(SavedProbe, high) + 56),
        (9, offset_of!(SavedProbe, high) + 48),
        (10, offset_of!(SavedProbe, high) + 40),
        (11, offset_of!(SavedProbe, high) + 32),
        (12, offset_of!(SavedProbe, high) + 24),
        (13, offset_of!(SavedProbe, high) + 16),
        (14, offset_of!(SavedProbe, high) + 8),
        (15, offset_of!(SavedProbe, high)),
        (17, offset_of!(SavedProbe, flags)),
    ])
};

/// What the entry leaves out below the function's stack pointer.
const RED_ZONE: u64 = 128;

impl SavedProbe {
    /// The number of the probe's place.
    #[inline(always)]
    pub(super) fn place(&self) -> u64 {
        moved_site::word_before(self.moved)
    }

    /// Finds out which thread has come to it.
    pub(super) fn enter(&self) -> Option<Entered> {
        moved_site::probed_stack_before(self.moved).enter()
    }

    /// As [`SavedProbe::enter`], of a thread that is known: None of any other. Nothing is called for it.
    #[inline(always)]
    pub(super) fn enter_known(&self) -> Option<KnownThread> {
        moved_site::probed_stack_before(self.moved).enter_known()
    }

    pub(super) fn frame(&self) -> *const FrameRecord {
        &raw const self.frame
    }

    /// The function's stack pointer.
    pub(super) fn stack_pointer(&self) -> u64 {
        let after = (&raw const self.frame).wrapping_add(1).addr() as u64;
        after.wrapping_add(RED_ZONE)
    }

    /// A register by its number. None of those two that aren't saved.
    #[inline(always)]
    pub(super) fn saved_in(&self, register: u8) -> Option<u64> {
        REGISTERS.get(self, register)
    }

    /// A register, but for the instruction pointer.
    pub(super) fn register(&self, register: MachineRegister) -> u64 {
        if register == MachineRegister::STACK_POINTER {
            return self.stack_pointer();
        }
        self.saved_in(register.number()).unwrap_or(0)
    }
}
