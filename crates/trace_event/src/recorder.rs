//! Recording an event: is it on, who am I, write.

use crate::here::Here;
use crate::process;
use crate::shared::Shared;
use crate::stack::FrameRecord;
use crate::thread;
use abi::control::{EVENTS, FIRST_ALONE};
use abi::instance::STACKS;
use core::ptr::null;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};
use ring_buffer::{Event, Thread};

/// What stands for the session's words as long as there is none: nothing is on. Behind what every process
/// touches, see `process`. For who tests words in assembly; see [`is_enabled`].
#[unsafe(link_section = ".bss.lookback_large_off")]
pub static NOTHING_ENABLED: [AtomicU64; EVENTS] = [const { AtomicU64::new(0) }; EVENTS];

/// What has to be added to the address of a word of [`NOTHING_ENABLED`] for that of the word that says
/// whether the event is on. 0 until there is a session: so this needs no initial value, and no page of its
/// own in every process.
pub static ENABLED_SHIFT: AtomicUsize = AtomicUsize::new(0);

/// Makes the session's words the ones that are looked at.
pub(crate) fn use_enabled_words(words: &'static [AtomicU64; EVENTS]) {
    let session = words.as_ptr().expose_provenance();
    ENABLED_SHIFT.store(session.wrapping_sub(NOTHING_ENABLED.as_ptr().addr()), Relaxed);
}

/// Makes all events look as if they were off.
pub(crate) fn use_no_words() {
    ENABLED_SHIFT.store(0, Relaxed);
}

/// The word that says whether an event is on. An id that is none has that of another.
#[inline(always)]
pub fn enabled_word(event: u16) -> &'static AtomicU64 {
    const { assert!(EVENTS.is_power_of_two()) };
    let index = usize::from(event) & (EVENTS - 1);
    let shift = ENABLED_SHIFT.load(Relaxed);
    let address = (&raw const NOTHING_ENABLED[index]).expose_provenance().wrapping_add(shift);
    // SAFETY: the address of that word in one of two tables that are never unmapped.
    unsafe { &*core::ptr::with_exposed_provenance(address) }
}

/// Whether an event is on. Two loads and a comparison.
#[inline(always)]
pub fn is_enabled(event: u16) -> bool {
    enabled_word(event).load(Relaxed) != 0
}

/// The calling thread, about to record.
#[derive(Debug, Clone, Copy)]
pub struct Entered {
    common: u64,
}

/// Finds out who the calling thread is. None when the process is not attached.
///
/// Cost: some loads; at a thread's first event its entry into the session's table.
/// Async-signal-safe.
#[inline(always)]
pub fn enter() -> Option<Entered> {
    let state = thread::load();
    if state.common != 0 && state.libc_tid == thread::libc_tid() {
        return Some(Entered { common: state.common });
    }
    enter_slowly()
}

#[cold]
#[inline(never)]
fn enter_slowly() -> Option<Entered> {
    process::shared().map(|shared| Entered { common: thread::start(shared) })
}

impl Entered {
    /// The event's first word: its common fields.
    #[inline(always)]
    pub fn common(self, event: u16) -> u64 {
        self.common | u64::from(event)
    }

    /// The thread.
    pub fn tid(self) -> i32 {
        abi::common::pid(self.common)
    }

    /// Writes an event whose first word is [`Entered::common`]'s, if the event's filter lets it pass. One
    /// body for all events: what is written often stays in the cache. What can't be written is counted in
    /// the buffer; what a filter refuses is not.
    ///
    /// If its stack is recorded, it starts here; readers leave the agent's frames out.
    #[inline(never)]
    pub fn write(self, event: Event<'_>) {
        self.write_event(null(), event);
    }

    /// The same from a function that keeps a frame pointer and that the program has called: stacks start with
    /// its caller.
    ///
    /// # Safety
    ///
    /// That is its record, and it has not returned.
    #[inline(never)]
    pub unsafe fn write_called(self, function: *const FrameRecord, event: Event<'_>) {
        self.write_event(function, event);
    }

    #[inline(always)]
    fn write_event(self, function: *const FrameRecord, event: Event<'_>) {
        let Some(shared) = process::shared() else { return };
        let event_id = abi::common::event(event.first_word());
        match enabled_word(event_id).load(Relaxed) {
            FIRST_ALONE => {
                let _ = shared.writer.write(self.thread(shared), event);
            }
            _ => self.write_to_instances(shared, function, event_id, event),
        }
    }

    /// Writes an event to those instances that have it on, now that it is written, and whose filter lets it
    /// pass; and its stack behind it, where that is wanted.
    #[inline(never)]
    fn write_to_instances(
        self,
        shared: &'static Shared,
        function: *const FrameRecord,
        event_id: u16,
        event: Event<'_>,
    ) {
        let here = Here::new(shared);
        let switched = shared.control.switched(event_id);
        for instance in switched.on.iter() {
            let is_filtered = switched.filtered.contains(instance);
            if is_filtered && !shared.control.passes(instance, event.payload(), &here) {
                continue;
            }
            let writer = if instance == 0 { Some(&shared.writer) } else { shared.instances.writer(instance) };
            if let Some(writer) = writer {
                let written = writer.write(self.thread(shared), event);
                if written.is_ok() && shared.control.instance_flags(instance) & STACKS != 0 {
                    self.write_stack(shared, function, instance, writer);
                }
            }
        }
    }

    /// Who writes. Made for each write: a copy would have to wait until what was just stored is in the cache.
    #[inline(always)]
    pub(crate) fn thread(self, shared: &Shared) -> Thread {
        Thread { area: thread::area(shared), identity: self.common >> 32 | shared.pid_namespace() << 32 }
    }
}
