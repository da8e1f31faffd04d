//! Pages of events: taking one apart, and making one.
//!
//! A page is the unit in which the kernel's ring buffer, and ours, hands out events
//! (`per_cpu/cpuN/trace_pipe_raw`, the data part of a trace.dat file). Its layout is in
//! [`abi::page`]; this crate's tests compare with pages that a kernel has written.
//!
//! Reading trusts nothing: whatever the bytes are, a [`Page`] and its events neither panic nor loop
//! for ever, and they hand out only slices that lie inside the page's commit.

mod build;
mod cursor;
mod events;

pub use build::PageBuilder;
pub(crate) use cursor::Cursor;
pub use events::PageEvents;

use crate::bytes::u64_at;
use abi::page::{COMMIT_LENGTH, COMMIT_OFFSET, HEADER_SIZE, MISSED_EVENTS, MISSED_STORED};

/// Whether events were lost before some place of a recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missed {
    /// None were.
    #[default]
    None,
    /// Some were; nobody knows how many.
    Unknown,
    /// This many were.
    Count(u64),
}

impl Missed {
    /// What was lost in one place and what was lost in the next, where nothing is between them.
    pub fn and(self, more: Missed) -> Missed {
        match (self, more) {
            (Missed::None, lost) | (lost, Missed::None) => lost,
            (Missed::Count(one), Missed::Count(other)) => Missed::Count(one.saturating_add(other)),
            _ => Missed::Unknown,
        }
    }

    /// So many.
    pub fn of(count: u64) -> Missed {
        if count > 0 { Missed::Count(count) } else { Missed::None }
    }

    /// How many; where nobody knows that, one at least.
    pub fn count(self) -> u64 {
        match self {
            Missed::None => 0,
            Missed::Unknown => 1,
            Missed::Count(count) => count,
        }
    }
}

/// A page, its header taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The time of the first event, in units of the buffer's clock.
    pub time_stamp: u64,
    /// The committed bytes: events, back to back.
    pub data: &'a [u8],
    /// Whether events were lost between the page before and this one.
    pub missed: Missed,
}

impl<'a> Page<'a> {
    /// Reads the header of the page in `bytes`. `None` when not even that fits.
    ///
    /// The commit word is masked to its length and bounded by `bytes`. Its flags are looked for in
    /// the low 32 bits: the kernel's own pages carry them sign-extended.
    pub fn new(bytes: &'a [u8]) -> Option<Page<'a>> {
        let time_stamp = u64_at(bytes, 0)?;
        let commit = u64_at(bytes, COMMIT_OFFSET)?;
        let rest = &bytes[HEADER_SIZE..];
        let length = rest.len().min((commit & COMMIT_LENGTH) as usize);
        let (data, tail) = rest.split_at(length);
        Some(Page { time_stamp, data, missed: missed(commit, tail) })
    }

    /// The events, in the order of their recording. A few nanoseconds each.
    pub fn events(&self) -> impl Iterator<Item = TimedEvent<'a>> + use<'a> {
        let (data, mut cursor) = (self.data, Cursor::new(self.time_stamp));
        std::iter::from_fn(move || {
            let (time, range) = cursor.next(data)?;
            // The cursor returns ranges inside the data; `get` spares this loop a way to panic.
            Some(TimedEvent { time, payload: data.get(range)? })
        })
    }
}

/// What the flags of a commit word say; the count follows the data where there was space.
fn missed(commit: u64, tail: &[u8]) -> Missed {
    if commit & MISSED_EVENTS == 0 {
        return Missed::None;
    }
    match u64_at(tail, 0) {
        Some(count) if commit & MISSED_STORED != 0 => Missed::Count(count),
        _ => Missed::Unknown,
    }
}

/// An event of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedEvent<'a> {
    /// When, in units of the buffer's clock.
    pub time: u64,
    /// What: the common fields ([`abi::common`]) and the event's own. The length is that in the
    /// page, which is rounded up to 4 bytes (and never 8): the last bytes may be filler.
    pub payload: &'a [u8],
}
