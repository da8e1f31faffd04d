//! Keeping what a session has recorded, while it goes on recording.

use super::{Author, Instance};
use crate::Error;
use crate::session::c_path;
use crate::this_process::identity;
use ring_buffer::{Buffer, Holder, NotReserved, Released, Snapshot, SnapshotCause, SnapshotOrigin, Writer};

/// What came of giving back the memory of snapshots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freed {
    /// How many have given theirs back.
    pub freed: usize,
    /// How many will do so when this is asked for again: some CPU could still write there.
    pub retired: usize,
}

impl Instance {
    /// Keeps what has been recorded, and goes on recording. Takes memory for it if need be; with as many kept
    /// as there is space for, the oldest is dropped, as the kernel does with its one.
    ///
    /// Cost: two atomic instructions, and where memory is taken some 0.3 ms per MB.
    pub fn take_snapshot(&self) -> Result<Snapshot, Error> {
        self.take(None, &Author::current().origin(SnapshotCause::Process))
    }

    /// Takes one of one CPU alone: what was recorded on others stays where it is. What writers without rseq
    /// have written there is not in it.
    pub fn take_snapshot_of(&self, cpu: u32) -> Result<Snapshot, Error> {
        self.check_cpu(cpu)?;
        self.take(Some(cpu), &Author::current().origin(SnapshotCause::Process))
    }

    /// Takes one of all CPUs, or of one alone, for somebody who asks for that through a file.
    pub fn take_snapshot_for(&self, author: Author, cpu: Option<u32>) -> Result<Snapshot, Error> {
        cpu.map_or(Ok(()), |cpu| self.check_cpu(cpu))?;
        self.take(cpu, &author.origin(SnapshotCause::File))
    }

    pub(super) fn take(&self, cpu: Option<u32>, origin: &SnapshotOrigin) -> Result<Snapshot, Error> {
        self.check_space()?;
        let _lock = self.session.lock_settings()?;
        let holder = self.holder()?;
        if cpu.is_none() {
            self.keep_calls_in_progress()?;
        }
        if self.buffer().spare_rings() == 0 {
            self.make_space(&holder)?;
        }
        // Before it is there: what its events refer to must not be used again.
        self.control().keep_since(self.buffer().oldest_time());
        let taken = cpu.map_or_else(|| self.buffer().snapshot(), |cpu| holder.snapshot_block(cpu));
        if let Ok(snapshot) = taken {
            self.buffer().set_origin(snapshot, origin);
        }
        let taken = taken.map_err(|refused| self.refused(refused));
        self.control().keep_until(self.buffer().now());
        self.note_oldest(&holder);
        taken
    }

    /// Writes what threads are in, so that it is among what is kept.
    fn keep_calls_in_progress(&self) -> Result<(), Error> {
        let calls = self.calls_of_running();
        if !calls.is_empty() {
            let writer = Writer::new(self.again()?.into_buffer());
            self.write_calls(&writer, self.observer(), &calls);
        }
        Ok(())
    }

    /// Whether there is space for snapshots at all.
    fn check_space(&self) -> Result<(), Error> {
        let path = || self.path().to_path_buf();
        if self.keeps_snapshots() { Ok(()) } else { Err(Error::NoSnapshots { path: path() }) }
    }

    /// Whether memory has been taken for a snapshot: one that is kept, or one to come.
    pub fn has_snapshot_memory(&self) -> bool {
        self.buffer().spare_rings() > 0 || self.buffer().snapshots().next().is_some()
    }

    /// Takes memory for a snapshot, so that taking the first is as quick as any. Nothing happens where there
    /// is some.
    ///
    /// Cost: some 0.3 ms per MB.
    pub fn reserve_snapshot(&self) -> Result<(), Error> {
        self.reserve_snapshots(1)
    }

    /// Reserves memory for so many, for one who can't take memory when he takes them: for one at least, for
    /// others as far as there is space and memory.
    pub(crate) fn reserve_snapshots(&self, wanted: usize) -> Result<(), Error> {
        let _lock = self.session.lock_settings()?;
        self.reserve_snapshots_locked(wanted)
    }

    /// Does so for one who has [`crate::Session::lock_settings`]. What a latency tracer has for its trace is
    /// not counted.
    pub(crate) fn reserve_snapshots_locked(&self, wanted: usize) -> Result<(), Error> {
        self.check_space()?;
        let wanted = wanted.saturating_add(self.latency_snapshots());
        let holder = self.holder()?;
        let reserved = || self.buffer().spare_rings() + self.buffer().snapshots().count();
        while reserved() < wanted.min(self.buffer().geometry().rings as usize - 1) {
            match self.reserve(&holder) {
                Err(error) if reserved() == 0 => return Err(error),
                Ok(true) => {}
                Ok(false) | Err(_) => break,
            }
        }
        Ok(())
    }

    /// Gives memory to one more snapshot. False where all that there can be have some.
    fn reserve(&self, holder: &Holder<'_>) -> Result<bool, Error> {
        match holder.reserve(&c_path(&self.file())?) {
            Ok(()) => Ok(true),
            Err(NotReserved::AllReserved) => Ok(false),
            Err(error) => Err(Error::NoMemory { path: self.path().to_path_buf(), reason: error.to_string() }),
        }
    }

    /// Gives memory to one more snapshot, or gives the oldest up.
    fn make_space(&self, holder: &Holder<'_>) -> Result<(), Error> {
        // That of a latency tracer is dropped last.
        let mut kept = self.snapshots();
        kept.sort_by_key(|snapshot| self.buffer().is_of_latency(*snapshot));
        let has_space = self.reserve(holder)? || kept.into_iter().any(|snapshot| holder.discard(snapshot));
        if has_space { Ok(()) } else { Err(self.refused("all its snapshots are being read just now")) }
    }

    /// The snapshots that are kept, the oldest first.
    pub fn snapshots(&self) -> Vec<Snapshot> {
        let mut kept: Vec<Snapshot> = self.buffer().snapshots().collect();
        kept.sort_by_key(|snapshot| (snapshot.time(), snapshot.generation()));
        kept
    }

    /// Gives all snapshots up; their memory stays for others. How many there were. One that is being read
    /// stays, and is an error.
    pub fn discard_snapshots(&self) -> Result<usize, Error> {
        let _lock = self.session.lock_settings()?;
        self.discard_all(&self.holder()?)
    }

    /// Gives all snapshots up, and their memory back.
    ///
    /// Cost: some 0.1 ms for each CPU on which nothing was recorded since.
    pub fn free_snapshots(&self) -> Result<Freed, Error> {
        let _lock = self.session.lock_settings()?;
        let holder = self.holder()?;
        self.discard_all(&holder)?;
        let mut freed = Freed::default();
        loop {
            match holder.release() {
                Released::Freed => freed.freed += 1,
                Released::NothingSpare => break,
                Released::Retired { .. } => break,
            }
        }
        freed.retired = self.buffer().retired_rings();
        Ok(freed)
    }

    pub(crate) fn discard_all(&self, holder: &Holder<'_>) -> Result<usize, Error> {
        let kept = self.snapshots();
        let discarded = kept.iter().filter(|snapshot| holder.discard(**snapshot)).count();
        self.note_oldest(holder);
        if discarded < kept.len() {
            return Err(self.refused("a snapshot is being read just now, and stays"));
        }
        Ok(discarded)
    }

    /// Says in the tables how far back snapshots reach.
    fn note_oldest(&self, holder: &Holder<'_>) {
        loop {
            let before = self.control().kept_since();
            let held = self.snapshots().into_iter().filter_map(|snapshot| holder.hold(snapshot));
            let oldest = held.flat_map(|held| {
                let blocks = 0..self.buffer().geometry().blocks();
                blocks.map(|block| held.statistics(block).oldest_time).filter(|time| *time > 0).min()
            });
            if self.control().set_kept_since(before, oldest.min().unwrap_or(u64::MAX)) {
                return;
            }
        }
    }

    /// A place among those who read snapshots, for the calling thread.
    pub fn holder(&self) -> Result<Holder<'_>, Error> {
        self.holder_of(self.buffer())
    }

    pub(crate) fn holder_of<'a>(&self, buffer: &'a Buffer) -> Result<Holder<'a>, Error> {
        let thread = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let holder = buffer.holder(identity(thread));
        holder.ok_or_else(|| self.refused("too many others read its snapshots just now"))
    }

    fn refused(&self, reason: impl std::fmt::Display) -> Error {
        Error::Snapshot { path: self.path().to_path_buf(), reason: reason.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};
    use control::NewProcess;
    use ring_buffer::{RecordBuffer, Writer, WriterThread};
    use tempfile::TempDir;

    fn session(snapshots: u32) -> (TempDir, Instance) {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, session)
    }

    fn write(session: &Instance) {
        let writer = Writer::new(Instance::open(session.path()).unwrap().into_buffer());
        let mut record = RecordBuffer::<4>::new();
        record.push(abi::common::word(300, 0, 0, 1));
        writer.write(WriterThread { area: rseq::Area::current(), identity: 1 }, record.event()).unwrap();
    }

    fn blocks(session: &Instance) -> u64 {
        use std::os::unix::fs::MetadataExt;
        session.file().metadata().unwrap().blocks() * 512
    }

    #[test]
    fn who_took_it_is_known() {
        let (_directory, session) = session(2);
        let taken = session.take_snapshot().unwrap();
        let origin = session.buffer().origin(taken).unwrap();
        let own = Author::current();
        assert_eq!((origin.cause, origin.tid), (SnapshotCause::Process, own.tid));
        assert_eq!((origin.uid, Some(origin.comm)), (Some(rustix::process::geteuid().as_raw()), own.comm()));
        let gone = Author { tid: u32::MAX, cpu: None };
        let taken = session.take_snapshot_for(gone, Some(0)).unwrap();
        let origin = session.buffer().origin(taken).unwrap();
        let expected = (SnapshotCause::File, u32::MAX, None, [0; 16]);
        assert_eq!((origin.cause, origin.tid, origin.uid, origin.comm), expected);
    }

    #[test]
    fn memory_comes_with_the_first_snapshot_and_goes_on_request() {
        let (_directory, session) = session(1);
        let empty = blocks(&session);
        session.take_snapshot().unwrap();
        assert!(blocks(&session) > empty + 64 * 1024);
        assert_eq!(session.free_snapshots().unwrap(), Freed { freed: 1, retired: 0 });
        // Slots stay.
        assert!(blocks(&session) < empty + 32 * 1024, "{empty} became {}", blocks(&session));
        assert!(session.snapshots().is_empty());
    }

    #[test]
    fn the_oldest_goes_when_there_is_no_more_space() {
        let (_directory, session) = session(2);
        let taken: Vec<Snapshot> = (0..4)
            .map(|_| {
                write(&session);
                session.take_snapshot().unwrap()
            })
            .collect();
        assert_eq!(session.snapshots(), taken[2..]);
        let holder = session.holder().unwrap();
        let held: Vec<_> = taken[2..].iter().map(|snapshot| holder.hold(*snapshot).unwrap()).collect();
        let refused = session.take_snapshot().unwrap_err().to_string();
        assert!(refused.contains("being read"), "{refused}");
        drop(held);
        session.take_snapshot().unwrap();
        assert_eq!(session.discard_snapshots().unwrap(), 2);
    }

    #[test]
    fn a_snapshot_of_a_cpu_leaves_the_others_where_they_are() {
        let (_directory, session) = session(1);
        (0..200).for_each(|_| write(&session));
        let entries = |cpu| session.buffer().statistics(cpu).entries;
        let cpu = (0..session.buffer().geometry().cpus).max_by_key(|cpu| entries(*cpu)).unwrap();
        let (own, all) = (entries(cpu), session.buffer().entries());
        let taken = session.take_snapshot_of(cpu).unwrap();
        assert_eq!((session.buffer().entries(), entries(cpu)), (all - own, 0));
        let holder = session.holder().unwrap();
        assert_eq!(holder.hold(taken).unwrap().statistics(cpu).entries, own);
        assert!(session.take_snapshot_of(9999).is_err());
    }

    #[test]
    fn memory_can_be_taken_before() {
        let (_directory, session) = session(1);
        assert!(!session.has_snapshot_memory());
        session.reserve_snapshot().unwrap();
        let reserved = blocks(&session);
        session.reserve_snapshot().unwrap();
        session.take_snapshot().unwrap();
        session.discard_snapshots().unwrap();
        assert!(session.has_snapshot_memory());
        assert_eq!(blocks(&session), reserved);
        session.free_snapshots().unwrap();
        assert!(!session.has_snapshot_memory());
    }

    #[test]
    fn a_session_without_space_says_so() {
        let (_directory, session) = session(0);
        assert!(matches!(session.take_snapshot(), Err(Error::NoSnapshots { .. })));
        assert!(matches!(session.reserve_snapshot(), Err(Error::NoSnapshots { .. })));
    }

    #[test]
    fn the_tables_keep_what_snapshots_refer_to() {
        let (_directory, session) = session(1);
        let control = session.control();
        let run = |pid| {
            let time = session.buffer().now();
            let new = NewProcess { pid, parent: 1, pid_namespace: 1, time, ..Default::default() };
            let entry = control.add_process(&new).unwrap();
            control.end_process(entry, session.buffer().now());
            entry
        };
        let is_there = |entry: u32, start: u64| {
            control.process(entry).is_some_and(|process| process.start_time == start)
        };
        write(&session);
        let first = run(4711);
        let start = control.process(first).unwrap().start_time;
        session.take_snapshot().unwrap();
        // All look for space in the same part of the table.
        (0..300).for_each(|_| assert_ne!(run(4711), u32::MAX));
        assert!(is_there(first, start), "the snapshot may have its events");
        session.discard_snapshots().unwrap();
        (0..300).for_each(|_| assert_ne!(run(4711), u32::MAX));
        assert!(!is_there(first, start));
    }
}
