//! Reading a session that nobody records: what is there, and consuming it, while programs write.

mod copy;
mod longest;

pub use longest::LongestTrace;

use crate::addresses::Addresses;
use crate::batch::Batch;
use crate::clock_sync::ClockSync;
use crate::function_names::{SiteName, site_names};
use crate::pipe::Pipe;
use crate::tables::Tables;
use crate::translate::Translator;
use ring_buffer::Held;
use session::Instance;
use std::sync::Arc;
use trace_data::record::Record;
use trace_data::symbols::SymbolTable;
use trace_data::threads::ThreadTable;

/// Clock sync points that are kept: what was read is before one, so that it has the same time again.
const POINTS: usize = 1024;

/// Forks that are remembered at least: children that have no program of their own yet are among them.
const MOST_FORKS: usize = 4096;

/// Reads the events of a session as the kernel's `trace` and `trace_pipe` do: times are of the
/// session's clock, what was written to lanes is at its CPU, and addresses have names.
///
/// Who threads were it learns from the session's tables at each call. They keep what events in the buffers
/// refer to, so nothing has to be running for that.
#[derive(Debug)]
pub struct Reader {
    session: Arc<Instance>,
    /// The default instance, where what that has recorded is the session's past.
    default_instance: Option<Arc<Instance>>,
    tables: Tables,
    clocks: ClockSync,
    translator: Translator,
    live: Pipe,
    kept: Pipe,
    /// When the tables were looked at, in the buffer's clock: of events until then all is known.
    looked: u64,
    /// Whether the translator doesn't know of that look.
    is_stale: bool,
}

/// What is read of a session.
#[derive(Clone, Copy)]
pub enum Contents<'a> {
    /// Its buffers.
    Live,
    /// A snapshot.
    Snapshot(&'a Held<'a>),
}

impl Reader {
    /// A reader of `session`.
    pub fn new(session: Arc<Instance>) -> Reader {
        let clocks = ClockSync::since(session.control().identity().created);
        let (live, kept) = (Pipe::new(&session), Pipe::new(&session));
        let addresses = Addresses::new(session.index());
        let translator = Translator::new(session.clone(), session.timeline(clocks.all()), addresses);
        let tables = Tables::default();
        Reader {
            session,
            default_instance: None,
            tables,
            clocks,
            translator,
            live,
            kept,
            looked: 0,
            is_stale: false,
        }
    }

    /// One that consumes nothing of lanes: what is in those may be of CPUs that it doesn't read.
    pub fn without_lanes(mut self) -> Reader {
        self.live.queues.ignore_lanes();
        self
    }

    /// The session's past: the default instance, and up to when.
    fn past(&mut self) -> Option<(Arc<Instance>, u64)> {
        let until = self.session.past_until()?;
        let open = || Some(Arc::new(Instance::open(self.session.path()).ok()?));
        self.default_instance = self.default_instance.take().or_else(open);
        Some((self.default_instance.clone()?, until))
    }

    /// Consumes events, the oldest first, as long as `take` says that it has taken one: those of `cpu`, or
    /// all. What `take` refuses stays, and what it takes no other reader gets.
    ///
    /// The names of the addresses in them: [`Reader::symbols`].
    ///
    /// Cost: some 100 ns for each event, and 100 us for looking at the tables, where events have come since.
    pub fn take(
        &mut self,
        contents: Contents<'_>,
        cpu: Option<u32>,
        mut take: impl FnMut(&Record<'_>) -> bool,
    ) {
        while self.take_known(contents, cpu, &mut take) {
            self.prepare();
        }
    }

    /// Consumes events of which all is known. Whether there is a later one.
    fn take_known(
        &mut self,
        contents: Contents<'_>,
        cpu: Option<u32>,
        take: impl FnMut(&Record<'_>) -> bool,
    ) -> bool {
        self.renew();
        let (choice, translator) = ((cpu, self.looked), &mut self.translator);
        match contents {
            Contents::Live => self.live.take(self.session.buffer(), choice, translator, take),
            Contents::Snapshot(snapshot) => self.kept.take(snapshot, choice, translator, take),
        }
    }

    /// Consumes up to `most` events, with what is needed to show them.
    pub fn batch(&mut self, contents: Contents<'_>, cpu: Option<u32>, most: usize) -> Batch {
        let mut records = Vec::new();
        self.take(contents, cpu, |record| {
            let has_space = records.len() < most;
            if has_space {
                records.push(record.to_owned());
            }
            has_space
        });
        if records.is_empty() {
            return Batch::default();
        }
        Batch { records, symbols: self.symbols(), threads: Arc::new(self.threads()) }
    }

    /// Whether there is something to consume: of `cpu`, or at all. Cost: some 20 ns for each CPU.
    pub fn has_events(&self, contents: Contents<'_>, cpu: Option<u32>) -> bool {
        match contents {
            Contents::Live => self.live.queues.has_events(self.session.buffer(), cpu),
            Contents::Snapshot(snapshot) => self.kept.queues.has_events(snapshot, cpu),
        }
    }

    /// Forgets what was consumed and not taken yet, of `cpu` or of all: their block was cleared.
    pub fn forget(&mut self, cpu: Option<u32>) {
        self.live.queues.clear(cpu);
    }

    /// Names of the addresses in all events that were taken so far. Readers of other instances of a session
    /// have other addresses: their names can be put together.
    pub fn symbols(&mut self) -> Arc<SymbolTable> {
        self.translator.addresses.symbols()
    }

    /// The names of sites: of each the entry of its file in the session, and its address there.
    ///
    /// Cost: reading the files' tables of symbols, once.
    pub fn site_names(&mut self, sites: &[(u32, u64)]) -> Vec<SiteName> {
        site_names(&mut self.translator.addresses, self.session.control(), sites)
    }

    /// The threads that the session knows.
    pub fn threads(&mut self) -> ThreadTable {
        self.look();
        self.tables.threads(self.session.control().identity().creator)
    }

    /// The time now, as events have it.
    pub fn now(&mut self) -> u64 {
        self.time(self.session.buffer().now())
    }

    /// A time of the buffer's clock, as events have it.
    pub fn time(&mut self, time: u64) -> u64 {
        self.renew();
        self.translator.timeline().time(time)
    }

    /// Goes on with the tables and clocks as they are known, and shows times in the clock that is chosen now.
    fn renew(&mut self) {
        let is_shown = self.translator.timeline().shown() == self.session.trace_clock();
        if std::mem::take(&mut self.is_stale) || !is_shown {
            self.translator.renew(self.session.timeline(self.clocks.all()), &mut self.tables);
        }
    }

    /// Looks at the tables and at the clocks.
    fn look(&mut self) {
        self.looked = self.session.buffer().now();
        self.tables.collect_bounded(self.session.control(), self.looked);
        self.clocks.look();
        self.clocks.keep(POINTS);
        self.is_stale = true;
    }

    /// Looks, and forgets what is not asked for any more, because it ended before all events that can still
    /// be read.
    fn prepare(&mut self) {
        self.look();
        let past = self.past().map_or(u64::MAX, |(instance, _)| instance.buffer().oldest_time());
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
    use crate::numbered::{self, number};
    use events::ftrace::{FUNC_REPEATS_ID, FUNCGRAPH_EXIT_ID};
    use ring_buffer::{RecordBuffer, Writer, WriterThread};
    use session::{Session, SessionOptions, TraceClock};
    use std::path::Path;

    fn session(directory: &Path) -> Arc<Instance> {
        let options = SessionOptions { buffer_kb: 64, ..SessionOptions::default() };
        Arc::new(Session::create(&directory.join("s"), &options).unwrap())
    }

    /// Writes numbered events; every fourth to a lane.
    fn write(session: &Instance, numbers: std::ops::Range<u64>) {
        numbered::write(session, numbers, |number| number % 4 == 0);
    }

    /// Takes as many as there are, or `most`.
    fn taken(reader: &mut Reader, most: usize) -> Vec<u64> {
        let batch = reader.batch(Contents::Live, None, most);
        batch.records.iter().map(|record| number(&record.payload)).collect()
    }

    fn copied(reader: &mut Reader, cpu: Option<u32>) -> Vec<u64> {
        let batch = reader.copy(Contents::Live, cpu, None).unwrap().batch(1000).unwrap();
        batch.records.iter().map(|record| number(&record.payload)).collect()
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
        assert!(reader.has_events(Contents::Live, None));
        assert_eq!(taken(&mut reader, 29), (0..29).collect::<Vec<u64>>());
        assert_eq!(taken(&mut reader, 1000), (29..100).collect::<Vec<u64>>());
        assert!(!reader.has_events(Contents::Live, None) && copied(&mut reader, None).is_empty());
    }

    #[test]
    fn what_is_cleared_is_not_taken() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        write(&session, 0..100);
        let mut reader = Reader::new(session.clone());
        // Something is on its way.
        reader.take(Contents::Live, None, |_| false);
        session.buffer().clear();
        assert!(!reader.has_events(Contents::Live, None));
        write(&session, 100..101);
        assert_eq!(taken(&mut reader, 1000), [100]);
    }

    #[test]
    fn times_within_records_are_converted() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let writer = Writer::new(Instance::open(session.path()).unwrap().into_buffer());
        let write = |words: &[u64]| {
            let mut record = RecordBuffer::<8>::new();
            words.iter().for_each(|word| record.push(*word));
            let identity = u64::from(std::process::id());
            writer.write(WriterThread { area: rseq::Area::current(), identity }, record.event()).unwrap();
        };
        let id = |id| abi::common::word(id, 0, 0, 77);
        for shown in [TraceClock::Mono, TraceClock::X86Tsc] {
            // Which drops all records.
            session.set_trace_clock(shown).unwrap();
            let (first, start) = (session.buffer().now(), std::time::Instant::now());
            std::thread::sleep(std::time::Duration::from_millis(20));
            let (passed, last) = (start.elapsed().as_nanos() as u64, session.buffer().now());
            write(&[id(FUNCGRAPH_EXIT_ID), 0x1000, 7, 3 | 5 << 32, first, last]);
            let delta = session.buffer().now() - first;
            write(&[id(FUNC_REPEATS_ID), 0x1000, 0x2000, 9 | (delta >> 32) << 16 | delta << 32]);
            let mut records = Reader::new(session.clone()).copy(Contents::Live, None, None).unwrap();
            let batch = records.batch(9).unwrap();
            let [exit, repeats] = &batch.records[..] else { panic!("{batch:?}") };
            let word =
                |payload: &[u8], at: usize| u64::from_le_bytes(payload[at..at + 8].try_into().unwrap());
            let fields = [16, 24].map(|at| word(&exit.payload, at));
            assert_eq!(fields, [7, 3 | 5 << 32], "what is no time stays");
            let took = word(&exit.payload, 40) - word(&exit.payload, 32);
            assert!(took.abs_diff(passed) < passed / 10, "{took} ns instead of {passed}");
            let halves = word(&repeats.payload, 24);
            let ago = (halves >> 16 & 0xffff) << 32 | halves >> 32;
            let took = if shown == TraceClock::Mono { passed } else { delta };
            assert!(halves & 0xffff == 9 && ago.abs_diff(took) < took / 5, "{ago} instead of {took}");
        }
    }
}
