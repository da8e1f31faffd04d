//! What a thunk stands for: a handler with one set of flags, for good.

use crate::preload::arch::thunks::{THUNK_SIZE, thunks};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire};
use libc::{SA_ONSTACK, SA_SIGINFO, SIG_DFL, SIG_IGN};
use trace_event::session;

/// How many handlers with their flags are distinguished.
pub(crate) const THUNKS: usize = 128;

/// The handler of each thunk, see [`HandlerAction::packed`]; 0 for one that is free.
#[unsafe(link_section = ".bss.lookback_large_handlers")]
pub(crate) static HANDLERS: [AtomicU64; THUNKS] = [const { AtomicU64::new(0) }; THUNKS];

/// A handler and the flags that it was set with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HandlerAction {
    pub(crate) handler: usize,
    pub(crate) flags: u32,
}

/// What stands for the agent's own handler of a fatal signal, which the program knows as the default
/// disposition. No handler of a program's that has a thunk is called so.
const FATAL: usize = SIG_IGN;

impl HandlerAction {
    /// The agent's own handler, where the program has the default disposition with these flags.
    pub(crate) fn fatal(flags: u32) -> HandlerAction {
        HandlerAction { handler: FATAL, flags }
    }

    /// Whether it is the agent's own.
    pub(crate) fn is_fatal(self) -> bool {
        self.handler == FATAL
    }

    /// The handler that the program knows.
    pub(crate) fn known_handler(self) -> usize {
        if self.is_fatal() { SIG_DFL } else { self.handler }
    }

    /// In one word: the address in 48 bits, the flags that there are above. None when that doesn't fit.
    pub(crate) fn packed(self) -> Option<u64> {
        let flags = self.flags & 7 | self.flags >> 10 << 3 & 0x18 | self.flags >> 26 << 5;
        let packed = self.handler as u64 | u64::from(flags) << 48;
        (HandlerAction::unpacked(packed) == self).then_some(packed)
    }

    pub(crate) fn unpacked(packed: u64) -> HandlerAction {
        let flags = (packed >> 48) as u32;
        let flags = flags & 7 | (flags & 0x18) << 7 | flags >> 5 << 26;
        HandlerAction { handler: (packed & 0xffff_ffff_ffff) as usize, flags }
    }

    /// What the kernel gets as flags for it.
    pub(crate) fn kernel_flags(self) -> i32 {
        // A fatal one may have come of a stack that has overflowed.
        self.flags as i32 | SA_SIGINFO | if self.is_fatal() { SA_ONSTACK } else { 0 }
    }

    /// The thunk that stands for it, if there is one.
    pub(crate) fn thunk(self) -> Option<usize> {
        session()?;
        let packed = self.packed()?;
        let is_its = |word: &AtomicU64| {
            let taken = word.compare_exchange(0, packed, AcqRel, Acquire);
            taken.is_ok() || taken == Err(packed)
        };
        let index = HANDLERS.iter().position(is_its)?;
        Some(thunks as *const () as usize + index * THUNK_SIZE)
    }

    /// What the thunk at `address` stands for, if there is one.
    pub(crate) fn of(address: usize) -> Option<HandlerAction> {
        let offset = address.wrapping_sub(thunks as *const () as usize);
        let word = HANDLERS.get(offset / THUNK_SIZE)?;
        Some(HandlerAction::unpacked(word.load(Acquire)))
    }
}
