//! Mapped files: what addresses in events are addresses in.

use crate::area::ControlArea;
use abi::control::{BUILD_ID, HASHES_OFFSET, OBJECTS, OBJECTS_OFFSET, Object, Table, heap_range};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A build id, with zeros after it.
pub type BuildId = [u8; 24];

/// A mapped file to enter.
#[derive(Debug, Clone, Copy)]
pub struct NewObject<'a> {
    /// Its path.
    pub path: &'a [u8],
    /// The first 20 bytes of its build id; empty when it has none.
    pub build_id: &'a [u8],
    /// Lowest address of its segments, before the load bias.
    pub low: u64,
    /// Address after its last segment, before the load bias.
    pub high: u64,
}

/// A mapped file's entry. Its path: [`ControlArea::object_path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Index of the entry.
    pub entry: u32,
    build_id: BuildId,
    /// Lowest address of its segments, before the load bias.
    pub low: u64,
    /// Address after its last segment, before the load bias.
    pub high: u64,
    path: u64,
}

impl ObjectInfo {
    /// Its build id without what fills it up: empty where it has none.
    pub fn build_id(&self) -> &[u8] {
        let len = self.build_id.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        self.build_id.get(..len).unwrap_or_default()
    }

    /// Bytes of its path.
    pub fn path_len(&self) -> usize {
        heap_range(self.path).1 as usize
    }
}

impl ControlArea {
    fn object_table(&self) -> &[Object] {
        self.array(OBJECTS_OFFSET, OBJECTS)
    }

    /// The index of the mapped file with this build id, if the session knows it.
    // Acquire: pairs with the AcqRel of `add_object`.
    pub fn find_object(&self, build_id: &[u8]) -> Option<u32> {
        if build_id.is_empty() {
            return None;
        }
        let hash = hash(build_id);
        let mut hashes = self.object_hashes().iter().map(|slot| slot.load(Acquire));
        let index = hashes.position(|found| found == hash || found == 0)?;
        let found = self.object_hashes().get(index)?.load(Acquire) == hash;
        found.then_some(index as u32)
    }

    /// The index of a mapped file, which is entered if the session doesn't know it. The same build id means
    /// the same file; without one, the same path. None when there is no space.
    // AcqRel: pairs with itself and with the Acquire loads of hashes: an entry has one owner, which alone
    // fills it. The entry's content is published by its path.
    pub fn add_object(&self, object: &NewObject<'_>) -> Option<u32> {
        let hash = hash(if object.build_id.is_empty() { object.path } else { object.build_id });
        for (index, slot) in self.object_hashes().iter().enumerate() {
            let mut found = slot.load(Acquire);
            if found == 0 {
                match slot.compare_exchange(0, hash, AcqRel, Acquire) {
                    Ok(_) => {
                        self.fill_object(self.object_table().get(index)?, object);
                        return Some(index as u32);
                    }
                    Err(other) => found = other,
                }
            }
            if found == hash {
                return Some(index as u32);
            }
        }
        self.count_refused(Table::Objects);
        None
    }

    fn object_hashes(&self) -> &[AtomicU64] {
        self.array(HASHES_OFFSET, OBJECTS)
    }

    /// Describes a mapped file. If its owner is killed in the middle, or the heap is full, it stays without
    /// a path: addresses in it have no symbols.
    // Relaxed, then Release: pairs with the Acquire of `object`: who sees the path sees the rest.
    fn fill_object(&self, entry: &Object, object: &NewObject<'_>) {
        let Some(path) = self.allocate(&[object.path]) else {
            self.count_refused(Table::Objects);
            return;
        };
        entry.low.store(object.low, Relaxed);
        entry.high.store(object.high, Relaxed);
        for (word, bytes) in entry.build_id.iter().zip(object.padded_build_id().as_chunks::<8>().0) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        entry.path.store(path, Release);
    }

    /// A mapped file's entry, if it is valid.
    // Acquire: pairs with the Release of `fill_object`; what follows can be Relaxed, as nothing changes it
    // any more.
    pub fn object(&self, entry: u32) -> Option<ObjectInfo> {
        let object = self.object_table().get(entry as usize)?;
        let path = object.path.load(Acquire);
        if path == 0 {
            return None;
        }
        let mut build_id = [0; 24];
        for (bytes, word) in build_id.as_chunks_mut::<8>().0.iter_mut().zip(&object.build_id) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        Some(ObjectInfo {
            entry,
            build_id,
            low: object.low.load(Relaxed),
            high: object.high.load(Relaxed),
            path,
        })
    }

    /// How many sites a mapped file has where functions can be traced. None as long as nobody has looked.
    // Relaxed: the word carries nothing but itself.
    pub fn sites(&self, entry: u32) -> Option<u64> {
        self.object_table().get(entry as usize)?.sites.load(Relaxed).checked_sub(1)
    }

    /// Says how many.
    // Relaxed: the word carries nothing but itself.
    pub fn set_sites(&self, entry: u32, sites: u64) {
        if let Some(object) = self.object_table().get(entry as usize) {
            object.sites.store(sites + 1, Relaxed);
        }
    }

    pub(crate) fn late_sites_word(&self, entry: u32) -> Option<&AtomicU64> {
        Some(&self.object_table().get(entry as usize)?.late)
    }

    /// Whether a mapped file has sites, or nobody has looked.
    pub fn may_have_sites(&self, entry: u32) -> bool {
        self.sites(entry) != Some(0)
    }

    /// The path of a mapped file, in `buffer`, which has space for [`ObjectInfo::path_len`] bytes.
    pub fn object_path<'a>(&self, object: &ObjectInfo, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
        self.text(object.path, buffer)
    }
}

impl NewObject<'_> {
    fn padded_build_id(&self) -> BuildId {
        let mut padded = [0; 24];
        for (to, from) in padded.iter_mut().zip(self.build_id.iter().take(BUILD_ID)) {
            *to = *from;
        }
        padded
    }
}

/// FNV-1a; never 0.
fn hash(bytes: &[u8]) -> u64 {
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    hash | 1
}
