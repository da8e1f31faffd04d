//! What moved code is made of, and what is before it: see [`moved_code`](super::moved_code).

use core::ptr::with_exposed_provenance;
use planner::JumpWindow;
use trace_event::{Entered, KnownThread, enter, enter_in_libc, enter_known, enter_known_in_libc};

/// Bytes of a call.
pub(super) const CALL: u64 = 5;

/// `lea rsp, [rsp - 128]`: past what a function may have below the stack pointer.
pub(super) const PAST_RED_ZONE: [u8; 5] = [0x48, 0x8d, 0x64, 0x24, 0x80];
/// `lea rsp, [rsp + 128]`.
pub(super) const BACK: [u8; 8] = [0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0];

/// `lea r12, [rip - 7]`: the address of itself.
#[cfg(feature = "static_program")]
const OWN_ADDRESS: [u8; 7] = [0x4c, 0x8d, 0x25, 0xf9, 0xff, 0xff, 0xff];

/// From there to what follows: past a jump.
#[cfg(feature = "static_program")]
pub(crate) const PAST_JUMP: usize = OWN_ADDRESS.len() + planner::JUMP_LEN;

/// Bytes of the words before what calls.
pub(super) const WORDS: u64 = 24;
/// A jump over them.
pub(super) const PAST_WORDS: [u8; 2] = [0xeb, WORDS as u8];

/// From where a function's entry returns to in moved code back to where its stack is said to be.
const STACK_BEFORE: u64 = 24 + CALL;
/// And to its word.
const WORD_BEFORE: u64 = 16 + CALL;
/// And to the address within the instruction.
pub(crate) const WITHIN_BEFORE: u64 = 8 + CALL;
/// Back to those in the middle of a function.
const PROBE_STACK_BEFORE: u64 = STACK_BEFORE + PAST_RED_ZONE.len() as u64;
const PROBE_WORD_BEFORE: u64 = WORD_BEFORE + PAST_RED_ZONE.len() as u64;
pub(crate) const PROBE_WITHIN_BEFORE: u64 = WITHIN_BEFORE + PAST_RED_ZONE.len() as u64;

/// What moved code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MovedEntry {
    /// A function's first instruction.
    First,
    /// A later one that is executed once for each call.
    Later,
    /// Any other.
    Anywhere,
    /// One before a system call: it is called after the instruction.
    SystemCallEnter,
    /// One after it.
    SystemCallExit,
    /// One of a function of Go, executed once for each call, or after a system call.
    #[cfg(feature = "static_program")]
    Go,
    /// One before a system call of Go's: it is called after the instruction.
    #[cfg(feature = "static_program")]
    GoSystemCallEnter,
}

/// How many there are.
pub(super) const ENTRIES: usize = if cfg!(feature = "static_program") { 7 } else { 5 };

impl MovedEntry {
    /// All of them, as their jumps follow each other in a page.
    pub(super) const ALL: [MovedEntry; ENTRIES] = [
        MovedEntry::First,
        MovedEntry::Later,
        MovedEntry::Anywhere,
        MovedEntry::SystemCallEnter,
        MovedEntry::SystemCallExit,
        #[cfg(feature = "static_program")]
        MovedEntry::Go,
        #[cfg(feature = "static_program")]
        MovedEntry::GoSystemCallEnter,
    ];

    /// The instruction before the call, if it is one that jumps: of what may use no stack.
    pub(super) fn before_jump(self) -> Option<[u8; 7]> {
        #[cfg(feature = "static_program")]
        if matches!(self, MovedEntry::Go | MovedEntry::GoSystemCallEnter) {
            return Some(OWN_ADDRESS);
        }
        None
    }

    /// Whether the instruction comes before the call.
    pub(super) fn moves_first(self) -> bool {
        #[cfg(feature = "static_program")]
        if self == MovedEntry::GoSystemCallEnter {
            return true;
        }
        self == MovedEntry::SystemCallEnter
    }

    /// Whether something may lie below the stack pointer.
    pub(super) fn keeps_red_zone(self) -> bool {
        matches!(self, MovedEntry::Anywhere | MovedEntry::SystemCallEnter | MovedEntry::SystemCallExit)
    }
}

/// What a function that has begun has on its stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MovedStack {
    /// How far above the stack pointer its return address is.
    pub(super) depth: u32,
    /// Whether arguments are still in their registers.
    pub(super) has_arguments: bool,
    /// Whether it is one of libc's, which may run in a child that libc makes on a stack of its own.
    pub(super) is_in_libc: bool,
    /// Whether it is a system call of Go's.
    pub(super) is_go_call: bool,
}

const ARGUMENTS: u64 = 1 << 32;
const IN_LIBC: u64 = 1 << 33;
const GO_CALL: u64 = 1 << 34;

impl MovedStack {
    pub(super) fn to_word(self) -> u64 {
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        u64::from(self.depth)
            | flag(self.has_arguments, ARGUMENTS)
            | flag(self.is_in_libc, IN_LIBC)
            | flag(self.is_go_call, GO_CALL)
    }

    pub(super) fn of_word(word: u64) -> MovedStack {
        let has = |flag: u64| word & flag != 0;
        let (has_arguments, is_in_libc, is_go_call) = (has(ARGUMENTS), has(IN_LIBC), has(GO_CALL));
        MovedStack { depth: word as u32, has_arguments, is_in_libc, is_go_call }
    }

    /// Finds out which thread has come to its function.
    #[inline(always)]
    pub(super) fn enter(self) -> Option<Entered> {
        if self.is_in_libc { enter_in_libc() } else { enter() }
    }

    /// As [`MovedStack::enter`], of a thread that is known: None of any other. Nothing is called for it.
    #[inline(always)]
    pub(super) fn enter_known(self) -> Option<KnownThread> {
        if self.is_in_libc { enter_known_in_libc() } else { enter_known() }
    }
}

/// What is made for an instruction.
pub(super) struct MovedSite<'a> {
    pub(super) entry: MovedEntry,
    /// The word that whoever records finds.
    pub(super) word: u64,
    /// What the function has on its stack there.
    pub(super) stack: MovedStack,
    /// Where the instruction is, its bytes and what follows.
    pub(super) address: u64,
    pub(super) code: &'a [u8],
    pub(super) len: usize,
    /// The jumps that can take its place.
    pub(super) window: JumpWindow,
}

/// The function whose moved code an entry returns to.
#[inline(always)]
pub(super) fn function_before(moved: u64) -> u64 {
    // SAFETY: the entry of moved code was called from there; what is made has that word there.
    unsafe { word(moved - WORD_BEFORE) }
}

/// What the function has on its stack whose moved code an entry returns to.
#[inline(always)]
pub(super) fn stack_before(moved: u64) -> MovedStack {
    // SAFETY: the entry of moved code was called from there; what is made has that word there.
    MovedStack::of_word(unsafe { word(moved - STACK_BEFORE) })
}

/// What a function has on its stack in whose middle an entry returns to moved code.
#[inline(always)]
pub(super) fn probed_stack_before(moved: u64) -> MovedStack {
    // SAFETY: the entry was called from moved code, which has its word there.
    MovedStack::of_word(unsafe { word(moved - PROBE_STACK_BEFORE) })
}

/// The word of the moved code in the middle of a function that an entry returns to: the number of a probe's
/// place, or what is known of a system call.
#[inline(always)]
pub(super) fn word_before(moved: u64) -> u64 {
    // SAFETY: the entry was called from moved code, which has its word there.
    unsafe { word(moved - PROBE_WORD_BEFORE) }
}

/// # Safety
///
/// A word is there.
#[inline(always)]
unsafe fn word(address: u64) -> u64 {
    // SAFETY: the caller's promise. Where a jump leads to one address alone, that may be any.
    unsafe { with_exposed_provenance::<u64>(address as usize).read_unaligned() }
}
