//! Reading a session that nobody records: what is there, and taking it out, while programs write.

use crate::addresses::Addresses;
use crate::copied::{Blocks, Copied, Copying, live_blocks, pages_of_snapshot};
use crate::moments::Moments;
use crate::pipe::Pipe;
use crate::tables::{Forks, Tables, Thread};
use crate::translate::Translator;
use ring_buffer::Held;
use session::{Session, Timeline};
use std::sync::Arc;
use trace_data::record::Record;
use trace_data::symbols::SymbolTable;

/// Readings of the clocks that are kept: what was read is before one, so that it is told the same again.
const MOMENTS: usize = 1024;

/// Forks that are remembered at least: children that have no program of their own yet are among them.
const MOST_FORKS: usize = 4096;

/// Reads the events of a session as the kernel's `trace` and `trace_pipe` do: times are of the
/// session's clock, what was written to lanes is at its CPU, and addresses have names.
///
/// Who threads were it learns from the session's tables at each call. They keep what events in the buffers
/// refer to, so nothing has to be running for that.
#[derive(Debug)]
pub struct Reader {
    session: Arc<Session>,
    /// The recording, where that is the session's past.
    recording: Option<Arc<Session>>,
    tables: Tables,
    moments: Moments,
    /// Through the moments.
    timeline: Timeline,
    addresses: Addresses,
    live: Pipe,
    kept: Pipe,
    /// When the tables were looked at, in the buffer's clock: of events until then all is known.
    looked: u64,
}

impl Reader {
    /// A reader of `session`.
    pub fn new(session: Arc<Session>) -> Reader {
        let moments = Moments::since(session.control().identity().created);
        let (live, kept) = (Pipe::new(&session), Pipe::new(&session));
        let (tables, addresses) = (Tables::default(), Addresses::of_instance(session.instance()));
        let timeline = session.timeline(moments.all());
        Reader { session, recording: None, tables, moments, timeline, addresses, live, kept, looked: 0 }
    }

    /// Copies the events that are there and leaves them there: those of `cpu`, or all. With the session's
    /// past, if it has one ([`Session::past_until`]).
    ///
    /// Cost: some 100 ns for each event.
    pub fn copy(&mut self, cpu: Option<u32>) -> Copied {
        let (session, past) = (self.session.clone(), self.past());
        let buffer = session.buffer();
        self.copied(cpu, |copying| {
            let (mut since, mut overrun) = (0, buffer.overruns());
            if let Some((recording, until)) = &past {
                if copying.add(live_blocks(recording.buffer()), 0..=*until) > 0 {
                    overrun += recording.buffer().overruns();
                }
                since = until.saturating_add(1);
            }
            copying.add(live_blocks(buffer), since..=u64::MAX);
            overrun
        })
    }

    /// The same of a snapshot.
    pub fn copy_snapshot(&mut self, snapshot: &Held<'_>, cpu: Option<u32>) -> Copied {
        let session = self.session.clone();
        let blocks = session.buffer().geometry().blocks();
        self.copied(cpu, |copying| {
            // Nobody adds to it.
            let pages = Blocks::new(session.buffer(), |_| u64::MAX, pages_of_snapshot(snapshot, blocks));
            copying.add(pages, 0..=u64::MAX);
            (0..blocks).map(|block| snapshot.statistics(block).overrun).sum()
        })
    }

    /// The session's past: the recording, and up to when.
    fn past(&mut self) -> Option<(Arc<Session>, u64)> {
        let until = self.session.past_until()?;
        let open = || Some(Arc::new(Session::open(self.session.path()).ok()?));
        self.recording = self.recording.take().or_else(open);
        Some((self.recording.clone()?, until))
    }

    /// What `add` adds, which says how many events had been overwritten.
    fn copied(&mut self, cpu: Option<u32>, add: impl FnOnce(&mut Copying<'_>) -> u64) -> Copied {
        self.prepare();
        let mut addresses = Addresses::new();
        let tasks = self.tables.by_time(Forks::new());
        let translator = Translator::new(&self.session, &self.timeline, tasks, &mut addresses);
        let mut copying = Copying::new(translator, self.session.buffer().geometry().cpus, cpu);
        let overrun = add(&mut copying);
        let copied = copying.finish();
        Copied { symbols: SymbolTable::parse(&addresses.symbols(), ""), overrun, ..copied }
    }

    /// Takes events out, the oldest first, as long as `take` says that it has taken one: those of `cpu`, or
    /// all. What `take` refuses stays, and what it takes no other reader gets.
    ///
    /// The names of the addresses in them: [`Reader::symbols`].
    ///
    /// Cost: some 100 ns for each event, and 100 us for looking at the tables, where events have come since.
    pub fn take(&mut self, cpu: Option<u32>, mut take: impl FnMut(&Record<'_>) -> bool) {
        while self.take_known(cpu, &mut take) {
            self.prepare();
        }
    }

    /// The same of events of which all is known. Whether there is a later one.
    fn take_known(&mut self, cpu: Option<u32>, take: impl FnMut(&Record<'_>) -> bool) -> bool {
        self.keep_to_clock();
        let (session, timeline) = (&self.session, &self.timeline);
        let tasks = self.tables.by_time(std::mem::take(&mut self.live.forks));
        let translator = Translator::new(session, timeline, tasks, &mut self.addresses);
        self.live.take(session.buffer(), (cpu, self.looked), translator, take)
    }

    /// The same as [`Reader::take`], of a snapshot.
    pub fn take_kept(
        &mut self,
        snapshot: &Held<'_>,
        cpu: Option<u32>,
        mut take: impl FnMut(&Record<'_>) -> bool,
    ) {
        while self.take_known_kept(snapshot, cpu, &mut take) {
            self.prepare();
        }
    }

    fn take_known_kept(
        &mut self,
        snapshot: &Held<'_>,
        cpu: Option<u32>,
        take: impl FnMut(&Record<'_>) -> bool,
    ) -> bool {
        self.keep_to_clock();
        let (session, timeline) = (&self.session, &self.timeline);
        let tasks = self.tables.by_time(std::mem::take(&mut self.kept.forks));
        let translator = Translator::new(session, timeline, tasks, &mut self.addresses);
        self.kept.take(snapshot, (cpu, self.looked), translator, take)
    }

    /// Whether there is something to take: of `cpu`, or at all. Cost: some 20 ns for each CPU.
    pub fn has_events(&self, cpu: Option<u32>) -> bool {
        self.live.queues.has_events(self.session.buffer(), cpu)
    }

    /// The same of a snapshot.
    pub fn has_kept(&self, snapshot: &Held<'_>, cpu: Option<u32>) -> bool {
        self.kept.queues.has_events(snapshot, cpu)
    }

    /// Forgets what was consumed and not taken yet, of `cpu` or of all: their block was cleared.
    pub fn forget(&mut self, cpu: Option<u32>) {
        self.live.queues.clear(cpu);
    }

    /// Names of the addresses in all events that were taken so far.
    pub fn symbols(&self) -> SymbolTable {
        SymbolTable::parse(&self.addresses.symbols(), "")
    }

    /// The same as text, in the form of `/proc/kallsyms`. Readers of other instances of a session have other
    /// addresses: their texts can be put together.
    pub fn kallsyms(&self) -> String {
        self.addresses.symbols()
    }

    /// The threads that the session knows, each as it was last, in the order of their TIDs.
    pub fn threads(&mut self) -> Vec<Thread> {
        self.look();
        self.tables.threads(self.session.control().identity().creator)
    }

    /// The time now, as events have it.
    pub fn now(&mut self) -> u64 {
        self.time(self.session.buffer().now())
    }

    /// A time in the buffer's clock, as events have it.
    pub fn time(&mut self, time: u64) -> u64 {
        self.keep_to_clock();
        self.timeline.time(time)
    }

    /// Shows times in the clock that is chosen now.
    fn keep_to_clock(&mut self) {
        if self.timeline.shown() != self.session.trace_clock() {
            self.timeline = self.session.timeline(self.moments.all());
        }
    }

    /// Looks at the tables and at the clocks.
    fn look(&mut self) {
        self.looked = self.session.buffer().now();
        self.tables.collect_bounded(self.session.control(), self.looked);
        self.moments.look();
        self.moments.keep(MOMENTS);
        self.timeline = self.session.timeline(self.moments.all());
    }

    /// Looks, and forgets what is not asked for any more, because it ended before all events that can still
    /// be read.
    fn prepare(&mut self) {
        self.look();
        let past = self.past().map_or(u64::MAX, |(recording, _)| recording.buffer().oldest_time());
        let there = self.session.buffer().oldest_time().min(self.session.control().kept_since()).min(past);
        let waiting = self.live.queues.oldest_time().min(self.kept.queues.oldest_time());
        let oldest = there.min(waiting);
        self.tables.forget(oldest);
        for forks in [&mut self.live.forks, &mut self.kept.forks] {
            if forks.len() > MOST_FORKS {
                forks.retain(|_, (time, _)| *time >= oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring_buffer::{Record as NewRecord, Thread, Writer};
    use session::Options;

    const ID: u16 = 4000;

    fn session(directory: &std::path::Path) -> Arc<Session> {
        let path = directory.join("s");
        Arc::new(Session::create(&path, &Options { buffer_kb: 64, ..Options::default() }).unwrap())
    }

    /// Writes numbered events; every fourth to a lane.
    fn write(session: &Session, numbers: std::ops::Range<u64>) {
        let writer = Writer::new(Session::open(session.path()).unwrap().into_buffer());
        for number in numbers {
            let area = if number % 4 == 0 { None } else { rseq::Area::current() };
            let mut record = NewRecord::<4>::new();
            record.push(abi::common::word(ID, 0, 0, 77));
            record.push(number);
            writer.write(Thread { area, identity: u64::from(std::process::id()) }, record.event()).unwrap();
        }
    }

    fn number(payload: &[u8]) -> u64 {
        u64::from_le_bytes(payload[8..16].try_into().unwrap())
    }

    fn copied(reader: &mut Reader, cpu: Option<u32>) -> Vec<u64> {
        let copied = reader.copy(cpu);
        let pages = copied.cpus.iter().flat_map(|(_, pages)| pages);
        let pages = pages.map(|page| trace_data::page::Page::new(page).unwrap());
        let mut numbers: Vec<u64> =
            pages.flat_map(|page| page.events().map(|event| number(event.payload))).collect();
        numbers.sort();
        numbers
    }

    #[test]
    fn copying_leaves_everything_where_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        write(&session, 0..100);
        let mut reader = Reader::new(session.clone());
        let all: Vec<u64> = (0..100).collect();
        assert_eq!(copied(&mut reader, None), all);
        let cpus = session.buffer().geometry().cpus;
        let mut of_each: Vec<u64> = (0..cpus).flat_map(|cpu| copied(&mut reader, Some(cpu))).collect();
        of_each.sort();
        assert_eq!(of_each, all, "what was written to lanes is at its CPU, and nowhere else");
    }

    #[test]
    fn taking_gives_each_event_once_in_the_order_of_time() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        write(&session, 0..100);
        let mut reader = Reader::new(session.clone());
        assert!(reader.has_events(None));
        let mut numbers = Vec::new();
        reader.take(None, |record| {
            numbers.push(number(record.payload));
            numbers.len() < 30
        });
        assert_eq!(numbers.pop(), Some(29), "refused");
        reader.take(None, |record| {
            numbers.push(number(record.payload));
            true
        });
        assert_eq!(numbers, (0..100).collect::<Vec<u64>>());
        assert!(!reader.has_events(None) && copied(&mut reader, None).is_empty());
    }

    #[test]
    fn what_is_cleared_is_not_taken() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        write(&session, 0..100);
        let mut reader = Reader::new(session.clone());
        // Something is on its way.
        reader.take(None, |_| false);
        session.buffer().clear();
        assert!(!reader.has_events(None));
        write(&session, 100..101);
        let mut numbers = Vec::new();
        reader.take(None, |record| {
            numbers.push(number(record.payload));
            true
        });
        assert_eq!(numbers, [100]);
    }
}
