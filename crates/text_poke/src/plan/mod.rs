//! Plans: what the bytes of a site are, what they become, and in which order that is stored. Pure.
//!
//! To support another kind of site, add a function that makes its [`Plan`]; nothing else depends on the
//! kind.

pub mod entry;
pub mod instruction;
pub mod nop;
pub mod refusal;
pub mod xray;

use crate::site_code::SiteCode;
use refusal::Refusal;

/// What a site's bytes are, one after the other: each differs from its neighbors by stores that are safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteState {
    /// As the linker has left it.
    Found,
    /// Calls nothing.
    Off,
    /// Calls what it was planned to call.
    On,
}

/// How a site comes from how it was found to where one store switches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Not at all: what was found is one of its two states.
    None,
    /// By one store.
    OneStore,
    /// By way of an instruction that does nothing, whatever its other bytes are.
    Guarded,
    /// By stores to bytes that nobody executes, as there is a jump over them.
    Unexecuted,
    /// By any stores, while no other thread can be there.
    Alone,
}

/// What the next thing to do at a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Nothing: it is as wanted.
    Done,
    /// Store this, then let all threads see it.
    Store(SiteCode),
    /// It has to be prepared first, which is too late as other threads run.
    TooLate,
    /// The bytes are none of the plan's: somebody else has changed them.
    Differs,
}

/// What is to be stored at a site, and when.
///
/// T2: between off and on lies one store to one word, for every plan. The state of a site is read from its
/// bytes alone, so a plan can be made again at any time, as long as it is made of the bytes that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub(crate) address: u64,
    pub(crate) found: SiteCode,
    pub(crate) off: SiteCode,
    pub(crate) on: SiteCode,
    pub(crate) preparation: Preparation,
    pub(crate) returns_to: u64,
}

impl Plan {
    /// Where its bytes begin.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The return address of its call: by that the called code knows the site.
    pub fn returns_to(&self) -> u64 {
        self.returns_to
    }

    /// How it is prepared.
    pub fn preparation(&self) -> Preparation {
        self.preparation
    }

    /// Its bytes in a state.
    pub fn code(&self, state: SiteState) -> SiteCode {
        match state {
            SiteState::Found => self.found,
            SiteState::Off => self.off,
            SiteState::On => self.on,
        }
    }

    /// What to do at a site whose bytes are `now`, so that it comes to `wanted`. `alone` says that no other
    /// thread can be there.
    ///
    /// There are three steps at most, and all threads have to have seen each before the next: T4. What was
    /// prepared in bytes that nobody executed, or alone, is taken back to off only, unless alone: a thread
    /// may still be there.
    pub fn step(&self, now: SiteCode, wanted: SiteState, alone: bool) -> NextStep {
        let (goal, guard) = (self.code(wanted), self.guard());
        if now == goal {
            return NextStep::Done;
        }
        let is_back = wanted == SiteState::Found;
        match now {
            _ if now == self.on => NextStep::Store(self.off),
            _ if now == self.off && !is_back => NextStep::Store(self.on),
            _ if now == self.off => match self.preparation {
                // Found is on.
                Preparation::None => NextStep::Store(self.found),
                Preparation::Guarded => NextStep::Store(guard),
                Preparation::Alone | Preparation::Unexecuted if !alone => NextStep::Done,
                _ => NextStep::Store(self.found),
            },
            _ if now == self.found => match self.preparation {
                Preparation::Guarded => NextStep::Store(guard),
                Preparation::Alone if !alone => NextStep::TooLate,
                _ => NextStep::Store(self.off),
            },
            _ if self.preparation == Preparation::Guarded && now == guard => {
                NextStep::Store(if is_back { self.found } else { self.off })
            }
            _ => NextStep::Differs,
        }
    }

    /// What was found, with off's first byte: `test eax, imm32`, whose operand are the bytes that were found.
    fn guard(&self) -> SiteCode {
        let first = self.off.bytes().first().copied().unwrap_or_default();
        self.found.with_byte(0, first)
    }
}

/// The displacement of a call or jump that ends at `end`.
pub(crate) fn displacement(end: u64, target: u64) -> Result<[u8; 4], Refusal> {
    let distance = target.wrapping_sub(end) as i64;
    i32::try_from(distance).map(i32::to_le_bytes).map_err(|_| Refusal::TooFar)
}
