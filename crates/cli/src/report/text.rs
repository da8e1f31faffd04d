//! Events as lines of text.

use super::survey::Survey;
use super::{Recorded, View};
use crate::arguments::Report;
use std::io::{self, Write};
use trace_data::record::Record;
use trace_data::text::{Layout, TextWriter};

/// The kernel's text.
pub(super) struct Text<'a, W> {
    writer: TextWriter<'a, W>,
    recorded: &'a Recorded<'a>,
    wall_clock: bool,
}

impl<'a, W: Write> Text<'a, W> {
    /// With the header written.
    pub(super) fn new(
        out: W,
        recorded: &'a Recorded<'a>,
        survey: &Survey,
        arguments: &Report,
    ) -> io::Result<Text<'a, W>> {
        let wall_clock = arguments.wall_clock;
        let nanoseconds = recorded.nanoseconds;
        let layout = Layout {
            nanoseconds,
            date: wall_clock,
            tgid: arguments.show_tgid,
            escape: true,
            ..Layout::default()
        };
        let mut writer = TextWriter::new(out, recorded.events, recorded.threads, recorded.symbols, layout);
        writer.header(&survey.header())?;
        Ok(Text { writer, recorded, wall_clock })
    }
}

impl<W: Write> View for Text<'_, W> {
    fn event(&mut self, record: &Record<'_>) -> io::Result<()> {
        if !self.wall_clock {
            return self.writer.event(record);
        }
        let time = self.recorded.real_time(record.time).unwrap_or_default();
        self.writer.event(&Record { time, ..*record })
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
