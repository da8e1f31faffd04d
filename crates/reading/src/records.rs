//! Records that were consumed from a session, or copied.

use crate::addresses::Addresses;
use crate::batch::Batch;
use crate::clock_sync::ClockSync;
use crate::copying::Copying;
use crate::mapped_path::Nameless;
use crate::queue::placed;
use crate::spool::{Spool, SpoolReader};
use crate::tables::Tables;
use crate::translate::Translator;
use ring_buffer::Snapshot;
use session::Instance;
use std::collections::VecDeque;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_data::dat::{MappedFile, UnseenProcess};
use trace_data::gaps::Gaps;
use trace_data::merge::{Merge, Pages};
use trace_data::record::{Record, Records};
use trace_data::symbols::SymbolTable;
use trace_data::threads::ThreadTable;

/// Records that were consumed from a session, or copied: a source that is read once. Its pages are kept as
/// they were; what is in them is translated when it is asked for.
#[derive(Debug)]
pub struct SessionRecords {
    session: Arc<Instance>,
    /// One after the other, each with the times that are wanted of it, in the buffer's clock.
    parts: VecDeque<(Merge<Spools>, RangeInclusive<u64>)>,
    /// The CPU whose records are wanted; None for all.
    cpu: Option<u32>,
    translator: Translator,
    tables: Tables,
    clocks: ClockSync,
    threads: Arc<ThreadTable>,
    /// How many there are, of all CPUs.
    pub entries: u64,
    /// How many had been overwritten when they were copied.
    pub overrun: u64,
    /// How many are known to be missing after the last one of their CPU.
    pub missing_after: u64,
    /// The snapshots that they are of, where they were copied, in no order.
    pub snapshots: Vec<Snapshot>,
    /// The first time and the last, in the buffer's clock.
    pub(crate) bounds: Option<(u64, u64)>,
    /// The times from which events are missing, in the buffer's clock.
    pub(crate) gaps: Vec<(u64, u64)>,
    /// The processes that they are not of, or not completely, as far as somebody has found out.
    pub unseen: Vec<UnseenProcess>,
}

impl SessionRecords {
    /// What was consumed from a session, a spool for each of its blocks: so many events. More spools have
    /// records as lanes have them, with their CPU before the payload.
    ///
    /// # Errors
    ///
    /// When it can't be read back.
    pub fn consumed(
        session: Arc<Instance>,
        spools: Vec<Spool>,
        tables: Tables,
        clocks: ClockSync,
        entries: u64,
    ) -> io::Result<SessionRecords> {
        let mut records = SessionRecords::new(session, tables, clocks, None);
        records.entries = entries;
        records.add(spools, 0..=u64::MAX)?;
        Ok(records)
    }

    /// What somebody has kept of a session: the pages of each of its blocks, whether nothing is missing after
    /// them, and how many events of each are known to be missing there. They wait in files without a name in
    /// `directory`.
    ///
    /// # Errors
    ///
    /// When a page can't be had, or not be kept.
    pub fn of_pages(
        session: Arc<Instance>,
        tables: Tables,
        clocks: ClockSync,
        (pages, ends_complete, missing): (&mut impl Pages<Error = io::Error>, bool, &[u64]),
        directory: &Path,
    ) -> io::Result<SessionRecords> {
        let mut copying = Copying::new(session.buffer().geometry(), None, Some(directory));
        let spools = copying.copy_pages(pages, ends_complete, missing)?;
        let Copying { entries, bounds, gaps, .. } = copying;
        let mut records = SessionRecords::new(session, tables, clocks, None);
        (records.entries, records.bounds, records.gaps) = (entries, bounds, gaps);
        records.missing_after = missing.iter().fold(0, |sum, missing| sum.saturating_add(*missing));
        records.add(spools, 0..=u64::MAX)?;
        Ok(records)
    }

    /// Without any.
    pub(crate) fn new(
        session: Arc<Instance>,
        mut tables: Tables,
        clocks: ClockSync,
        cpu: Option<u32>,
    ) -> SessionRecords {
        let timeline = session.timeline(clocks.all());
        let mut translator = Translator::new(session.clone(), timeline.clone(), Addresses::new(0));
        translator.renew(timeline, &mut tables);
        let threads = Arc::new(tables.threads(session.control().identity().creator));
        SessionRecords {
            session,
            parts: VecDeque::new(),
            cpu,
            translator,
            tables,
            clocks,
            threads,
            entries: 0,
            overrun: 0,
            missing_after: 0,
            snapshots: Vec::new(),
            bounds: None,
            gaps: Vec::new(),
            unseen: Vec::new(),
        }
    }

    /// Adds those of these times, none of which is before what was added already.
    pub(crate) fn add(&mut self, spools: Vec<Spool>, times: RangeInclusive<u64>) -> io::Result<()> {
        let readers = spools.into_iter().map(Spool::into_reader).collect::<io::Result<_>>()?;
        self.parts.push_back((Merge::new(Spools { readers })?, times));
        Ok(())
    }

    /// The session that they are of.
    pub fn session(&self) -> &Instance {
        &self.session
    }

    /// The times of the first and of the last, where they were copied.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        let time = |time| self.translator.timeline().time(time);
        self.bounds.map(|(first, last)| (time(first), time(last)))
    }

    /// The times from which events are missing, where they were copied.
    pub fn gaps(&self) -> Gaps {
        Gaps::new(self.gaps.clone()).map(|time| self.translator.timeline().time(time))
    }

    /// The processes and threads that the session knew.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Times in the session's clock, and what `CLOCK_REALTIME` showed then, in ns.
    pub fn real_times(&self) -> Vec<(u64, u64)> {
        self.clocks.real_times()
    }

    /// Names of the addresses in the records that were read so far.
    pub fn symbols(&mut self) -> Arc<SymbolTable> {
        self.translator.addresses.symbols()
    }

    /// An address to which a call of a thread returns at a time of the buffer's clock, as one that the next
    /// batch has a name for.
    pub fn place(&mut self, tid: u32, time: u64, address: u64) -> u64 {
        let Translator { tasks, addresses, .. } = &mut self.translator;
        let process = tasks.process(tid, time);
        process.map_or(address, |process| addresses.translate(self.session.control(), process, address))
    }

    /// The files whose functions have no names in them, and why.
    pub fn nameless(&self) -> Vec<(PathBuf, Nameless)> {
        self.translator.addresses.nameless()
    }

    /// The files that those addresses are of.
    pub fn files(&self) -> Vec<MappedFile> {
        self.translator.addresses.files()
    }

    /// The next `most` records, fewer at the end.
    ///
    /// # Errors
    ///
    /// When they can't be read back.
    pub fn batch(&mut self, most: usize) -> io::Result<Batch> {
        let mut records = Vec::new();
        while records.len() < most
            && let Some(record) = self.next()?
        {
            records.push(record.to_owned());
        }
        Ok(Batch { records, symbols: self.symbols(), threads: self.threads.clone() })
    }

    /// Goes on to the next record that is wanted. False at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let cpus = self.session.buffer().geometry().cpus;
        while let Some((merge, times)) = self.parts.front_mut() {
            if !merge.advance()? {
                self.parts.pop_front();
                continue;
            }
            let record = merge.current().filter(|record| times.contains(&record.time));
            let placed = record.and_then(|record| placed(&record, cpus));
            if placed.is_some_and(|record| self.cpu.is_none_or(|cpu| cpu == record.cpu)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Records for SessionRecords {
    type Error = io::Error;

    fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        if !self.advance()? {
            return Ok(None);
        }
        let current = self.parts.front().and_then(|(merge, _)| merge.current());
        Ok(current.and_then(|record| self.translator.translate(&record)))
    }
}

/// The spools as streams to merge: those of CPUs, then those of lanes, whose events say themselves where they
/// belong.
#[derive(Debug)]
struct Spools {
    readers: Vec<SpoolReader>,
}

impl Pages for Spools {
    type Error = io::Error;

    fn streams(&self) -> usize {
        self.readers.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        stream as u32
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> io::Result<bool> {
        self.readers.get_mut(stream).map_or(Ok(false), |reader| reader.next_page(page))
    }
}
