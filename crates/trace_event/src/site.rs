//! An event of the program's own, in its source.

use crate::format::FormatText;
use crate::process::shared;
use crate::recorder::enabled_word;
use crate::{Entered, Event, enter};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU64};

/// What stands for a site's word as long as it has none.
static OFF: AtomicU64 = AtomicU64::new(0);

/// A place that records an event: a static in the program.
#[derive(Debug)]
pub struct Site {
    event: &'static Event,
    id: AtomicU16,
    word: AtomicPtr<AtomicU64>,
}

impl Site {
    /// A site of `event`.
    pub const fn new(event: &'static Event) -> Site {
        let word = AtomicPtr::new((&raw const OFF).cast_mut());
        Site { event, id: AtomicU16::new(0), word }
    }

    /// Enters the event into the session that this process is attached to and connects the site with it.
    /// False when there is no session or no room.
    pub fn register(&self) -> bool {
        let Some(shared) = shared() else { return false };
        let Some(text) = FormatText::of(self.event) else { return false };
        let event = self.event;
        let Some(id) = shared.control.add_event(event.system, event.name, text.as_str()) else {
            return false;
        };
        self.id.store(id, Relaxed);
        self.word.store((&raw const *enabled_word(id)).cast_mut(), Release);
        true
    }

    /// The event's id; 0 before it is registered.
    #[inline(always)]
    pub fn id(&self) -> u16 {
        self.id.load(Relaxed)
    }

    /// Whether the event is on. Two loads and a comparison.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        // SAFETY: the word is a static's or one of the session's, which are never unmapped.
        unsafe { (*self.word.load(Acquire)).load(Relaxed) != 0 }
    }

    /// The calling thread, about to record the event; None when the event is off.
    #[inline(always)]
    pub fn enter(&self) -> Option<Entered> {
        if self.is_enabled() { enter() } else { None }
    }
}
