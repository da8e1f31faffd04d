//! Event filters: which records of an event are written.
//!
//! Who sets a filter has compiled it (see `event_filter`) and has the session's lock. He
//! [stores](FilterSpace) it where no event's filter is, and then [gives](ControlArea::set_filter) it to the
//! event by one store. The place of the one that the event had before is free from then on: nobody gives it
//! back, for which places are in use is what the events' words say. So memory is bounded, and who is killed
//! half-way has changed nothing.
//!
//! Who is about to write a record runs the program where it is, which is safe whatever the words are, and
//! then looks whether it is still the event's. If it isn't it runs the new one: a place that is used again
//! belongs to another word. So what counts is one filter, the old or the new.

use crate::area::ControlArea;
use crate::extension::InstanceWords;
use abi::control::{
    EVENTS, FILTERING_OFFSET, FILTERS, FILTERS_OFFSET, event_id, event_index, filter_lengths, filter_offset,
    filter_word, is_filter_word,
};
use abi::instance::RECORDING;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;
use event_filter::word::MAX_WORDS;
use event_filter::{Context, MAX_TEXT, Words, evaluate, evaluate_single};

/// Words that there are for filters.
const FILTER_WORDS: usize = FILTERS / 8;

/// How often a filter is read again that changes meanwhile.
const TRIES: u32 = 1000;

/// A filter that is stored and no event's yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredFilter(pub(crate) u64);

/// Space for filters, as who has the session's lock finds it.
#[derive(Debug)]
pub struct FilterSpace<'a> {
    file: &'a ControlArea,
    /// From where on there may be space: what was stored lies before it.
    next: usize,
}

impl FilterSpace<'_> {
    /// Stores a program and its text. None, and nothing changed, when there is no space, or for a text of
    /// more than [`MAX_TEXT`] bytes.
    // Release fence: pairs with the Acquire fence of `read_filter` and `passes_single`. The words of the
    // event that had the place before were changed before it, so who reads what is stored here finds by the
    // word that it is another's. Relaxed after the fence, and for the count, which carries nothing but
    // itself.
    pub fn store(&mut self, words: &[u64], text: &str) -> Option<StoredFilter> {
        if words.len() > MAX_WORDS || text.len() > MAX_TEXT {
            return None;
        }
        let start = self.file.free_filter_words(self.next, size(words.len(), text.len()))?;
        let place = self.file.filter_words().get(start..)?;
        let packed = text.as_bytes().chunks(8).map(|bytes| {
            let mut word = [0; 8];
            bytes.iter().zip(&mut word).for_each(|(byte, to)| *to = *byte);
            u64::from_le_bytes(word)
        });
        let lengths = filter_lengths(words.len() as u32, text.len() as u32);
        // After the store that has taken the place from another event.
        fence(Release);
        let content = core::iter::once(lengths).chain(words.iter().copied()).chain(packed);
        place.iter().zip(content).for_each(|(to, word)| to.store(word, Relaxed));
        self.next = start + size(words.len(), text.len());
        let number = self.file.header().filters.fetch_add(1, Relaxed).wrapping_add(1);
        Some(StoredFilter(filter_word(number, start as u32)))
    }
}

impl ControlArea {
    /// Space for filters. Only for one who has the session's lock, and until he lets it go.
    pub fn filter_space(&self) -> FilterSpace<'_> {
        FilterSpace { file: self, next: 0 }
    }

    /// Gives an event another filter in an instance, or none. Traced processes see it at once. Only for one
    /// who has the session's lock.
    // Release: pairs with the Acquire of `read_filter`: who sees the word sees the program. When a filter
    // goes, its bit goes before its word.
    pub fn set_filter(&self, id: u16, instance: usize, filter: Option<StoredFilter>) {
        let Some(word) = self.filter_word(id, instance) else { return };
        match filter {
            Some(filter) => {
                word.store(filter.0, Release);
                self.set_filtered(id, instance, true);
            }
            // Words of an instance that there has never been have no memory.
            None if self.has_filter(id, instance) => {
                self.set_filtered(id, instance, false);
                word.store(0, Release);
            }
            None => {}
        }
    }

    /// Whether an event has a filter in an instance.
    pub fn has_filter(&self, id: u16, instance: usize) -> bool {
        self.switched(id).filtered.contains(instance)
    }

    #[inline]
    pub(crate) fn filter_word(&self, id: u16, instance: usize) -> Option<&AtomicU64> {
        match instance {
            RECORDING => self.fixed::<FILTERING_OFFSET, AtomicU64, EVENTS>().get(event_index(id)),
            _ => self.extension_words(instance, InstanceWords::Filtering)?.get(event_index(id)),
        }
    }

    /// The text of an event's filter, in `buffer`. None where there is no filter, or none that makes sense.
    // Relaxed: the fence of `read_filter` follows.
    pub fn filter_text<'a>(
        &self,
        id: u16,
        instance: usize,
        buffer: &'a mut [u8; MAX_TEXT],
    ) -> Option<&'a str> {
        let word = self.filter_word(id, instance).filter(|_| self.has_filter(id, instance))?;
        let len = self.read_filter(word, |word| {
            let (text, len) = self.stored_text(word)?;
            let bytes = text.iter().flat_map(|word| word.load(Relaxed).to_le_bytes());
            Some(buffer.iter_mut().zip(bytes.take(len)).map(|(to, byte)| *to = byte).count())
        })?;
        core::str::from_utf8(buffer.get(..len)?).ok()
    }

    /// Whether a record passes its event's filter in an instance where it has one; always where it was taken
    /// away, never where it is not mapped. The record is the whole payload, from the common fields on.
    ///
    /// Async-signal-safe. It costs what [`evaluate`] says, and some loads.
    pub fn passes(&self, instance: usize, record: &[u8], context: &impl Context) -> bool {
        let id = record.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let Some(word) = self.filter_word(id, instance) else { return false };
        self.read_filter(word, |word| evaluate(&self.program(word)?, record, context).into()).unwrap_or(true)
    }

    /// Whether the first instance's filter accepts a record, for one who has found the filter's word, where
    /// the filter is one comparison of a number, and still the event's. None for others.
    // Acquire fence: pairs with the Release fence of `FilterSpace::store`, and puts the Relaxed loads of the
    // program before the second look at the word, which can be Relaxed, too.
    #[inline(always)]
    pub fn passes_single(&self, word: u64, id: u16, record: &[u8]) -> Option<bool> {
        let result = evaluate_single(&self.program(word)?, record);
        // Between what was read and the look whether it was the event's.
        fence(Acquire);
        result.filter(|_| self.filter_word(id, 0).is_some_and(|now| now.load(Relaxed) == word))
    }

    /// The program of a word, whatever is there.
    #[inline(always)]
    fn program(&self, word: u64) -> Option<StoredProgram<'_>> {
        let start = filter_offset(word)? as usize + 1;
        Some(StoredProgram { area: self.fixed::<FILTERS_OFFSET, _, FILTER_WORDS>(), start })
    }

    /// What `read` makes of an event's filter, or list of triggers, by its word, as it was at one moment.
    /// None where there is none.
    // Acquire: pairs with the Release of `set_filter` and `set_triggers`. The fence pairs with that of
    // `FilterSpace::store`, and puts the Relaxed loads of `read` before the second look at the word, which
    // can be Relaxed, too.
    #[inline(always)]
    pub(crate) fn read_filter<T>(
        &self,
        place: &AtomicU64,
        mut read: impl FnMut(u64) -> Option<T>,
    ) -> Option<T> {
        for _ in 0..TRIES {
            let word = place.load(Acquire);
            let result = if is_filter_word(word) { read(word) } else { None };
            // As above.
            fence(Acquire);
            if place.load(Relaxed) == word {
                return result;
            }
        }
        None
    }

    /// The words of a program, or list, as far as they lie where filters are.
    pub(crate) fn stored_words(&self, word: u64) -> Option<&[AtomicU64]> {
        let (start, words, _) = self.filter_place(word)?;
        self.filter_words().get(start + 1..start + 1 + words)
    }

    /// The words of a text and its bytes, as far as they lie where filters are.
    fn stored_text(&self, word: u64) -> Option<(&[AtomicU64], usize)> {
        let (start, words, len) = self.filter_place(word)?;
        let text = start + 1 + words..start + 1 + words + len.div_ceil(8);
        Some((self.filter_words().get(text)?, len))
    }

    /// Where the filter of a word starts, the words of its program, and the bytes of its text.
    // Relaxed: what is read by it is checked, and the word is looked at again by `read_filter`.
    #[inline]
    fn filter_place(&self, word: u64) -> Option<(usize, usize, usize)> {
        let start = filter_offset(word)? as usize;
        let lengths = self.filter_words().get(start)?.load(Relaxed);
        let (words, text) = ((lengths >> 32) as usize, lengths as u32 as usize);
        (words <= MAX_WORDS && text <= MAX_TEXT).then_some((start, words, text))
    }

    /// Where so many words are that are no event's filter, from `from` on.
    fn free_filter_words(&self, from: usize, size: usize) -> Option<usize> {
        let used = self.used_filter_words();
        let is_used = |index: &usize| used.get(index / 64).is_none_or(|word| word >> (index % 64) & 1 == 1);
        let mut start = from;
        while start.checked_add(size)? <= FILTER_WORDS {
            match (start..start + size).rev().find(is_used) {
                // After the last one that is in the way.
                Some(index) => start = index + 1,
                None => return Some(start),
            }
        }
        None
    }

    /// A bit for each word that a filter or a list of triggers has.
    // Relaxed: only the holder of the session's lock changes these words, and that is the caller.
    fn used_filter_words(&self) -> [u64; FILTER_WORDS / 64] {
        let mut used = [0; FILTER_WORDS / 64];
        let ids = (0..EVENTS).map(event_id);
        let filters = ids.flat_map(|id| {
            let instances = self.switched(id).filtered.iter();
            instances.filter_map(move |instance| self.filter_word(id, instance))
        });
        for word in filters.chain(self.trigger_lists()) {
            let Some((start, words, text)) = self.filter_place(word.load(Relaxed)) else { continue };
            for index in start..(start + size(words, text)).min(FILTER_WORDS) {
                used.get_mut(index / 64).into_iter().for_each(|word| *word |= 1 << (index % 64));
            }
        }
        used
    }

    fn filter_words(&self) -> &[AtomicU64] {
        self.fixed::<FILTERS_OFFSET, _, FILTER_WORDS>()
    }
}

/// Words that a filter takes.
fn size(words: usize, text: usize) -> usize {
    1 + words + text.div_ceil(8)
}

/// A program in the file. Everything in it may change at any moment. Its length is not looked at: one that
/// makes sense ends before, and any other is run into what lies after it.
struct StoredProgram<'a> {
    area: &'a [AtomicU64; FILTER_WORDS],
    start: usize,
}

impl Words for StoredProgram<'_> {
    // Relaxed: the fence of `read_filter` or `passes_single` follows.
    #[inline(always)]
    fn word(&self, index: usize) -> Option<u64> {
        const { assert!(FILTER_WORDS.is_power_of_two()) };
        self.area.get((self.start + index) % FILTER_WORDS).map(|word| word.load(Relaxed))
    }
}
