//! Records: events that somebody has recorded, each with its CPU and its time.
//!
//! Whatever events come from (a session's buffers, a snapshot, a trace.dat file) gives them as
//! [`Records`]; whatever is made of them takes [`Record`]s.

mod pack;

pub use pack::PagePacker;

use crate::bytes::u64_at;
use crate::page::Missed;

/// An event as it was recorded, borrowed from the page that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The CPU that recorded it.
    pub cpu: u32,
    /// When, in units of the trace's clock.
    pub time: u64,
    /// What, as in [`crate::page::TimedEvent`].
    pub payload: &'a [u8],
    /// Whether events of this CPU were lost right before this one.
    pub lost: Missed,
}

impl Record<'_> {
    /// The id of its event; 0 where the payload is too short to have one.
    #[inline]
    pub fn id(&self) -> u16 {
        abi::common::event(self.common())
    }

    /// The thread that recorded it; 0 where the payload is too short to say.
    #[inline]
    pub fn pid(&self) -> i32 {
        abi::common::pid(self.common())
    }

    /// Its `common_flags` and `common_preempt_count`.
    pub(crate) fn flags(&self) -> (u8, u8) {
        let [_, _, flags, preempt_count, ..] = self.common().to_le_bytes();
        (flags, preempt_count)
    }

    /// A record that keeps its payload. Allocates.
    pub fn to_owned(&self) -> OwnedRecord {
        let Record { cpu, time, payload, lost } = *self;
        OwnedRecord { cpu, time, payload: payload.to_vec(), lost }
    }

    /// The word that every payload starts with.
    #[inline]
    fn common(&self) -> u64 {
        u64_at(self.payload, 0).unwrap_or(0)
    }
}

/// A [`Record`] that outlives its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedRecord {
    /// The CPU that recorded it.
    pub cpu: u32,
    /// When, in units of the trace's clock.
    pub time: u64,
    /// What, as in [`crate::page::TimedEvent`].
    pub payload: Vec<u8>,
    /// Whether events of this CPU were lost right before this one.
    pub lost: Missed,
}

impl OwnedRecord {
    /// The record, borrowed.
    pub fn borrowed(&self) -> Record<'_> {
        Record { cpu: self.cpu, time: self.time, payload: &self.payload, lost: self.lost }
    }
}

/// A source of records, in the order of time.
pub trait Records {
    /// Why a record can't be had.
    type Error;

    /// The next record; `None` at the end.
    ///
    /// No iterator: the record borrows from memory that the next call may use again.
    ///
    /// # Errors
    ///
    /// Those of the source. The caller may ask for what is left.
    fn next(&mut self) -> Result<Option<Record<'_>>, Self::Error>;
}
