//! How a function is entered that was not built to be traced.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use planner::{EntryPoint, EntryPointPlace, JUMP_LEN};

/// Which of its instructions is a jump when it is traced, and where that leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SiteEntry {
    /// Where the instruction is, from the function's start, and its bytes.
    pub(super) offset: u8,
    pub(super) len: u8,
    pub(super) place: EntryPointPlace,
    /// What was found there, as much as a jump has.
    pub(super) found: [u8; JUMP_LEN],
    /// The code that it was moved to.
    pub(super) moved: u64,
}

impl SiteEntry {
    /// That of an entry point, where the function has `code` from there on. None for one that is too far from
    /// the start.
    pub(super) fn new(point: &EntryPoint, code: &[u8], moved: u64) -> Option<SiteEntry> {
        let (offset, len) = (u8::try_from(point.offset).ok()?, u8::try_from(point.len).ok()?);
        Some(SiteEntry { offset, len, place: point.place, found: *code.first_chunk()?, moved })
    }
}

/// A site's choice.
#[derive(Debug)]
pub(super) struct SiteEntryChoice {
    /// 0 as long as none was made; [`UNSEALED`] while its code isn't code yet; [`NONE`] where there is none.
    moved: AtomicU64,
    /// The rest of it: offset, length, whether it is later, whether arguments are there, depth.
    point: AtomicU64,
    /// The bytes that were found, the first one lowest.
    found: AtomicU64,
}

/// Code lies at multiples of eight.
const UNSEALED: u64 = 1;
const NONE: u64 = 2;

const LATER: u64 = 1 << 16;
const ARGUMENTS: u64 = 1 << 17;

// Relaxed, in all of these: one turn at a time; what a site leads to was made in the turn that enabled it.
impl SiteEntryChoice {
    /// None was made.
    pub(super) const fn none() -> SiteEntryChoice {
        SiteEntryChoice { moved: AtomicU64::new(0), point: AtomicU64::new(0), found: AtomicU64::new(0) }
    }

    /// Whether one was made, or there is none.
    pub(super) fn is_made(&self) -> bool {
        self.moved.load(Relaxed) != 0
    }

    /// The one that was made.
    pub(super) fn get(&self) -> Option<SiteEntry> {
        let moved = self.moved.load(Relaxed);
        let point = self.point.load(Relaxed);
        let place = match point & LATER {
            0 => EntryPointPlace::First,
            _ => {
                EntryPointPlace::Later { depth: (point >> 32) as u32, has_arguments: point & ARGUMENTS != 0 }
            }
        };
        let [found @ .., _, _, _] = self.found.load(Relaxed).to_le_bytes();
        let entry = SiteEntry { offset: point as u8, len: (point >> 8) as u8, place, found, moved };
        (moved != 0 && moved & (UNSEALED | NONE) == 0).then_some(entry)
    }

    /// Makes one, whose code isn't code yet; or notes that there is none.
    pub(super) fn choose(&self, entry: Option<SiteEntry>) {
        let Some(entry) = entry else { return self.moved.store(NONE, Relaxed) };
        let place = match entry.place {
            EntryPointPlace::First => 0,
            EntryPointPlace::Later { depth, has_arguments } => {
                LATER | if has_arguments { ARGUMENTS } else { 0 } | u64::from(depth) << 32
            }
        };
        let [a, b, c, d, e] = entry.found;
        self.found.store(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]), Relaxed);
        self.point.store(u64::from(entry.offset) | u64::from(entry.len) << 8 | place, Relaxed);
        self.moved.store(entry.moved | UNSEALED, Relaxed);
    }

    /// Its code is code now, or was not made such.
    pub(super) fn keep(&self, is_sealed: bool) {
        let moved = self.moved.load(Relaxed);
        if moved & UNSEALED != 0 {
            self.moved.store(if is_sealed { moved & !UNSEALED } else { 0 }, Relaxed);
        }
    }
}
