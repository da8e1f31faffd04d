//! Reading events, one by one or many at once.

use crate::event_source::EventSource;
use crate::live_events::LiveEvents;
use crate::trace_meaning::{LateSymbols, TraceMeaning};
use crate::{Error, EventBatch, FieldColumn, ReadEvent};
use query::{Choice, Chooser, EventRule, Query, TimeReference, TraceFile};
use reading::{Contents, Formats, Reader, SessionRecords};
use session::{Instance, Selection, SnapshotNumber};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use trace_data::dat::Metadata;
use trace_data::event::EventTable;
use trace_data::page::Missed;
use trace_data::record::{OwnedRecord, Record};
use trace_data::text::{Tasks, is_nanoseconds};

/// Reads the events of a trace.dat file, of a session or of a snapshot, in the order of time.
pub struct EventReader {
    source: EventSource,
    meaning: TraceMeaning,
    choice: Choice,
    /// Which events are handed on, once the first was asked for; None for all.
    query: Option<Query>,
    has_started: bool,
    /// The event that was read last, if there was one.
    current: OwnedRecord,
    has_current: bool,
    /// Whether what was lost before it was handed on, and it is next.
    is_waiting: bool,
    /// What comes after the batch that was read last.
    failure: Option<Error>,
}

/// What comes next.
pub enum ReadItem<'a> {
    /// An event.
    Event(ReadEvent<'a>),
    /// Events that were lost.
    Lost(LostEvents),
}

/// Events of a CPU that were lost, before the event that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostEvents {
    /// The CPU.
    pub cpu: u32,
    /// The time of the first event after them.
    pub time: u64,
    /// How many; None where nobody knows.
    pub count: Option<u64>,
}

impl EventReader {
    /// Reads a trace.dat file: of its buffers the one of this name, or all, merged by time.
    ///
    /// # Errors
    ///
    /// Those of the file system; EPROTO for what is no trace.dat file; ENOENT where it has no such buffer.
    pub fn open(path: &Path, buffer: Option<&str>) -> Result<EventReader, Error> {
        let TraceFile { contents, buffer } = TraceFile::open(File::open(path)?, buffer)?;
        let records = buffer.into_records(&contents);
        let nanoseconds = contents.info(&()).nanoseconds;
        let meaning = TraceMeaning {
            symbols: LateSymbols::of_file(&contents.metadata),
            metadata: contents.metadata,
            events: Arc::new(contents.events),
            threads: Arc::new(contents.threads),
            nanoseconds,
        };
        Ok(EventReader::new(EventSource::File(records.map(Box::new)), meaning))
    }

    /// Reads what a session's buffers have now, and leaves it there.
    ///
    /// # Errors
    ///
    /// When it can't be copied: it waits in files without a name in the directory for temporary files.
    pub fn of_session(session: &Arc<Instance>) -> Result<EventReader, Error> {
        let records = Reader::new(session.clone()).copy(Contents::Live, None, Some(&std::env::temp_dir()))?;
        EventReader::of_copy(session, records)
    }

    /// Reads a snapshot: the one of this number, or the newest.
    ///
    /// # Errors
    ///
    /// ENOENT where there is none; EBUSY while too many others read snapshots.
    pub fn of_snapshot(
        session: &Arc<Instance>,
        number: Option<SnapshotNumber>,
    ) -> Result<EventReader, Error> {
        let holder = session.holder()?;
        let held = session.find_snapshot(number).and_then(|snapshot| holder.hold(snapshot));
        let held = held.ok_or(Error::NoSnapshot(number))?;
        // What was on its way when it was taken is there now.
        held.settle();
        let mut reader = Reader::new(session.clone());
        let records = reader.copy(Contents::Snapshot(&held), None, Some(&std::env::temp_dir()))?;
        EventReader::of_copy(session, records)
    }

    fn of_copy(session: &Instance, mut records: SessionRecords) -> Result<EventReader, Error> {
        let mut meaning = of_session(session);
        meaning.threads = records.batch(0)?.threads;
        meaning.metadata.supplement.real_times = records.real_times();
        Ok(EventReader::new(EventSource::Copy(Box::new(records)), meaning))
    }

    /// Reads a session's events as they come, and consumes them, as the kernel's `trace_pipe` does. A session
    /// has one such reader at a time. With a reader that is dropped go up to 512 events that it had consumed
    /// and not given yet.
    ///
    /// # Errors
    ///
    /// EBUSY while somebody else consumes events of the session.
    pub fn follow(session: &Arc<Instance>) -> Result<EventReader, Error> {
        let events = LiveEvents::new(session.clone())?;
        Ok(EventReader::new(EventSource::Live(Box::new(events)), of_session(session)))
    }

    fn new(source: EventSource, meaning: TraceMeaning) -> EventReader {
        let current = OwnedRecord { cpu: 0, time: 0, payload: Vec::new(), lost: Missed::None };
        EventReader {
            source,
            meaning,
            choice: Choice::default(),
            query: None,
            has_started: false,
            current,
            has_current: false,
            is_waiting: false,
            failure: None,
        }
    }

    /// Reads only these events, given as for `lookback report -e`; more calls add more.
    ///
    /// # Errors
    ///
    /// EINVAL where there is no such event, EBUSY once an event was read.
    pub fn choose_events(&mut self, events: &str) -> Result<(), Error> {
        let selection: Selection = events.parse()?;
        self.choose(|choice| choice.events.push(selection))
    }

    /// Reads only events that match a filter, given as for `lookback report -F`: `EVENT[,EVENT]: FILTER`;
    /// more calls add events that match others.
    ///
    /// # Errors
    ///
    /// EINVAL for a wrong filter, EBUSY once an event was read.
    pub fn choose_matching(&mut self, filter: &str) -> Result<(), Error> {
        let rule: EventRule = filter.parse().map_err(Error::Invalid)?;
        self.choose(|choice| choice.filters.push(rule))
    }

    fn choose(&mut self, change: impl FnOnce(&mut Choice)) -> Result<(), Error> {
        if self.has_started {
            return Err(Error::TooLate);
        }
        let mut choice = self.choice.clone();
        change(&mut choice);
        let reference = TimeReference { bounds: None, supplement: Some(&self.meaning.metadata.supplement) };
        self.query = Some(Query::new(Chooser::new(&choice, &self.meaning.events, reference)?));
        self.choice = choice;
        Ok(())
    }

    /// The next event, or what was lost before it. None at the end, and where there is none now.
    ///
    /// # Errors
    ///
    /// When it can't be read. The caller may ask for what is left.
    pub fn next_item(&mut self) -> Result<Option<ReadItem<'_>>, Error> {
        if !std::mem::take(&mut self.is_waiting) && !self.advance()? {
            return Ok(None);
        }
        let OwnedRecord { cpu, time, lost, .. } = self.current;
        let count = match lost {
            Missed::None => return Ok(self.current().map(ReadItem::Event)),
            Missed::Unknown => None,
            Missed::Count(count) => Some(count),
        };
        (self.current.lost, self.is_waiting) = (Missed::None, true);
        Ok(Some(ReadItem::Lost(LostEvents { cpu, time, count })))
    }

    /// Goes on to the next event that is chosen.
    fn advance(&mut self) -> Result<bool, Error> {
        let current = &mut self.current;
        let mut keep = |record: &Record<'_>, _: &TraceMeaning| {
            current.payload.clear();
            current.payload.extend_from_slice(record.payload);
            (current.cpu, current.time, current.lost) = (record.cpu, record.time, record.lost);
            false
        };
        self.has_started = true;
        let choice = (&mut self.query, &self.choice);
        self.has_current = each(&mut self.source, &mut self.meaning, choice, &mut keep)? > 0;
        Ok(self.has_current)
    }

    /// Reads up to `most` events into a batch, which is cleared before. How many; 0 at the end, and where
    /// there is none now. Cost: some 50 ns for each.
    ///
    /// # Errors
    ///
    /// When they can't be read. What was read before comes first, and the error with the next call; after
    /// that comes what can be read.
    pub fn read_batch(&mut self, most: usize, batch: &mut EventBatch) -> Result<usize, Error> {
        batch.clear(most);
        self.has_started = true;
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let mut add = |record: &Record<'_>, meaning: &TraceMeaning| {
            batch.push(record, meaning);
            batch.len() < most
        };
        if most == 0 {
            return Ok(0);
        }
        match each(&mut self.source, &mut self.meaning, (&mut self.query, &self.choice), &mut add) {
            Err(error) if !batch.is_empty() => {
                self.failure = Some(error);
                Ok(batch.len())
            }
            read => read,
        }
    }

    /// The values of a field of the events of a batch that was read here.
    pub fn column(&self, batch: &EventBatch, field: &str) -> FieldColumn {
        FieldColumn::of(batch, &self.meaning.events, field)
    }

    /// Waits until there is an event of a session that is [followed](EventReader::follow), or for that time.
    /// Whether there is one. Programs wake nobody: it looks every 1 to 10 ms. For other readers there always
    /// is one, or the end.
    ///
    /// # Errors
    ///
    /// EINTR when a signal was handled.
    pub fn wait(&self, most: Option<Duration>) -> Result<bool, Error> {
        let EventSource::Live(events) = &self.source else { return Ok(true) };
        events.wait(most).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => Error::Interrupted,
            _ => error.into(),
        })
    }

    /// The event that was read last. None before the first one.
    pub fn current(&self) -> Option<ReadEvent<'_>> {
        let has_one = self.has_current && !self.is_waiting;
        has_one.then(|| ReadEvent { record: self.current.borrowed(), meaning: &self.meaning })
    }

    /// Appends the text of the event that was read last, as `lookback report` has it after the event's name.
    pub fn text(&mut self, out: &mut Vec<u8>) {
        self.source.name_addresses(&mut self.meaning);
        if let Some(event) = self.meaning.events.of(&self.current.payload) {
            event.print(&self.current.payload, &self.meaning.symbols, out);
        }
    }

    /// The events that the source describes.
    pub fn events(&self) -> &EventTable {
        &self.meaning.events
    }

    /// The name of a thread, if it is known.
    pub fn comm(&self, tid: i32) -> Option<&str> {
        self.meaning.threads.comm(tid)
    }

    /// Whether times are nanoseconds: all clocks but `counter`, `uptime` and `x86-tsc`.
    pub fn has_nanoseconds(&self) -> bool {
        self.meaning.nanoseconds
    }
}

/// What records of a session mean, before any was read.
fn of_session(session: &Instance) -> TraceMeaning {
    TraceMeaning {
        metadata: Metadata::new(abi::page::DEFAULT_SIZE as u32),
        events: Formats::default().of(session),
        threads: Arc::default(),
        symbols: LateSymbols::default(),
        nanoseconds: is_nanoseconds(session.trace_clock().name()),
    }
}

/// Hands on what is chosen as long as `take` asks for more. How many that were.
fn each(
    source: &mut EventSource,
    meaning: &mut TraceMeaning,
    (query, choice): (&mut Option<Query>, &Choice),
    take: &mut impl FnMut(&Record<'_>, &TraceMeaning) -> bool,
) -> Result<usize, Error> {
    let mut taken = 0;
    loop {
        let known = Arc::as_ptr(&meaning.events);
        let Some(record) = source.next(meaning)? else { return Ok(taken) };
        let goes_on = match query {
            None => take(&record, meaning),
            Some(query) => {
                if known != Arc::as_ptr(&meaning.events) {
                    // A program has brought some.
                    let reference = TimeReference { bounds: None, supplement: None };
                    *query = Query::new(Chooser::new(choice, &meaning.events, reference)?);
                }
                let Some(chosen) = query.choose(&record, &meaning.info()) else { continue };
                take(&chosen, meaning)
            }
        };
        taken += 1;
        if !goes_on {
            return Ok(taken);
        }
    }
}
