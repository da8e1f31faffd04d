//! An event of this program, which is a recorder itself: what an event costs without the way to one.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU64};
use events::EventType;
use trace_event::{Entered, enabled_word, enter, session};

/// What stands for a site's word as long as it has none.
static OFF: AtomicU64 = AtomicU64::new(0);

/// A place that records an event.
#[derive(Debug)]
pub struct BenchSite {
    event: &'static EventType,
    id: AtomicU16,
    word: AtomicPtr<AtomicU64>,
}

impl BenchSite {
    /// A site of `event`.
    pub const fn new(event: &'static EventType) -> BenchSite {
        let word = AtomicPtr::new((&raw const OFF).cast_mut());
        BenchSite { event, id: AtomicU16::new(0), word }
    }

    /// Enters the event into the session that this process is attached to and connects the site with it.
    /// False when there is no session or no space.
    pub fn register(&self) -> bool {
        let (event, format) = (self.event, self.event.own_format().to_string());
        let id = session().and_then(|session| session.control().add_event(event.system, event.name, &format));
        let Some(id) = id else { return false };
        self.id.store(id, Relaxed);
        self.word.store((&raw const *enabled_word(id)).cast_mut(), Release);
        true
    }

    /// The event's id; 0 before it is registered.
    #[inline(always)]
    pub fn id(&self) -> u16 {
        self.id.load(Relaxed)
    }

    /// The calling thread, about to record the event; None when the event is off.
    #[inline(always)]
    pub fn enter(&self) -> Option<Entered> {
        // SAFETY: the word is a static's or one of the session's, which are never unmapped.
        let is_enabled = unsafe { (*self.word.load(Acquire)).load(Relaxed) != 0 };
        if is_enabled { enter() } else { None }
    }
}
