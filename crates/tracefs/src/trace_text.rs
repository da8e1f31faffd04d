//! The text of events that were copied, with a header: what `trace` and `snapshot` have.

use crate::text::{self, Names};
use crate::tree::Tree;
use recording::Copied;
use rustix::io::Errno;
use std::convert::Infallible;
use std::sync::Arc;
use trace_data::event::EventTable;
use trace_data::merge::{Merge, Pages};
use trace_data::record::{OwnedRecord, Records};
use trace_data::symbols::SymbolTable;
use trace_data::text::{Header, Layout, Seen, TextWriter};

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
    merge: Merge<KeptPages>,
    /// What is put above the first piece.
    header: Option<(u64, u64, u64)>,
    events: Arc<EventTable>,
    names: Names,
    symbols: SymbolTable,
    layout: Layout,
    /// The name of the tracer, for the header.
    tracer: &'static str,
    /// The next event to be printed, where its line tells when the one behind it is.
    pending: Option<OwnedRecord>,
    seen: Seen,
    /// Where the piece starts in the text.
    start: u64,
    piece: Vec<u8>,
}

/// Events of a piece: some 64 KB of text.
const EVENTS: usize = 512;

impl TraceText {
    /// That of events that were copied, with a header above it.
    pub(crate) fn new(tree: &Tree, copied: Copied) -> TraceText {
        let Copied { cpus, symbols, entries, overrun } = copied;
        let mut layout = text::layout(tree.session());
        layout.annotate &= overrun > 0;
        let Ok(merge) =
            Merge::new(KeptPages(cpus.into_iter().map(|(cpu, pages)| (cpu, pages.into_iter())).collect()));
        TraceText {
            merge,
            header: Some((entries, entries + overrun, u64::from(tree.session().buffer().geometry().cpus))),
            events: tree.formats(),
            names: Names::of(tree),
            symbols,
            layout,
            tracer: tree.session().tracer().name,
            pending: None,
            seen: Seen::default(),
            start: 0,
            piece: Vec::new(),
        }
    }

    /// One that says something else.
    pub(crate) fn fixed(tree: &Tree, text: String) -> TraceText {
        let nothing = Copied { cpus: Vec::new(), symbols: SymbolTable::default(), entries: 0, overrun: 0 };
        TraceText { header: None, piece: text.into_bytes(), ..TraceText::new(tree, nothing) }
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
            if self.piece.is_empty() {
                return Vec::new();
            }
        }
    }

    /// The next piece; nothing at the end.
    fn next_piece(&mut self) -> Vec<u8> {
        let seen = std::mem::take(&mut self.seen);
        let writer = TextWriter::new(Vec::new(), &self.events, &self.names, &self.symbols, self.layout);
        let mut writer = writer.with_seen(seen);
        // Writing to memory does not fail.
        if let Some((entries, written, cpus)) = self.header.take() {
            let tracer = self.tracer;
            let release = rustix::system::uname().release().to_string_lossy().into_owned();
            let _ = writer.header(&Header { tracer, entries, written, cpus, release: &release });
        }
        for _ in 0..EVENTS {
            let Ok(next) = self.merge.next();
            if !self.layout.latency {
                let Some(record) = next else { break };
                let _ = writer.event(&record);
                continue;
            }
            let (time, next) = (next.map(|next| next.time), next.map(|next| next.to_owned()));
            match std::mem::replace(&mut self.pending, next) {
                Some(pending) => drop(writer.event_before(&pending.borrowed(), time)),
                None if time.is_none() => break,
                None => {}
            }
        }
        self.seen = writer.seen().clone();
        writer.finish().unwrap_or_default()
    }
}

/// Pages in memory.
struct KeptPages(Vec<(u32, std::vec::IntoIter<Vec<u8>>)>);

impl Pages for KeptPages {
    type Error = Infallible;

    fn streams(&self) -> usize {
        self.0.len()
    }

    fn cpu(&self, stream: usize) -> u32 {
        self.0.get(stream).map_or(0, |(cpu, _)| *cpu)
    }

    fn next_page(&mut self, stream: usize, page: &mut Vec<u8>) -> Result<bool, Infallible> {
        let next = self.0.get_mut(stream).and_then(|(_, pages)| pages.next());
        Ok(next.map(|next| *page = next).is_some())
    }
}
