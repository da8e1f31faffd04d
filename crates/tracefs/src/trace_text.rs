//! The text of events that were copied, with a header: what `trace` and `snapshot` have.

use crate::trace_array::TraceArray;
use reading::{Batch, LongestTrace, Scheduling, SessionRecords, layout};
use rustix::io::Errno;
use session::LongestSection;
use std::sync::Arc;
use trace_data::event::EventTable;
use trace_data::text::{Header, Layout, Longest, Seen, TextWriter};

/// Up to `len` bytes from `offset` on of the text that a reader has, which is made when it is read from its
/// start, or from before what is left of it.
pub(crate) fn read(
    kept: &mut Option<TraceText>,
    offset: u64,
    len: usize,
    make: impl FnOnce() -> Result<TraceText, Errno>,
) -> Result<Vec<u8>, Errno> {
    let known = kept.take().filter(|text| offset > 0 && offset >= text.start);
    let mut text = known.map_or_else(make, Ok)?;
    let part = text.read(offset, len);
    *kept = Some(text);
    Ok(part)
}

/// The text, made piece by piece as it is read.
pub(crate) struct TraceText {
    records: Option<SessionRecords>,
    /// Those of the next piece.
    ahead: Batch,
    /// What is put above the first piece.
    header: Option<(u64, u64, u64)>,
    /// What a latency tracer has measured, and the name of whose that was.
    longest: Option<(Longest<'static>, String)>,
    events: Arc<EventTable>,
    layout: Layout,
    /// The name of the tracer, for the header.
    tracer: &'static str,
    seen: Seen,
    /// Where the piece starts in the text.
    start: u64,
    piece: Vec<u8>,
}

/// Events of a piece: some 64 KB of text.
const EVENTS: usize = 512;

impl TraceText {
    /// That of events that were copied, with a header above it.
    pub(crate) fn new(array: &TraceArray, records: SessionRecords) -> TraceText {
        let (entries, overrun) = (records.entries, records.overrun);
        let mut text = TraceText::fixed(array, String::new());
        text.layout.annotate &= overrun > 0;
        text.header =
            Some((entries, entries + overrun, u64::from(array.instance().buffer().geometry().cpus)));
        text.records = Some(records);
        text.ahead = text.batch();
        text
    }

    /// That of the longest section which a latency tracer has kept.
    pub(crate) fn of_longest(array: &TraceArray, longest: LongestTrace) -> TraceText {
        let LongestTrace { found, places: [started_at, ended_at], records } = longest;
        let LongestSection { origin, section, .. } = found;
        let Scheduling { uid, nice, policy, rt_priority } = Scheduling::of(origin.tid);
        let longest = Longest {
            nanoseconds: section.nanoseconds,
            cpu: section.cpu.into(),
            comm: "",
            tid: origin.tid,
            uid,
            nice,
            policy,
            rt_priority,
            started_at,
            ended_at,
        };
        let comm = String::from_utf8_lossy(origin.name()).into_owned();
        let latency_start = array.reader().time(section.start);
        let mut text = TraceText::new(array, records);
        text.longest = Some((longest, comm));
        text.layout.latency_start = latency_start;
        text
    }

    /// One that says something else.
    pub(crate) fn fixed(array: &TraceArray, text: String) -> TraceText {
        TraceText {
            records: None,
            ahead: Batch::default(),
            header: None,
            longest: None,
            events: array.formats(),
            layout: layout(array.instance()),
            tracer: array.instance().tracer().name,
            seen: Seen::default(),
            start: 0,
            piece: text.into_bytes(),
        }
    }

    /// Whether it has no events.
    pub(crate) fn is_empty(&self) -> bool {
        self.ahead.records.is_empty()
    }

    /// The next events. To read from memory does not fail.
    fn batch(&mut self) -> Batch {
        self.records.as_mut().and_then(|records| records.batch(EVENTS).ok()).unwrap_or_default()
    }

    /// Up to `len` bytes from `offset` on, which is not before the piece.
    fn read(&mut self, offset: u64, len: usize) -> Vec<u8> {
        loop {
            let skipped = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
            if let Some(rest) = self.piece.get(skipped..).filter(|rest| !rest.is_empty()) {
                return rest.get(..len).unwrap_or(rest).to_vec();
            }
            self.start += self.piece.len() as u64;
            self.piece = self.next_piece();
            // Records may wait for those of the next piece.
            while self.piece.is_empty() && !self.is_empty() {
                self.piece = self.next_piece();
            }
            if self.piece.is_empty() {
                return Vec::new();
            }
        }
    }

    /// The next piece; nothing at the end.
    fn next_piece(&mut self) -> Vec<u8> {
        let ahead = self.batch();
        let Batch { records, symbols, threads } = std::mem::replace(&mut self.ahead, ahead);
        let mut writer = TextWriter::new(Vec::new(), &self.events, &*threads, &*symbols, self.layout);
        writer.seen = std::mem::take(&mut self.seen);
        // Writing to memory does not fail.
        if let Some((entries, written, cpus)) = self.header.take() {
            let tracer = self.tracer;
            let release = rustix::system::uname().release().to_string_lossy().into_owned();
            let longest = self.longest.as_ref().map(|(longest, comm)| Longest { comm, ..*longest });
            let release = release.as_str();
            let header = Header { tracer, entries, written, cpus, notes: &[], release, longest };
            let _ = writer.header(&header);
        }
        let times = records.iter().chain(&self.ahead.records).map(|record| Some(record.time));
        for (record, next) in records.iter().zip(times.skip(1).chain([None])) {
            let _ = writer.event(&record.borrowed(), next);
        }
        if self.ahead.records.is_empty() {
            let _ = writer.settle();
        }
        self.seen = std::mem::take(&mut writer.seen);
        writer.finish().unwrap_or_default()
    }
}
