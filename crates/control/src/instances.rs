//! The instances of a session: which there are, and their names.

use crate::PidFilter;
use crate::file::ControlFile;
use abi::control::{FILTERING, FILTERING_OFFSET, INSTANCES_OFFSET};
use abi::instance::{INSTANCE_NAME, INSTANCES, Instance, InstanceState};
use core::ffi::CStr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;
use shm::Errno;

/// How often a name is read again that changes meanwhile.
const TRIES: u32 = 1000;

impl ControlFile {
    pub(crate) fn instance(&self, index: usize) -> Option<&Instance> {
        self.array(INSTANCES_OFFSET, INSTANCES).get(index)
    }

    /// The name of an instance, in `buffer`. None when there is none of this number. The first has no name,
    /// and is always there.
    pub fn instance_name<'a>(&self, index: usize, buffer: &'a mut [u8; INSTANCE_NAME]) -> Option<&'a str> {
        let instance = self.instance(index)?;
        for _ in 0..TRIES {
            let state = instance.state.load(Acquire);
            if index > 0 && !InstanceState(state).is_there() {
                return None;
            }
            for (bytes, word) in buffer.as_chunks_mut::<8>().0.iter_mut().zip(&instance.name) {
                *bytes = word.load(Relaxed).to_le_bytes();
            }
            fence(Acquire);
            if instance.state.load(Relaxed) == state {
                let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len());
                return core::str::from_utf8(buffer.get(..end)?).ok();
            }
        }
        None
    }

    /// Gives an instance its name: from now on it is there. False, and nothing changed, for a name that is
    /// too long, and for the first.
    ///
    /// Only who has the session's lock does this.
    pub fn name_instance(&self, index: usize, name: &str) -> bool {
        let Some(instance) = self.instance(index).filter(|_| index > 0 && name.len() < INSTANCE_NAME) else {
            return false;
        };
        let mut padded = [0; INSTANCE_NAME];
        for (to, from) in padded.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        for (word, bytes) in instance.name.iter().zip(padded.as_chunks::<8>().0) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        change(instance, true);
        true
    }

    /// Says that an instance is gone, in which no event is wanted any more. Only who has the session's lock
    /// does this.
    pub fn forget_instance(&self, index: usize) {
        for id in self.event_ids() {
            self.enable(id, index, false);
            self.set_filter(id, index, None);
            self.set_triggers(id, index, None);
        }
        self.follow_forks(index, false);
        PidFilter::ALL.into_iter().for_each(|filter| self.clear_pids(index, filter));
        self.set_instance_flags(index, u32::MAX, false);
        if let Some(instance) = self.instance(index) {
            change(instance, false);
        }
    }

    /// Gives memory to what an instance beside the first needs in this file, which is at `path`. Errors: what
    /// fallocate(2) says.
    pub fn reserve_instance(&self, path: &CStr, index: usize) -> Result<(), Errno> {
        let start = FILTERING_OFFSET + (index.min(INSTANCES) * FILTERING) as u64;
        shm::reserve(path, self.segment(), core::iter::once(start..start + FILTERING as u64))
    }

    /// For how many instances the file has room.
    pub fn rooms(&self) -> usize {
        self.header().rooms.load(Relaxed) as usize
    }

    /// KB that each CPU of a new instance has.
    pub fn buffer_kb(&self) -> u64 {
        self.header().buffer_kb.load(Relaxed)
    }

    /// Says for how many instances there is room, and how many KB each CPU of a new one is to have: for who
    /// makes the file.
    pub fn set_rooms(&self, rooms: usize, kb: u64) {
        self.header().rooms.store(rooms as u32, Relaxed);
        self.header().buffer_kb.store(kb, Relaxed);
    }
}

fn change(instance: &Instance, is_there: bool) {
    let state = InstanceState(instance.state.load(Relaxed));
    instance.state.store(state.next(is_there).0, Release);
}
