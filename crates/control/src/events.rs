//! Events: what they look like.

use crate::area::ControlArea;
use abi::control::{
    CALLING, EVENTS, EVENTS_OFFSET, EventEntry, FIRST_EVENT, OFF, Table, WATCHED, event_id, event_index,
    heap_range, heap_word,
};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// An event's description, copied out of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description<'a> {
    /// The event's id.
    pub id: u16,
    /// Its system.
    pub system: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its `format` file from the first field that is not common on. Empty for one that is built in.
    pub format: &'a str,
    /// The format of printf(3) that it was declared by, if it was by one.
    pub declaration: Option<&'a str>,
}

/// Why an event was not entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdded {
    /// The table or the heap has no space for it.
    NoSpace,
    /// The event of this id has its name, and was declared by another format.
    Declared(u16),
}

/// The longest system and name of an event that is declared, with a zero byte after each. Two with longer
/// ones are never the same.
const LONGEST_NAME: usize = 512;

/// The longest description, with the names: a page, as in the kernel.
const LONGEST: usize = 8192;

impl ControlArea {
    #[inline]
    pub(crate) fn events(&self) -> &[EventEntry] {
        self.array(EVENTS_OFFSET, EVENTS)
    }

    /// Enters an event under the id by which everybody knows it, and so its format. False when there is no
    /// space.
    // AcqRel: pairs with the Acquire of `describe`: the text is there before the word that refers to it.
    // Relaxed on failure: nothing is done.
    pub fn add_built_in_event(&self, id: u16, system: &str, name: &str) -> bool {
        let parts: [&[u8]; 4] = [system.as_bytes(), b"\0", name.as_bytes(), b"\0"];
        let Some(entry) = self.events().get(event_index(id)) else { return false };
        let Some(text) = self.allocate(&parts) else { return false };
        entry.description.compare_exchange(0, text, AcqRel, Relaxed).is_ok()
    }

    /// The id of the event, which is entered if the session doesn't know it. Events with the same system,
    /// name and format are the same, whatever process they come from. One that is new is on if the
    /// [rules](ControlArea::set_rules) say so. None when there is no space.
    pub fn add_event(&self, system: &str, name: &str, format: &str) -> Option<u16> {
        let parts: [&[u8]; 5] = [system.as_bytes(), b"\0", name.as_bytes(), b"\0", format.as_bytes()];
        self.enter_event(&parts, false).ok()
    }

    /// The id of an event that is declared by a format of printf(3), as for [`ControlArea::add_event`]. A
    /// name has one such format, for as long as the session lasts.
    pub fn add_declared_event(
        &self,
        system: &str,
        name: &str,
        format: &str,
        declaration: &str,
    ) -> Result<u16, NotAdded> {
        let [system, name, format, declaration] = [system, name, format, declaration].map(str::as_bytes);
        self.enter_event(&[system, b"\0", name, b"\0", format, b"\0", declaration], true)
    }

    fn enter_event(&self, parts: &[&[u8]], is_declared: bool) -> Result<u16, NotAdded> {
        let (id, is_new) = self.try_add_event(parts, is_declared)?;
        if is_new && is_declared {
            self.follow_stop(id);
        }
        if is_new {
            let text = |index: usize| {
                parts.get(index).and_then(|part| core::str::from_utf8(part).ok()).unwrap_or_default()
            };
            self.apply_rules(id, text(0), text(2));
        }
        Ok(id)
    }

    /// The event's id, and whether it was entered just now. The parts start with the system, a zero byte, the
    /// name, and a zero byte; of one that is declared no other text starts with these.
    // Acquire: pairs with the AcqRel by which another process enters its event: its text can be compared.
    // Whoever enters one stores the text before.
    fn try_add_event(&self, parts: &[&[u8]], is_declared: bool) -> Result<(u16, bool), NotAdded> {
        if parts.iter().map(|part| part.len()).sum::<usize>() > LONGEST {
            return Err(self.no_space());
        }
        let mut fresh = 0;
        for (index, entry) in self.events().iter().enumerate().skip(event_index(FIRST_EVENT)) {
            let mut found = entry.description.load(Acquire);
            if found == 0 {
                if fresh == 0 {
                    fresh = self.allocate(parts).ok_or_else(|| self.no_space())?;
                }
                match entry.description.compare_exchange(0, fresh, AcqRel, Acquire) {
                    Ok(_) => return Ok((event_id(index), true)),
                    Err(other) => found = other,
                }
            }
            if self.is_text(found, parts) {
                return Ok((event_id(index), false));
            }
            if is_declared && self.starts_with(found, parts.get(..4).unwrap_or_default()) {
                return Err(NotAdded::Declared(event_id(index)));
            }
        }
        Err(self.no_space())
    }

    /// Counts an event that there is no space for.
    fn no_space(&self) -> NotAdded {
        self.count_refused(Table::Events);
        NotAdded::NoSpace
    }

    /// Whether the event at `word` was declared, and its text starts with these.
    fn starts_with(&self, word: u64, parts: &[&[u8]]) -> bool {
        /// What each declared event has in addition: most others are too short for it.
        const LEAST: &[u8] = b"\nprint fmt: \"\"\n\0";
        let (offset, len) = heap_range(word);
        let wanted: usize = parts.iter().map(|part| part.len()).sum();
        if (len as usize) < wanted + LEAST.len() {
            return false;
        }
        let mut buffer = [0; LONGEST_NAME];
        let start = self.text(heap_word(offset, wanted as u32), &mut buffer).unwrap_or_default();
        wanted > 0 && start.iter().eq(parts.iter().copied().flatten())
    }

    fn is_text(&self, word: u64, parts: &[&[u8]]) -> bool {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        if heap_range(word).1 as usize != len {
            return false;
        }
        let mut buffer = [0; LONGEST];
        let found = self.text(word, &mut buffer).unwrap_or_default();
        found.iter().eq(parts.iter().copied().flatten())
    }

    /// The description of an event, in `buffer`. None when there is no such event.
    // Acquire: pairs with the AcqRel of `add_built_in_event` and `try_add_event`: the text is there.
    pub fn describe<'a>(&self, id: u16, buffer: &'a mut [u8]) -> Option<Description<'a>> {
        let word = self.events().get(event_index(id))?.description.load(Acquire);
        if word == 0 {
            return None;
        }
        let text = core::str::from_utf8(self.text(word, buffer)?).ok()?;
        let (system, rest) = text.split_once('\0')?;
        let (name, rest) = rest.split_once('\0')?;
        let (format, declaration) = match rest.split_once('\0') {
            Some((format, declaration)) => (format, Some(declaration)),
            None => (rest, None),
        };
        Some(Description { id, system, name, format, declaration })
    }

    /// Whether an event was declared by a format.
    pub(crate) fn is_declared(&self, id: u16) -> bool {
        self.declaration(id, &mut [0; LONGEST]).is_some()
    }

    /// The format that an event was declared by.
    pub fn declaration<'a>(&self, id: u16, buffer: &'a mut [u8]) -> Option<&'a str> {
        self.describe(id, buffer)?.declaration
    }

    /// Whether there is anything to do when an event of this name happens, whatever its fields.
    // Relaxed: a hint.
    pub fn is_looked_at(&self, system: &str, name: &str) -> bool {
        let mut buffer = [0; LONGEST];
        self.event_ids().any(|id| {
            self.has_work(id)
                && self
                    .describe(id, &mut buffer)
                    .is_some_and(|found| (found.system, found.name) == (system, name))
        })
    }

    /// Whether there is anything to do when an event happens: it is enabled somewhere, or has triggers.
    // Relaxed: a hint.
    #[inline]
    pub(crate) fn has_work(&self, id: u16) -> bool {
        let word = self.enabled_words().get(event_index(id));
        word.is_some_and(|word| ![OFF, CALLING, WATCHED].contains(&word.load(Relaxed)))
    }

    /// The id that a new event would get: the first that is free, of those from `from` on, which is what this
    /// said before, or 0. Where it has changed more events have come. Cost: that of one load, and of one more
    /// for each that has come.
    // Acquire: pairs with the AcqRel of `try_add_event`: an event that is counted can be described.
    pub fn next_event(&self, from: u16) -> u16 {
        let is_known =
            |id| self.events().get(event_index(id)).is_some_and(|entry| entry.description.load(Acquire) != 0);
        (from.max(FIRST_EVENT)..u16::MAX).find(|id| !is_known(*id)).unwrap_or(u16::MAX)
    }

    /// The ids of the events that the session knows.
    // Acquire: pairs with the AcqRel of `try_add_event`: an event that is listed can be described.
    pub fn event_ids(&self) -> impl Iterator<Item = u16> {
        let known = |(_, entry): &(usize, &EventEntry)| entry.description.load(Acquire) != 0;
        self.events().iter().enumerate().filter(known).map(|(index, _)| event_id(index))
    }
}
