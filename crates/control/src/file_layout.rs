//! Where the parts of a session's file are.

use crate::unusable::Unusable;
use abi::buffer::MAX_CPUS;
use abi::control::{
    CONTROL_SIZE, ControlHeader, ENABLED_OFFSET, EXTENSION_SIZE, FUNCTIONS_SIZE, MAGIC, PROBES_SIZE, VERSION,
};
use abi::instance::INSTANCES;
use abi::profile::profile_size;
use core::mem::offset_of;
use core::ops::Range;
use shm::{Errno, File};

/// Where a session's file has its control area, the buffers of its instances and what belongs to them:
/// offsets, all multiples of 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLayout {
    buffers: usize,
    buffer_size: u64,
    mapped_size: u64,
    cpus: u32,
}

/// Why there is no layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLayout {
    /// The file can't be read.
    System(Errno),
    /// It is not one of ours.
    Unusable(Unusable),
}

impl FileLayout {
    /// Of a file with so many buffers of `buffer_size` bytes, of which `mapped_size` are in use as long as
    /// they have not grown, for so many CPUs. None for numbers that no file can have.
    pub fn new(buffers: usize, buffer_size: u64, mapped_size: u64, cpus: u32) -> Option<FileLayout> {
        let layout = FileLayout { buffers, buffer_size, mapped_size, cpus };
        let is_sane = (1..=INSTANCES).contains(&buffers)
            && (1..=MAX_CPUS).contains(&cpus)
            && (1..=buffer_size).contains(&mapped_size)
            && [buffer_size, mapped_size].iter().all(|size| size.is_multiple_of(4096))
            && layout.checked_size().is_some();
        is_sane.then_some(layout)
    }

    /// That of a session's file, of which nothing has been read yet. Cost: a system call.
    pub fn read(file: &File) -> Result<FileLayout, NoLayout> {
        let unusable = |reason| Err(NoLayout::Unusable(reason));
        let mut header = [0; ENABLED_OFFSET as usize];
        let len = file.read(&mut header).map_err(NoLayout::System)?;
        let word = |offset: usize| {
            let bytes = header.get(..len).and_then(|read| read.get(offset..)?.first_chunk());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let version = word(offset_of!(ControlHeader, version)) as u32;
        if word(offset_of!(ControlHeader, magic)) != MAGIC {
            return unusable(Unusable::NotASession);
        }
        if version != VERSION {
            return unusable(Unusable::Version(version));
        }
        let buffers = word(offset_of!(ControlHeader, buffers)) as u32 as usize;
        let cpus = word(offset_of!(ControlHeader, cpus)) as u32;
        let sizes =
            [offset_of!(ControlHeader, buffer_size), offset_of!(ControlHeader, mapped_size)].map(word);
        let [buffer_size, mapped_size] = sizes;
        let layout = FileLayout::new(buffers, buffer_size, mapped_size, cpus);
        let is_whole = |layout: &FileLayout| layout.size() == file.status().len;
        layout.filter(is_whole).map_or(unusable(Unusable::Damaged), Ok)
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.checked_size().unwrap_or(u64::MAX)
    }

    fn checked_size(&self) -> Option<u64> {
        let all = self.buffer_size.checked_mul(self.buffers as u64)?;
        let extension = if self.buffers > 1 { EXTENSION_SIZE as u64 } else { 0 };
        let others = CONTROL_SIZE as u64 + self.functions_size() + extension + profile_size(self.cpus);
        // An offset is a signed number to the system.
        all.checked_add(others).filter(|size| *size <= i64::MAX as u64)
    }

    /// How many buffers there are: instances from this number on have none.
    pub fn buffers(&self) -> usize {
        self.buffers
    }

    /// The bytes that a process maps when it attaches: the control area, and the first buffer's start.
    pub fn attached(&self) -> Range<u64> {
        0..CONTROL_SIZE as u64 + self.mapped_size
    }

    /// The buffer of an instance, as large as it can become. None where there is none.
    pub fn buffer(&self, instance: usize) -> Option<Range<u64>> {
        let start = match instance {
            0 => CONTROL_SIZE as u64,
            _ if instance < self.buffers => self.extension()?.end + self.buffer_size * (instance as u64 - 1),
            _ => return None,
        };
        Some(start..start + self.buffer_size)
    }

    /// What is in use of it as long as it has not grown.
    pub fn mapped_buffer(&self, instance: usize) -> Option<Range<u64>> {
        let start = self.buffer(instance)?.start;
        Some(start..start + self.mapped_size)
    }

    fn functions_size(&self) -> u64 {
        (self.buffers * FUNCTIONS_SIZE + PROBES_SIZE) as u64
    }

    /// The lists of functions that instances trace, and probes.
    pub fn functions(&self) -> Range<u64> {
        let start = CONTROL_SIZE as u64 + self.buffer_size;
        start..start + self.functions_size()
    }

    /// What belongs to the instances after the first. None where there are no others.
    pub fn extension(&self) -> Option<Range<u64>> {
        let start = self.functions().end;
        (self.buffers > 1).then_some(start..start + EXTENSION_SIZE as u64)
    }

    /// The profile of functions, after all that processes map which have none.
    pub fn profile(&self) -> Range<u64> {
        let end = self.size();
        end - profile_size(self.cpus)..end
    }

    /// The CPUs that the profile has tables for.
    pub fn cpus(&self) -> u32 {
        self.cpus
    }

    /// The numbers that [`FileLayout::new`] takes.
    pub(crate) fn numbers(&self) -> (usize, u64, u64, u32) {
        (self.buffers, self.buffer_size, self.mapped_size, self.cpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_one_another() {
        let layout = FileLayout::new(3, 5 * 4096, 2 * 4096, 2).unwrap();
        let [first, second, third] = [0, 1, 2].map(|instance| layout.buffer(instance).unwrap());
        let extension = layout.extension().unwrap();
        assert_eq!(layout.attached(), 0..first.start + 2 * 4096);
        let functions = layout.functions();
        assert_eq!((first.end, functions.end), (functions.start, extension.start));
        assert_eq!((extension.end, second.end), (second.start, third.start));
        let profile = layout.profile();
        assert_eq!((third.end, third.end - third.start), (profile.start, 5 * 4096));
        assert_eq!((profile.end, profile.end - profile.start), (layout.size(), profile_size(2)));
        assert_eq!(layout.mapped_buffer(2), Some(third.start..third.start + 2 * 4096));
        assert!(layout.buffer(3).is_none());
        let alone = FileLayout::new(1, 4096, 4096, 1).unwrap();
        let size = (CONTROL_SIZE + 4096 + FUNCTIONS_SIZE + PROBES_SIZE) as u64 + profile_size(1);
        assert_eq!((alone.extension(), alone.size()), (None, size));
    }

    #[test]
    fn numbers_are_checked() {
        let is_good = |buffers, buffer, mapped| FileLayout::new(buffers, buffer, mapped, 1).is_some();
        let has_cpus = |cpus| FileLayout::new(1, 4096, 4096, cpus).is_some();
        assert!(has_cpus(MAX_CPUS) && !has_cpus(0) && !has_cpus(MAX_CPUS + 1));
        assert!(is_good(INSTANCES, 4096, 4096));
        assert!(!is_good(0, 4096, 4096) && !is_good(INSTANCES + 1, 4096, 4096));
        assert!(
            !is_good(1, 4096, 8192)
                && !is_good(1, 4096, 0)
                && !is_good(1, 4097, 4096)
                && !is_good(1, 8192, 1)
        );
        assert!(!is_good(2, 1 << 62, 4096) && !is_good(66, 1 << 63, 4096));
    }
}
