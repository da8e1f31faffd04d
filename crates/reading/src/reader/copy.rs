//! Copies of what a session holds.

use super::{Contents, Reader};
use crate::copying::Copying;
use crate::records::SessionRecords;
use crate::spool::Spool;
use ring_buffer::{Held, Holder};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

/// How often all snapshots are copied again when others were taken meanwhile.
const TRIES: u32 = 3;

impl Reader {
    /// Copies the events that are there and leaves them there: those of `cpu`, or all; into files without a
    /// name in `directory`, or into memory. With the session's past, if it has one
    /// ([`session::Instance::past_until`]).
    ///
    /// Cost: that of copying the pages, and some 5 ns for each event.
    ///
    /// # Errors
    ///
    /// When the directory's files can't be written or read.
    pub fn copy(
        &mut self,
        contents: Contents<'_>,
        cpu: Option<u32>,
        directory: Option<&Path>,
    ) -> io::Result<SessionRecords> {
        // Before, for what is forgotten meanwhile; and after, for one who comes meanwhile.
        self.prepare();
        let (session, past) = (self.session.clone(), self.past());
        let (buffer, geometry) = (session.buffer(), session.buffer().geometry());
        let mut copying = Copying::new(geometry, cpu, directory);
        let (mut parts, mut snapshots) = (Vec::new(), Vec::new());
        let (mut overrun, mut times) = (0, 0..=u64::MAX);
        let spools = match contents {
            Contents::Live => {
                if let Some((instance, until)) = past {
                    parts.push((copying.copy(&[], Some(instance.buffer()), &(0..=until))?, 0..=until));
                    overrun = if copying.entries > 0 { instance.buffer().overruns() } else { 0 };
                    times = until.saturating_add(1)..=u64::MAX;
                }
                overrun += buffer.overruns();
                copying.copy(&[], Some(buffer), &times)?
            }
            Contents::Snapshot(snapshot) => {
                snapshots.push(snapshot.snapshot());
                overrun = overruns(snapshot, geometry.blocks());
                copying.copy(&[snapshot], None, &times)?
            }
        };
        parts.push((spools, times));
        let mut records = self.copied(copying, overrun, parts)?;
        records.snapshots = snapshots;
        Ok(records)
    }

    /// Copies the events of a snapshot from a time on, in the buffer's clock: those of `cpu`, or all, into
    /// memory. Where older ones are in it, none is missing from before.
    ///
    /// Cost: as for [`Reader::copy`].
    ///
    /// # Errors
    ///
    /// None: memory doesn't fail.
    pub(super) fn copy_since(
        &mut self,
        snapshot: &Held<'_>,
        since: u64,
        cpu: Option<u32>,
    ) -> io::Result<SessionRecords> {
        self.prepare();
        let session = self.session.clone();
        let geometry = session.buffer().geometry();
        let (mut copying, times) = (Copying::new(geometry, cpu, None), since..=u64::MAX);
        let spools = copying.copy(&[snapshot], None, &times)?;
        let statistics = (0..geometry.blocks()).map(|block| snapshot.statistics(block));
        let overrun = statistics.filter(|block| block.oldest_time > since).map(|block| block.overrun).sum();
        let mut records = self.copied(copying, overrun, vec![(spools, times)])?;
        records.snapshots = vec![snapshot.snapshot()];
        Ok(records)
    }

    /// Copies all snapshots that are kept and what is in the buffers now, as one: each event once, and where
    /// one ends and the next begins the number of those that are missing. Without the session's past.
    ///
    /// Cost: that of [`Reader::copy`] for each. They are held meanwhile, so none makes space for others.
    ///
    /// # Errors
    ///
    /// As for [`Reader::copy`].
    pub fn copy_with_snapshots(
        &mut self,
        holder: &Holder<'_>,
        cpu: Option<u32>,
        directory: Option<&Path>,
    ) -> io::Result<SessionRecords> {
        self.prepare();
        let session = self.session.clone();
        let buffer = session.buffer();
        let mut tries = TRIES;
        loop {
            let listed = session.snapshots();
            let kept: Vec<_> = listed.iter().filter_map(|snapshot| holder.hold(*snapshot)).collect();
            for held in &kept {
                held.settle();
            }
            let mut copying = Copying::new(buffer.geometry(), cpu, directory);
            let spools = copying.copy(&kept.iter().collect::<Vec<_>>(), Some(buffer), &(0..=u64::MAX))?;
            tries -= 1;
            // One that was taken meanwhile has what is missing here.
            if session.snapshots() == listed || tries == 0 {
                let overrun = buffer.overruns()
                    + kept.iter().map(|held| overruns(held, buffer.geometry().blocks())).sum::<u64>();
                let mut records = self.copied(copying, overrun, vec![(spools, 0..=u64::MAX)])?;
                records.snapshots = kept.iter().map(Held::snapshot).collect();
                return Ok(records);
            }
        }
    }

    /// What was copied, with what is known by now.
    fn copied(
        &mut self,
        copying: Copying<'_>,
        overrun: u64,
        parts: Vec<(Vec<Spool>, RangeInclusive<u64>)>,
    ) -> io::Result<SessionRecords> {
        let Copying { cpu, entries, bounds, gaps, .. } = copying;
        self.look();
        let (tables, clocks) = (self.tables.clone(), self.clocks.clone());
        let mut records = SessionRecords::new(self.session.clone(), tables, clocks, cpu);
        (records.entries, records.overrun, records.bounds) = (entries, overrun, bounds);
        records.gaps = gaps;
        for (spools, times) in parts {
            records.add(spools, times)?;
        }
        Ok(records)
    }
}

/// How many events of a snapshot were overwritten before it was taken.
fn overruns(snapshot: &Held<'_>, blocks: u32) -> u64 {
    (0..blocks).map(|block| snapshot.statistics(block).overrun).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbered::{self, number};
    use session::{Instance, Session, SessionOptions};
    use std::ops::Range;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::{Acquire, Release};
    use trace_data::page::Missed;
    use trace_data::record::OwnedRecord;

    /// Every fourth to a lane.
    fn write(session: &Instance, numbers: Range<u64>) {
        numbered::write(session, numbers, |number| number % 4 == 0);
    }

    /// The numbers of all that is kept and live, and how many are missing before which.
    fn joined(session: &Arc<Instance>) -> (Vec<u64>, Vec<(u64, Missed)>) {
        let holder = session.holder().unwrap();
        let mut reader = Reader::new(session.clone());
        let batch = reader.copy_with_snapshots(&holder, None, None).unwrap().batch(100_000).unwrap();
        let number = |record: &OwnedRecord| number(&record.payload);
        let numbers = batch.records.iter().map(number).collect();
        let missing = batch.records.iter().filter(|record| record.lost != Missed::None);
        (numbers, missing.map(|record| (number(record), record.lost)).collect())
    }

    fn session_with_snapshots(directory: &Path) -> Arc<Instance> {
        let options = SessionOptions { buffer_kb: 64, snapshots: 3, ..SessionOptions::default() };
        Arc::new(Session::create(&directory.join("s"), &options).unwrap())
    }

    #[test]
    fn snapshots_and_what_follows_are_one() {
        let directory = tempfile::tempdir().unwrap();
        let session = session_with_snapshots(directory.path());
        for number in 0..3 {
            write(&session, number * 100..(number + 1) * 100);
            session.take_snapshot().unwrap();
        }
        write(&session, 300..400);
        assert_eq!(joined(&session), ((0..400).collect(), Vec::new()));
    }

    #[test]
    fn what_is_missing_between_two_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let session = session_with_snapshots(directory.path());
        let lanes = |numbers| numbered::write(&session, numbers, |_| true);
        let mut taken = Vec::new();
        for number in 0..3 {
            lanes(number * 10..(number + 1) * 10);
            taken.push(session.take_snapshot().unwrap());
        }
        assert!(session.buffer().discard(taken[1]));
        lanes(30..35);
        session.buffer().clear();
        lanes(35..40);
        // Consumed, after the joint.
        let mut reader = Reader::new(session.clone());
        assert_eq!(reader.batch(Contents::Live, None, 1).records.len(), 1);
        lanes(40..41);
        let (numbers, missing) = joined(&session);
        let expected = (0..10).chain(20..30).chain(40..41);
        assert_eq!(numbers, expected.collect::<Vec<u64>>());
        // A page is consumed at once.
        assert_eq!(missing, [(20, Missed::Count(10)), (40, Missed::Count(10))]);
    }

    #[test]
    fn what_is_missing_at_the_end_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let session = session_with_snapshots(directory.path());
        write(&session, 0..10);
        session.take_snapshot().unwrap();
        let end = || {
            let holder = session.holder().unwrap();
            let mut reader = Reader::new(session.clone());
            reader.copy_with_snapshots(&holder, None, None).unwrap().gaps().end()
        };
        assert_eq!(end(), None);
        write(&session, 10..20);
        assert_eq!(end(), None);
        session.buffer().clear();
        assert_eq!(end(), Some(u64::MAX));
    }

    #[test]
    fn each_event_is_there_once_while_snapshots_are_taken() {
        let directory = tempfile::tempdir().unwrap();
        let session = session_with_snapshots(directory.path());
        session.take_snapshot().unwrap();
        let written = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let taking = scope.spawn(|| {
                for round in 0..100 {
                    write(&session, round * 10..(round + 1) * 10);
                    written.store((round + 1) * 10, Release);
                    if round % 3 == 0 {
                        // Refused while all are held.
                        let _ = session.take_snapshot();
                    }
                }
            });
            while !taking.is_finished() {
                let before = written.load(Acquire);
                let (numbers, missing) = joined(&session);
                // One buffer is copied after the other: of what comes meanwhile, some is there.
                let is_next = |pair: &[u64]| {
                    let is_gap_known = || missing.iter().any(|(number, _)| *number >= pair[1]);
                    pair[1] == pair[0] + 1 || pair[1] > pair[0] && (pair[0] + 1 >= before || is_gap_known())
                };
                assert!(numbers.windows(2).all(is_next), "{numbers:?} {missing:?}");
            }
        });
    }
}
