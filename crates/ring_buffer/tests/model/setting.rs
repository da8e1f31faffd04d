//! What does not change while a scenario runs.

use crate::bug::Bug;
use crate::layout::Value;

/// A small buffer, and what is wrong with the code that uses it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Pages of each ring.
    pub pages: u8,
    /// Units of events that fit a page.
    pub capacity: Value,
    /// The first delta that does not fit an event's head.
    pub delta_limit: Value,
    /// Whether a full ring overwrites its oldest page, at the start.
    pub overwrite: bool,
    /// Whether that never changes, so that nothing may be lost.
    pub never_overwrites: bool,
    /// Rings that are spare at the start.
    pub spares: u8,
    /// How many stores a CPU may hold back; 0 for sequentially consistent memory.
    pub store_queue: u8,
    /// Whether the block is a lane.
    pub is_lane: bool,
    /// What is wrong.
    pub bug: Bug,
}

impl Setting {
    /// Rings of two pages with space for two small events and a time extend, that overwrite.
    pub const SMALL: Setting = Setting {
        pages: 2,
        capacity: 5,
        delta_limit: 4,
        overwrite: true,
        never_overwrites: false,
        spares: 1,
        store_queue: 0,
        is_lane: false,
        bug: Bug::None,
    };

    /// Whether losing the CPU restarts a section.
    pub fn restarts(&self) -> bool {
        self.bug != Bug::Disarmed
    }
}
