//! The instances of a session: which there are, and their names.

use crate::file::ControlFile;
use abi::control::{FILE_SIZE, Header, INSTANCES_OFFSET};
use abi::instance::{INSTANCE_NAME, INSTANCES, Instance, InstanceState};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::fence;
use shm::Segment;

/// How often a name is read again that changes meanwhile.
const TRIES: u32 = 1000;

/// The parts of a session's file.
#[derive(Debug)]
pub struct Parts {
    /// The control file.
    pub control: Segment,
    /// The room for each instance's buffer. What is taken out is left as None, as is what the file has no
    /// room for.
    pub buffers: [Option<Segment>; INSTANCES],
}

impl Parts {
    /// The parts of a session's file that is mapped whole. None where it has the wrong size.
    pub fn of(file: Segment) -> Option<Parts> {
        let rooms = file.get::<Header>(0)?.rooms.load(Relaxed) as usize;
        Parts::cut(file, rooms)
    }

    /// The same of a file that is being made, with so many rooms.
    pub fn cut(file: Segment, rooms: usize) -> Option<Parts> {
        let (control, rest) = file.split(FILE_SIZE)?;
        let len = rest.len().checked_div(rooms)?;
        let is_sane = rooms <= INSTANCES && rest.len().is_multiple_of(rooms);
        let mut rest = Some(rest).filter(|_| is_sane);
        let mut buffers = [const { None }; INSTANCES];
        for (index, buffer) in buffers.iter_mut().take(rooms).enumerate() {
            let left = rest.take()?;
            if index + 1 == rooms {
                *buffer = Some(left);
            } else {
                let (first, others) = left.split(len)?;
                (*buffer, rest) = (Some(first), Some(others));
            }
        }
        Some(Parts { control, buffers })
    }

    /// Bytes of a file with so many such buffers.
    pub fn size(rooms: usize, buffer: usize) -> Option<usize> {
        buffer.checked_mul(rooms)?.checked_add(FILE_SIZE)
    }
}

impl ControlFile {
    fn instance(&self, index: usize) -> Option<&Instance> {
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

    /// Says that an instance is gone. Only who has the session's lock does this.
    pub fn forget_instance(&self, index: usize) {
        if let Some(instance) = self.instance(index) {
            change(instance, false);
        }
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
