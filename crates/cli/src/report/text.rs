//! Events as lines of text.

use super::playing::Surveyed;
use super::times::{LineTimes, Times};
use crate::arguments::ViewArguments;
use export::{Error, Sink};
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::{FUNCTION, FUNCTION_GRAPH, GraphColumns, Header, Layout, NOP, TextWriter};

/// The kernel's text.
pub(super) struct TextLines<'a, W> {
    writer: TextWriter<'a, W>,
    times: LineTimes,
}

impl<'a, W: Write> TextLines<'a, W> {
    /// With the header written, in the form of the tracer that has recorded the `chosen` events.
    pub(super) fn new(
        out: W,
        surveyed: &Surveyed<'a, '_>,
        notes: &[String],
        arguments: &ViewArguments,
    ) -> io::Result<TextLines<'a, W>> {
        let Surveyed { trace, survey, chosen, .. } = *surveyed;
        let tracer = tracer(trace, chosen);
        let times = Times::of(arguments.times, surveyed.first_time());
        let has_times = !matches!(times, Times::Clock);
        let columns = GraphColumns { cpus: survey.cpus, time: has_times, ..GraphColumns::default() };
        let layout = Layout {
            graph: (tracer == FUNCTION_GRAPH).then_some(columns),
            nanoseconds: trace.nanoseconds,
            date: matches!(times, Times::Date),
            tgid: arguments.show_tgid,
            escape: true,
            ..Layout::default()
        };
        let mut writer = TextWriter::new(out, trace.events, trace.tasks, trace.symbols, layout);
        writer.header(&Header {
            tracer,
            entries: survey.entries,
            written: survey.entries + survey.lost,
            cpus: survey.cpus,
            notes,
            release: "",
            longest: None,
        })?;
        Ok(TextLines { writer, times: LineTimes::new(times) })
    }
}

impl<W: Write> Sink for TextLines<'_, W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let time = self.times.shown(record.time, trace);
        Ok(self.writer.event(&Record { time, ..*record }, None)?)
    }

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.writer.settle()?;
        Ok(self.writer.flush()?)
    }
}

/// The tracer that has recorded what is chosen.
fn tracer(trace: &TraceInfo<'_>, chosen: &[u16]) -> &'static str {
    let formats = chosen.iter().filter_map(|id| Some(trace.events.get(*id)?.format()));
    let own = formats.filter(|format| format.system == "ftrace");
    let names: Vec<&str> = own.map(|format| format.name.as_str()).collect();
    let has = |name: &str| names.contains(&name);
    let calls = ["funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit"];
    match calls.into_iter().any(has) {
        true => FUNCTION_GRAPH,
        false if has("function") => FUNCTION,
        false => NOP,
    }
}
