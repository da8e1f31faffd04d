//! What processes have mapped: some files in a process's entry, more in chunks that are linked to it.

use crate::area::ControlArea;
use abi::control::{
    MAP_CHUNKS, MAPS_OFFSET, MapChunk, ProcessEntry, State, Table, map_base, map_object, map_word,
};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// A file that a process has mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// What has to be added to the file's own addresses.
    pub base: u64,
    /// Index of the file's entry.
    pub object: u32,
}

impl ControlArea {
    fn map_chunks(&self) -> &[MapChunk] {
        self.array(MAPS_OFFSET, MAP_CHUNKS)
    }

    /// Adds a mapped file to a process, unless it is known. Only the process itself does this, one thread
    /// at a time.
    // Relaxed: only the process itself stores here, one thread at a time. Release: pairs with the Acquire of
    // `maps`: the object was entered before.
    pub fn add_map(&self, process: u32, map: Map) {
        let Some(entry) = self.process_table().entries.get(process as usize) else { return };
        let word = map_word(map.base, map.object);
        if self.map_words(entry).any(|slot| slot.load(Relaxed) == word) {
            return;
        }
        if let Some(slot) = self.map_words(entry).find(|slot| slot.load(Relaxed) == 0) {
            slot.store(word, Release);
        } else if let Some(slot) = self.add_chunk(entry).and_then(|chunk| chunk.maps.first()) {
            slot.store(word, Release);
        } else {
            self.count_refused(Table::Objects);
        }
    }

    /// What a process has mapped, the program itself first.
    // Acquire: pairs with the Release of `add_map`.
    pub fn maps(&self, process: u32) -> impl Iterator<Item = Map> {
        let entry = self.process_table().entries.get(process as usize);
        entry.into_iter().flat_map(|entry| self.map_words(entry)).filter_map(|slot| {
            let word = slot.load(Acquire);
            Some(Map { base: map_base(word), object: map_object(word)? })
        })
    }

    /// The words for maps that a process has, in its entry and in its chunks.
    fn map_words<'a>(&'a self, entry: &'a ProcessEntry) -> impl Iterator<Item = &'a AtomicU64> {
        entry.maps.iter().chain(self.chunks(entry).flat_map(|chunk| &chunk.maps))
    }

    /// A process's chunks. Bounded by the table, whatever the indices say.
    // Acquire: pairs with the Release of `add_chunk`: a chunk that is linked was emptied before.
    fn chunks<'a>(&'a self, entry: &'a ProcessEntry) -> impl Iterator<Item = &'a MapChunk> {
        let follow = |link: &AtomicU32| self.map_chunks().get(link.load(Acquire).checked_sub(1)? as usize);
        core::iter::successors(follow(&entry.more_maps), move |last| follow(&last.next)).take(MAP_CHUNKS)
    }

    // AcqRel: pairs with the Release of `free_chunks`: the last owner has unlinked the chunk. Relaxed: a
    // hint, compared again. Relaxed, then Release: the chunk is emptied before it is linked; pairs with the
    // Acquire of `chunks`.
    fn add_chunk<'a>(&'a self, entry: &'a ProcessEntry) -> Option<&'a MapChunk> {
        let (free, taken) = (State::FREE.0, State::claimed(0).0);
        let mut chunks = self.map_chunks().iter().enumerate();
        let (index, chunk) = chunks.find(|(_, chunk)| {
            chunk.state.load(Relaxed) == free
                && chunk.state.compare_exchange(free, taken, AcqRel, Relaxed).is_ok()
        })?;
        chunk.next.store(0, Relaxed);
        for word in &chunk.maps {
            word.store(0, Relaxed);
        }
        let link = self.chunks(entry).last().map_or(&entry.more_maps, |last| &last.next);
        link.store(index as u32 + 1, Release);
        Some(chunk)
    }

    /// Frees the chunks of an entry that is used again.
    // AcqRel: takes the links from whoever does this at the same time. Release: pairs with the AcqRel of
    // `add_chunk`: a chunk is unlinked before it is free.
    pub(crate) fn free_chunks(&self, entry: &ProcessEntry) {
        let first = entry.more_maps.swap(0, AcqRel);
        let mut next = first.checked_sub(1);
        for _ in 0..MAP_CHUNKS {
            let Some(chunk) = next.and_then(|index| self.map_chunks().get(index as usize)) else {
                return;
            };
            next = chunk.next.swap(0, AcqRel).checked_sub(1);
            chunk.state.store(State::FREE.0, Release);
        }
    }
}
