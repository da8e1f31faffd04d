//! Trace events of Chrome in JSON.

use crate::arguments::{ArgumentValue, NumberTexts, SliceArguments};
use crate::drawing::{Drawing, Instant, SliceEnd, SliceName, SliceStart, Track};
use export::Error;
use export::json::{push_quoted, quote};
use foldhash::HashSet;
use query::ProcessTree;
use std::io::Write;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;

/// Writes an array of trace events, one on a line. Times are microseconds.
#[derive(Debug)]
pub struct ChromeTrace<W> {
    out: W,
    has_events: bool,
    /// Tracks that have a name.
    named: HashSet<Track>,
    texts: NumberTexts,
}

impl<W: Write> ChromeTrace<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> ChromeTrace<W> {
        ChromeTrace { out, has_events: false, named: HashSet::default(), texts: NumberTexts::default() }
    }

    fn separate(&mut self) -> Result<(), Error> {
        let before =
            if std::mem::replace(&mut self.has_events, true) { ",\n" } else { "{\"traceEvents\":[\n" };
        Ok(self.out.write_all(before.as_bytes())?)
    }

    /// What every event has.
    fn start(&mut self, phase: char, track: Track, time: u64, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let pid = trace.tasks.tgid(track.tid).unwrap_or(track.tid);
        if self.named.insert(track) {
            for (what, tid) in [("process_name", pid), ("thread_name", track.tid)] {
                self.separate()?;
                write!(
                    self.out,
                    "{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{},\"name\":\"{what}\",\"args\":{{\"name\":",
                    track.tid
                )?;
                self.quote(trace.tasks.comm(tid).unwrap_or("?"))?;
                self.out.write_all(b"}}")?;
            }
        }
        self.separate()?;
        let (whole, rest) = (time / 1000, time % 1000);
        let tid = track.tid;
        Ok(write!(self.out, "{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{whole}.{rest:03}")?)
    }

    fn quote(&mut self, text: &str) -> Result<(), Error> {
        let out = &mut self.out;
        Ok(quote(text, |part| out.write_all(part.as_bytes()))?)
    }

    fn name(&mut self, name: &SliceName) -> Result<(), Error> {
        self.out.write_all(b",\"name\":")?;
        self.quote(&name.name)?;
        self.out.write_all(b",\"cat\":")?;
        self.quote(&name.category)
    }

    /// The arguments, and how a slice has ended if that is unusual; and the end of the event.
    fn finish_event(
        &mut self,
        arguments: Option<SliceArguments<'_>>,
        ending: Option<&str>,
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        let (mut text, texts) = (String::new(), &mut self.texts);
        let mut put = |name: &str, value: &ArgumentValue<'_>| {
            text.push(if text.is_empty() { '{' } else { ',' });
            push_quoted(name, &mut text);
            text.push(':');
            match value {
                ArgumentValue::Signed(value) => text.push_str(&value.to_string()),
                ArgumentValue::Unsigned(value) => text.push_str(&value.to_string()),
                ArgumentValue::Hex(value) => text.push_str(&format!("\"{value:#x}\"")),
                ArgumentValue::Text(value) => push_quoted(value, &mut text),
                ArgumentValue::Named(value) => push_quoted(&texts.of(*value, trace), &mut text),
            }
        };
        if let Some(arguments) = arguments {
            arguments.each(|argument, value| put(&argument.name, &value));
        }
        if let Some(ending) = ending {
            put("ending", &ArgumentValue::Text(ending.into()));
        }
        match text.is_empty() {
            true => self.out.write_all(b"}")?,
            false => write!(self.out, ",\"args\":{text}}}}}")?,
        }
        Ok(())
    }
}

impl<W: Write> Drawing for ChromeTrace<W> {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.start('B', slice.track, slice.time, trace)?;
        self.name(slice.name)?;
        self.finish_event(slice.arguments, None, trace)
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.start('E', slice.track, slice.time, trace)?;
        // speedscope ends nothing without it.
        self.out.write_all(b",\"name\":")?;
        self.quote(&slice.name.name)?;
        self.finish_event(slice.arguments, slice.ending.describe(), trace)
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.start('i', instant.track, instant.time, trace)?;
        self.name(instant.name)?;
        self.out.write_all(b",\"s\":\"t\"")?;
        self.finish_event(instant.arguments, None, trace)
    }

    fn lost(&mut self, cpu: u32, time: u64, count: Missed, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.separate()?;
        let (whole, rest) = (time / 1000, time % 1000);
        write!(
            self.out,
            "{{\"ph\":\"i\",\"pid\":0,\"tid\":0,\"ts\":{whole}.{rest:03},\"s\":\"g\",\"name\":"
        )?;
        self.quote(&lost_text(cpu, count))?;
        Ok(self.out.write_all(b",\"cat\":\"lost\"}")?)
    }

    fn finish(&mut self, _processes: &ProcessTree, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let end: &[u8] = if self.has_events { b"\n]" } else { b"{\"traceEvents\":[]" };
        self.out.write_all(end)?;
        self.out.write_all(b",\"displayTimeUnit\":\"ns\"}\n")?;
        Ok(self.out.flush()?)
    }
}

/// How a loss is marked.
pub(crate) fn lost_text(cpu: u32, count: Missed) -> String {
    match count {
        Missed::Count(count) => format!("{count} events of CPU {cpu} lost"),
        _ => format!("events of CPU {cpu} lost"),
    }
}
