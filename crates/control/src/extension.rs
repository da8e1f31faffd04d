//! Words for each event that an instance has of its own: where its filters and triggers are.
//!
//! Those of the first instance are in the control area, which every process maps. Those of the others are
//! in the extension, which a process maps when it first has an event for one of them.

use crate::area::ControlArea;
use abi::control::{EVENTS, FILTERING, FILTERING_OFFSET, TRIGGERING, TRIGGERING_OFFSET};
use abi::instance::INSTANCES;
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::AtomicU64;
use rustix::io;
use shm::{Errno, Segment};

/// What an instance has a word per event for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstanceWords {
    /// Where the event's filter is.
    Filtering,
    /// Where the event's triggers are.
    Triggering,
}

impl InstanceWords {
    /// Bytes of all of them.
    pub(crate) const fn len(self) -> usize {
        match self {
            InstanceWords::Filtering => FILTERING,
            InstanceWords::Triggering => TRIGGERING,
        }
    }

    /// Where they are in the control area, for the first instance.
    const fn first(self) -> u64 {
        match self {
            InstanceWords::Filtering => FILTERING_OFFSET,
            InstanceWords::Triggering => TRIGGERING_OFFSET,
        }
    }

    /// Where they are in the extension, for an instance after the first.
    const fn next(self, instance: usize) -> u64 {
        let before = match self {
            InstanceWords::Filtering => 0,
            InstanceWords::Triggering => FILTERING,
        };
        ((instance - 1) * (FILTERING + TRIGGERING) + before) as u64
    }
}

impl ControlArea {
    /// The words of an instance after the first. None where they are not mapped.
    #[inline]
    pub(crate) fn extension_words(&self, instance: usize, words: InstanceWords) -> Option<&[AtomicU64]> {
        if !(1..INSTANCES).contains(&instance) {
            return None;
        }
        self.extension()?.slice(words.next(instance), EVENTS)
    }

    /// Gives memory to a range of an instance's words, in this file, which is at `path`. Errors: what
    /// fallocate(2) says; `EINVAL` where they are not mapped.
    pub(crate) fn reserve_words(
        &self,
        path: &CStr,
        instance: usize,
        words: InstanceWords,
        range: Range<u64>,
    ) -> Result<(), Errno> {
        let place: Option<(&Segment, u64)> = match instance {
            0 => Some((self.segment(), words.first())),
            _ if instance < INSTANCES => self.extension().map(|segment| (segment, words.next(instance))),
            _ => None,
        };
        let (segment, start) = place.ok_or(Errno(io::Errno::INVAL.raw_os_error()))?;
        shm::reserve(path, segment, core::iter::once(start + range.start..start + range.end))
    }
}
