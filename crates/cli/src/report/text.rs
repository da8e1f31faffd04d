//! Events as lines of text.

use crate::arguments::ViewArguments;
use export::{Error, Sink};
use query::Survey;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::{Header, Layout, NOP, TextWriter};

/// The kernel's text.
pub(super) struct TextLines<'a, W> {
    writer: TextWriter<'a, W>,
    wall_clock: bool,
}

impl<'a, W: Write> TextLines<'a, W> {
    /// With the header written.
    pub(super) fn new(
        out: W,
        trace: &TraceInfo<'a>,
        survey: &Survey,
        notes: &[String],
        arguments: &ViewArguments,
    ) -> io::Result<TextLines<'a, W>> {
        let wall_clock = arguments.wall_clock;
        let layout = Layout {
            nanoseconds: trace.nanoseconds,
            date: wall_clock,
            tgid: arguments.show_tgid,
            escape: true,
            ..Layout::default()
        };
        let mut writer = TextWriter::new(out, trace.events, trace.tasks, trace.symbols, layout);
        writer.header(&Header {
            tracer: NOP,
            entries: survey.entries,
            written: survey.entries + survey.lost,
            cpus: survey.cpus,
            notes,
            release: "",
        })?;
        Ok(TextLines { writer, wall_clock })
    }
}

impl<W: Write> Sink for TextLines<'_, W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let time = match self.wall_clock {
            true => trace.real_time(record.time).unwrap_or_default(),
            false => record.time,
        };
        Ok(self.writer.event(&Record { time, ..*record }, None)?)
    }

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(self.writer.flush()?)
    }
}
