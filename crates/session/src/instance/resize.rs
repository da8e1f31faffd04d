//! Making the buffers of a session larger or smaller, while it records.

use crate::session::c_path;
use crate::size::{CONTROL_BYTES, pages_of_events};
use crate::{Error, Instance};
use abi::buffer::Slot;
use abi::control::FILTERING;
use abi::instance::INSTANCES;
use ring_buffer::{Content, NotResized};

impl Instance {
    /// Gives each CPU that has memory, or one of them, space for `kb` KB of events, rounded up to whole
    /// pages, two at least. The events that are there are dropped. There must be space for it: up to four
    /// times the size that the session was made with, in one that was made with space for snapshots, of which
    /// one is not in use.
    ///
    /// Cost: some 0.3 ms per MB, and 0.1 ms for each CPU on which nothing is being recorded.
    pub fn resize(&self, cpu: Option<u32>, kb: u64) -> Result<(), Error> {
        let (path, no_memory) =
            (self.path().to_path_buf(), |reason| Error::NoMemory { path: self.path().to_path_buf(), reason });
        let pages = pages_of_events(kb).ok_or_else(|| no_memory(format!("no buffer has {kb} KB")))?;
        let _lock = self.session.lock_settings()?;
        let (holder, file) = (self.holder()?, c_path(&self.file())?);
        let resized = match cpu {
            Some(cpu) => holder.resize_block(&file, cpu, pages, Content::Discard),
            None => holder.resize(&file, pages, Content::Discard),
        };
        match resized {
            Ok(_) => Ok(()),
            Err(error @ (NotResized::TooLarge { .. } | NotResized::System(_))) => {
                Err(no_memory(error.to_string()))
            }
            Err(error) => Err(Error::NotResized { path, reason: error.to_string() }),
        }
    }

    /// The most bytes of memory that the session takes with the instances that it has, and buffers as large
    /// as this one's.
    pub fn most_bytes(&self) -> u64 {
        let (buffer, geometry) = (self.buffer(), self.buffer().geometry());
        let pages: u64 =
            (0..geometry.blocks()).map(|block| buffer.capacity(block) / geometry.page_size).sum();
        let ring = pages * (geometry.page_size + size_of::<Slot>() as u64);
        let others = (0..INSTANCES).filter(|index| self.control().instance_state(*index).is_some()).count();
        let others = others as u64 - 1;
        let buffers = (1 + others) * (geometry.blocks_end() + ring * u64::from(geometry.rings));
        CONTROL_BYTES + others * FILTERING as u64 + buffers
    }

    /// KB of events that fit the buffer of a CPU; 0 for one without memory.
    pub fn buffer_kb(&self, cpu: u32) -> u64 {
        let geometry = self.buffer().geometry();
        self.buffer().capacity(cpu) / geometry.page_size * geometry.page_capacity() / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};
    use std::os::unix::fs::MetadataExt;
    use tempfile::TempDir;

    fn session(snapshots: u32) -> (TempDir, Instance) {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let options = SessionOptions { buffer_kb: 1024, snapshots, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, session)
    }

    fn memory(session: &Instance) -> u64 {
        session.file().metadata().unwrap().blocks() * 512
    }

    #[test]
    fn memory_follows_the_size() {
        let (_directory, session) = session(1);
        let before = memory(&session);
        session.resize(None, 2048).unwrap();
        assert_eq!(session.buffer_kb(0), 2051);
        assert!(memory(&session) > before + 1024 * 1024);
        session.resize(None, 1).unwrap();
        assert_eq!(session.buffer_kb(0), 7);
        assert!(memory(&session) < before, "{before} became {}", memory(&session));
        session.reserve_snapshot().unwrap();
        let (all, most) = (memory(&session), session.most_bytes());
        assert!(most.abs_diff(all) < 64 * 1024, "{most} is {all}");
        session.resize(Some(0), 100).unwrap();
        assert_eq!(session.buffer_kb(0), 103);
        assert!(session.buffer_kb(1) == 7 || session.buffer_kb(1) == 0);
    }

    #[test]
    fn a_size_without_space_changes_nothing() {
        let (_directory, session) = session(1);
        for kb in [4 * 1024 + 100, 1 << 40, u64::MAX] {
            assert!(matches!(session.resize(None, kb), Err(Error::NoMemory { .. })), "{kb}");
        }
        assert_eq!(session.buffer_kb(0), 1020);
        session.take_snapshot().unwrap();
        assert!(matches!(session.resize(None, 64), Err(Error::NotResized { .. })), "its ring is in use");
        session.discard_snapshots().unwrap();
        session.resize(None, 64).unwrap();
    }

    #[test]
    fn without_space_for_snapshots_the_size_stays() {
        let (_directory, session) = session(0);
        assert!(matches!(session.resize(None, 64), Err(Error::NotResized { .. })));
        session.resize(None, 1020).unwrap();
    }
}
