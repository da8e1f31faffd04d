//! A trace.dat file, ready to be asked.

use crate::{Error, Survey, TimeReference};
use foldhash::HashSet;
use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;
use trace_data::dat::{self, Metadata, RecordedBuffer, Recording, SoundPages, SoundRecords};
use trace_data::event::{Event, EventTable};
use trace_data::format::{Format, FormatError};
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::merge::Merge;
use trace_data::print::Dialect;
use trace_data::record::{Record, Records};
use trace_data::symbols::Symbols;
use trace_data::text::is_nanoseconds;
use trace_data::threads::ThreadTable;

/// A trace.dat file: what its records mean, and its buffers or one of them.
#[derive(Debug)]
pub struct TraceFile {
    /// What the records mean.
    pub contents: TraceContents,
    /// The records.
    pub buffer: TraceBuffer,
}

/// What the records of a trace.dat file mean.
#[derive(Debug)]
pub struct TraceContents {
    /// All that the file has besides pages.
    pub metadata: Metadata,
    /// The formats of its events. Those of lookback's own that have not happened are among them.
    pub events: EventTable,
    /// Its threads.
    pub threads: ThreadTable,
    /// The name of its clock.
    pub clock: String,
}

/// The records of a trace.dat file: of one of its buffers, or of several, merged by time.
#[derive(Debug)]
pub struct TraceBuffer {
    recording: Recording<File>,
    /// Which of its buffers.
    indices: Vec<usize>,
    sound: Arc<SoundRecords>,
}

impl TraceFile {
    /// Opens a file and chooses a buffer: the one with this name. Without a name all that have events are
    /// read as one, but for those in another clock than the first of them.
    ///
    /// # Errors
    ///
    /// When the file can't be read, or has no such buffer.
    pub fn open(file: File, buffer: Option<&str>) -> Result<TraceFile, Error> {
        TraceFile::of(Recording::open(file)?, buffer)
    }

    /// Opens a file that may have been truncated, and says what is missing, if anything is.
    ///
    /// # Errors
    ///
    /// Those of [`TraceFile::open`], for what comes before the pages.
    pub fn open_truncated(
        file: File,
        buffer: Option<&str>,
    ) -> Result<(TraceFile, Option<dat::Error>), Error> {
        let (recording, truncation) = Recording::open_truncated(file)?;
        Ok((TraceFile::of(recording, buffer)?, truncation))
    }

    fn of(recording: Recording<File>, buffer: Option<&str>) -> Result<TraceFile, Error> {
        let metadata = recording.metadata().clone();
        let events = known_events(&metadata)?;
        let threads = ThreadTable::new(metadata.cmdlines.clone(), metadata.supplement.tgids.clone());
        let indices = choose_buffers(buffer, recording.buffers())?;
        let first = indices.first().and_then(|index| recording.buffers().get(*index));
        let clock = first.map_or(&metadata.options.clock, |buffer| &buffer.clock);
        let sound = Arc::new(SoundRecords::new(&events, &metadata.options));
        let contents = TraceContents { clock: clock.clone(), metadata, events, threads };
        Ok(TraceFile { contents, buffer: TraceBuffer { recording, indices, sound } })
    }
}

impl TraceContents {
    /// What the records mean, with these names for addresses.
    pub fn info<'a>(&'a self, symbols: &'a dyn Symbols) -> TraceInfo<'a> {
        let TraceContents { metadata, events, threads, clock } = self;
        let nanoseconds = metadata.options.tsc_scale.is_some() || is_nanoseconds(clock);
        TraceInfo { metadata, events, tasks: threads, symbols, nanoseconds }
    }

    /// What relative times and dates are counted from, once the trace was surveyed.
    pub fn time_reference(&self, survey: &Survey) -> TimeReference<'_> {
        let time = |time| self.metadata.options.time(time);
        let bounds = survey.bounds.map(|(first, last)| (time(first), time(last)));
        TimeReference { bounds, supplement: Some(&self.metadata.supplement) }
    }

    /// The times from which events are missing, once the trace was surveyed.
    pub fn gaps(&self, survey: &Survey) -> Gaps {
        let of_pages = Gaps::new(survey.gaps.clone()).map(|time| self.metadata.options.time(time));
        of_pages.and(&self.metadata.supplement.gaps)
    }
}

impl TraceBuffer {
    /// A first look at all records that can be read, and what is damaged, if anything is.
    pub fn survey(&mut self) -> (Survey, Result<(), dat::Error>) {
        let Some(pages) = self.recording.pages_of(&self.indices) else { return (Survey::default(), Ok(())) };
        let mut pages = SoundPages::new(pages, Arc::clone(&self.sound));
        let Ok(survey) = Survey::new(&mut pages);
        (survey, pages.take_damage().map_or(Ok(()), Err))
    }

    /// The records in the order of time. `None` when the file has no buffer.
    pub fn records<'a>(&'a mut self, contents: &'a TraceContents) -> Option<TraceRecords<'a>> {
        let pages = self.recording.pages_of(&self.indices)?;
        let options = Cow::Borrowed(&contents.metadata.options);
        let Ok(merge) = Merge::new(SoundPages::new(pages, Arc::clone(&self.sound)));
        Some(TraceRecords { merge, options })
    }

    /// How many streams of records it has: one for each CPU of each buffer.
    pub fn streams(&self) -> usize {
        self.cpus().count()
    }

    /// The CPU that a stream is of.
    pub fn cpu(&self, stream: usize) -> Option<u32> {
        self.cpus().nth(stream)
    }

    fn cpus(&self) -> impl Iterator<Item = u32> {
        let buffers = self.indices.iter().filter_map(|index| self.recording.buffers().get(*index));
        buffers.flat_map(|buffer| buffer.cpus.iter().map(|data| data.cpu))
    }

    /// The records of one stream in the order of time. `None` when the file has no buffer.
    pub fn records_of<'a>(
        &'a mut self,
        stream: usize,
        contents: &'a TraceContents,
    ) -> Option<TraceRecords<'a>> {
        let pages = self.recording.pages_of(&self.indices)?;
        let options = Cow::Borrowed(&contents.metadata.options);
        let Ok(merge) = Merge::of_stream(SoundPages::new(pages, Arc::clone(&self.sound)), stream);
        Some(TraceRecords { merge, options })
    }

    /// The records in the order of time, for one who keeps them. `None` when the file has no buffer.
    pub fn into_records(self, contents: &TraceContents) -> Option<TraceRecords<'static>> {
        let pages = self.recording.into_pages_of(&self.indices)?;
        let options = Cow::Owned(contents.metadata.options.clone());
        let Ok(merge) = Merge::new(SoundPages::new(pages, self.sound));
        Some(TraceRecords { merge, options })
    }
}

/// The records of a buffer, with times of the trace's clock. After the last that can be read comes an error
/// that says what is damaged, if anything is.
#[derive(Debug)]
pub struct TraceRecords<'a> {
    merge: Merge<SoundPages<'a, File>>,
    options: Cow<'a, dat::Options>,
}

impl Records for TraceRecords<'_> {
    type Error = dat::Error;

    #[inline]
    fn next(&mut self) -> Result<Option<Record<'_>>, dat::Error> {
        let Ok(has_record) = self.merge.advance();
        if !has_record {
            return self.merge.source().take_damage().map_or(Ok(None), Err);
        }
        let time = |record: Record<'_>| self.options.time(record.time);
        Ok(self.merge.current().map(|record| Record { time: time(record), ..record }))
    }
}

fn choose_buffers(name: Option<&str>, buffers: &[RecordedBuffer]) -> Result<Vec<usize>, Error> {
    let Some(name) = name else {
        let has_events = |buffer: &RecordedBuffer| buffer.cpus.iter().any(|data| data.size > 0);
        let clock = buffers.iter().find(|buffer| has_events(buffer)).map(|buffer| &buffer.clock);
        let is_shown = |buffer: &RecordedBuffer| has_events(buffer) && Some(&buffer.clock) == clock;
        let shown: Vec<usize> = buffers
            .iter()
            .enumerate()
            .filter(|(_, buffer)| is_shown(buffer))
            .map(|(index, _)| index)
            .collect();
        return Ok(if shown.is_empty() { vec![0] } else { shown });
    };
    let found = buffers.iter().position(|buffer| buffer.name == name).ok_or_else(|| {
        let known = buffers.iter().map(|buffer| buffer.name.clone()).collect();
        Error::UnknownBuffer { name: name.to_owned(), known }
    });
    Ok(vec![found?])
}

/// The events that a file describes. A file of lookback's describes only those that have happened: one may
/// ask for the others, too.
fn known_events(metadata: &Metadata) -> Result<EventTable, FormatError> {
    let mut known = metadata.events(Dialect::Kernel)?;
    let version = metadata.options.version.as_deref();
    if !version.is_some_and(|version| version.starts_with("lookback ")) {
        return Ok(known);
    }
    let names = known.iter().map(|event| (event.format().system.clone(), event.format().name.clone()));
    let names: HashSet<(String, String)> = names.collect();
    for event in events::selectable() {
        let name = (event.system.to_string(), event.name.to_string());
        if known.get(event.id).is_none() && !names.contains(&name) {
            let text = events::format_file(event.name, event.id, event.own_format()).to_string();
            known.insert(Event::new(Format::parse(event.system, &text)?, Dialect::Kernel));
        }
    }
    Ok(known)
}
