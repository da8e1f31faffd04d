//! Triggers: what is done when an event happens, be it on or not.
//!
//! All triggers of an event in an instance are one list of words (see [`abi::control::TriggerHead`]). Who
//! changes one has the session's lock, stores a new list where [filters](crate::FilterSpace) are, and gives
//! it to the event by one store. Who has an event copies what is due out of the list, and acts once he has
//! seen that it still was the event's.
//!
//! How often a trigger may still act is in a counter that all processes share: see `counters.rs`.

use crate::area::ControlArea;
use crate::extension::InstanceWords;
use crate::filters::StoredFilter;
use abi::control::{EVENTS, TRIGGERING_OFFSET, event_index};
use abi::instance::RECORDING;
use core::ffi::CStr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Relaxed, Release};
use event_filter::{Context, Words};
use event_trigger::Due;
use shm::Errno;

/// A list in the file. Everything in it may change at any moment.
pub(crate) struct List<'a>(pub(crate) &'a [AtomicU64]);

impl Words for List<'_> {
    // Relaxed: the fence of `read_filter` follows.
    #[inline]
    fn word(&self, index: usize) -> Option<u64> {
        self.0.get(index).map(|word| word.load(Relaxed))
    }
}

impl ControlArea {
    /// Gives an event other triggers in an instance, or none. Traced processes see it at once. Only for one
    /// who has the session's lock, and has [reserved](ControlArea::reserve_triggers) memory.
    // Release: pairs with the Acquire of `read_filter`: who sees the word sees the list.
    pub fn set_triggers(&self, id: u16, instance: usize, list: Option<StoredFilter>) {
        let Some(word) = self.trigger_word(id, instance) else { return };
        match list {
            Some(list) => {
                word.store(list.0, Release);
                self.set_triggered(id, instance, true);
            }
            // The word of one that has none may have no memory.
            None if self.has_triggers(id, instance) => {
                // First: who is killed after it leaves an event that is looked at and has none.
                word.store(0, Release);
                self.set_triggered(id, instance, false);
            }
            None => {}
        }
    }

    /// Gives memory to where an event's triggers in an instance are entered, in this file, which is at
    /// `path`. Errors: what fallocate(2) says.
    pub fn reserve_triggers(&self, path: &CStr, id: u16, instance: usize) -> Result<(), Errno> {
        let start = event_index(id) as u64 * 8;
        self.reserve_words(path, instance, InstanceWords::Triggering, start..start + 8)
    }

    /// Whether an event has triggers in an instance.
    pub fn has_triggers(&self, id: u16, instance: usize) -> bool {
        self.switched(id).triggered.contains(instance)
    }

    /// The words of an event's triggers in an instance, in `buffer`. None where there are none.
    // Relaxed: the fence of `read_filter` follows.
    pub fn trigger_words<'a>(&self, id: u16, instance: usize, buffer: &'a mut [u64]) -> Option<&'a [u64]> {
        let word = self.trigger_word(id, instance).filter(|_| self.has_triggers(id, instance))?;
        let len = self.read_filter(word, |word| {
            let list = self.stored_words(word)?.iter();
            Some(buffer.iter_mut().zip(list).map(|(to, word)| *to = word.load(Relaxed)).count())
        })?;
        buffer.get(..len)
    }

    /// Which of an event's triggers act for a record of it in an instance. The record is the whole payload,
    /// from the common fields on.
    ///
    /// Async-signal-safe. It costs some loads, and for each trigger with a filter what
    /// [`event_filter::evaluate`] says.
    pub fn due(&self, instance: usize, record: &[u8], context: &impl Context) -> Due {
        let id = record.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let mut due = Due::NONE;
        let Some(word) = self.trigger_word(id, instance) else { return due };
        let is_whole = self.read_filter(word, |word| {
            due.fill(&List(self.stored_words(word)?), record, context);
            Some(())
        });
        if is_whole.is_some() { due } else { Due::NONE }
    }

    #[inline]
    fn trigger_word(&self, id: u16, instance: usize) -> Option<&AtomicU64> {
        match instance {
            RECORDING => self.fixed::<TRIGGERING_OFFSET, AtomicU64, EVENTS>().get(event_index(id)),
            _ => self.extension_words(instance, InstanceWords::Triggering)?.get(event_index(id)),
        }
    }

    /// The words that say where there are triggers.
    pub(crate) fn trigger_lists(&self) -> impl Iterator<Item = &AtomicU64> {
        self.event_ids().flat_map(move |id| {
            let instances = self.switched(id).triggered.iter();
            instances.filter_map(move |instance| self.trigger_word(id, instance))
        })
    }
}
