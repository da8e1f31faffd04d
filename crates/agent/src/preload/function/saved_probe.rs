//! What an instruction's entry has on the stack that a probe is at.

use super::moved_site;
use core::mem::offset_of;
use probe::MachineRegister;
use trace_event::{Entered, FrameRecord};

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

/// Which of its words registers are in, those from r8 to r15 left out; none in what is no word.
const WORDS: [u8; 18] = {
    let mut words = [u8::MAX; 18];
    words[0] = (offset_of!(SavedProbe, rax) / 8) as u8;
    words[1] = (offset_of!(SavedProbe, rcx) / 8) as u8;
    words[2] = (offset_of!(SavedProbe, rdx) / 8) as u8;
    words[3] = (offset_of!(SavedProbe, rbx) / 8) as u8;
    words[5] = (offset_of!(SavedProbe, frame) / 8) as u8;
    words[6] = (offset_of!(SavedProbe, rsi) / 8) as u8;
    words[7] = (offset_of!(SavedProbe, rdi) / 8) as u8;
    words[17] = (offset_of!(SavedProbe, flags) / 8) as u8;
    words
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
    pub(super) fn enter_known(&self) -> Option<Entered> {
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

    /// A register by its number. None of one that is none of its words.
    #[inline(always)]
    pub(super) fn saved_in(&self, register: u8) -> Option<u64> {
        let word = match register {
            8..=15 => offset_of!(SavedProbe, high) / 8 + (15 - usize::from(register)),
            _ => usize::from(*WORDS.get(usize::from(register))?),
        };
        // SAFETY: it is nothing but words.
        let words = unsafe { &*(&raw const *self).cast::<[u64; size_of::<SavedProbe>() / 8]>() };
        words.get(word).copied()
    }

    /// A register, but for the instruction pointer.
    pub(super) fn register(&self, register: MachineRegister) -> u64 {
        let [rbp, _] = self.frame;
        let [r15, r14, r13, r12, r11, r10, r9, r8] = self.high;
        match register.number() {
            0 => self.rax,
            1 => self.rcx,
            2 => self.rdx,
            3 => self.rbx,
            4 => self.stack_pointer(),
            5 => rbp,
            6 => self.rsi,
            7 => self.rdi,
            8 => r8,
            9 => r9,
            10 => r10,
            11 => r11,
            12 => r12,
            13 => r13,
            14 => r14,
            15 => r15,
            _ => self.flags,
        }
    }
}
