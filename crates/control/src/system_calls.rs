//! Whether system calls are wanted: only then are they seen.
//!
//! Who switches their events says here whether any is wanted, and has processes look, as for functions: see
//! [`change_functions`](crate::ControlArea::change_functions).

use crate::area::ControlArea;
use core::sync::atomic::Ordering::{AcqRel, Acquire};
use events::system_call::{self, ENTER_ID, EXIT_ID, NUMBERS};

/// Which events of a system call are wanted anywhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WantedSystemCall {
    /// Its entry: its own event, or that of all calls.
    pub enter: bool,
    /// Its exit.
    pub exit: bool,
}

impl ControlArea {
    /// Whether an event of any system call is enabled in an instance, or has triggers there, or may be
    /// enabled by one. What says otherwise counts up [`functions_wanted`](ControlArea::functions_wanted)
    /// afterwards.
    ///
    /// Async-signal-safe. Cost: a load.
    #[inline]
    pub fn system_calls_wanted(&self) -> bool {
        self.system_calls_generation() & 1 == 1
    }

    /// A number that goes up when they are wanted, or no longer; 0 where they never were.
    // Acquire: pairs with the AcqRel of `want_system_calls`.
    #[inline]
    pub fn system_calls_generation(&self) -> u32 {
        self.header().system_calls.load(Acquire)
    }

    /// Whether the entry and the exit of the call of a number are wanted: as of now, not as of when processes
    /// were told to look.
    ///
    /// Async-signal-safe. Cost: up to four loads.
    #[inline]
    pub fn wanted_system_call(&self, number: u32) -> WantedSystemCall {
        let own = system_call::events_of(number);
        let is_wanted =
            |all: u16, own: Option<u16>| self.has_work(all) || own.is_some_and(|id| self.has_work(id));
        WantedSystemCall {
            enter: is_wanted(ENTER_ID, own.map(|own| own.enter)),
            exit: is_wanted(EXIT_ID, own.map(|own| own.exit)),
        }
    }

    /// Says whether system calls are wanted, by what their events are now. Whether that is otherwise than
    /// before: then processes have to be told. For one who has the session's lock.
    // AcqRel: pairs with the Acquire of `system_calls_generation`.
    pub fn want_system_calls(&self) -> bool {
        let is_wanted = |number| self.wanted_system_call(number) != WantedSystemCall::default();
        let has_changed = (0..NUMBERS).any(is_wanted) != self.system_calls_wanted();
        if has_changed {
            self.header().system_calls.fetch_add(1, AcqRel);
        }
        has_changed
    }
}
