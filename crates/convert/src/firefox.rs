//! Profiles of the Firefox Profiler: markers for slices and instants, and samples for the call tree.
//!
//! The format has a table of each thread's markers, column by column, so that all is written in the end. It
//! is that of version 55, as the crate fxprof-processed-profile 0.8 writes it; later profilers read it, too.

mod categories;
mod column;
mod thread;

use crate::arguments::{ArgumentValue, NumberTexts, SliceArguments};
use crate::chrome::lost_text;
use crate::drawing::{Drawing, Instant, SliceEnd, SliceName, SliceStart, Track};
use crate::function_labels::FunctionLabels;
use categories::{FAILED, MarkerCategories, MarkerSchemas, OTHER};
use column::quoted;
use export::Error;
use query::ProcessTree;
use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;
use thread::{ProfileMarker, ProfileThread, ThreadLabels};
use trace_data::info::TraceInfo;
use trace_data::page::Missed;

/// The version of the format.
const VERSION: u32 = 55;

/// Writes a profile in the end. Takes memory for each slice.
#[derive(Debug)]
pub struct FirefoxProfile<W> {
    out: W,
    /// By the numbers of their tracks; lost events are of track 0.
    threads: BTreeMap<u64, ProfileThread>,
    categories: MarkerCategories,
    schemas: MarkerSchemas,
    texts: NumberTexts,
    functions: FunctionLabels,
    /// The time that all others count from.
    base: Option<u64>,
}

impl<W: Write> FirefoxProfile<W> {
    /// Writes to `out` in the end.
    pub fn new(out: W) -> FirefoxProfile<W> {
        FirefoxProfile {
            out,
            threads: BTreeMap::new(),
            categories: MarkerCategories::default(),
            schemas: MarkerSchemas::default(),
            texts: NumberTexts::default(),
            functions: FunctionLabels::default(),
            base: None,
        }
    }

    fn thread(&mut self, track: Track, time: u64) -> &mut ProfileThread {
        let base = *self.base.get_or_insert(time);
        self.threads.entry(track.number).or_insert_with(|| ProfileThread::new(track.tid, time, base))
    }

    /// What an event says, as members of a JSON object, each after a comma. And whether a call has failed.
    fn members(
        &mut self,
        name: &SliceName,
        arguments: Option<SliceArguments<'_>>,
        trace: &TraceInfo<'_>,
    ) -> (String, bool) {
        let (mut members, mut has_failed) = (String::new(), false);
        let Some(arguments) = arguments else { return (members, false) };
        let (_, keys) = self.schemas.of(name);
        let texts = &mut self.texts;
        arguments.each(|argument, value| {
            let key = &argument.name;
            let text = match value {
                ArgumentValue::Signed(value) => value.to_string(),
                ArgumentValue::Unsigned(value) => value.to_string(),
                ArgumentValue::Hex(value) => format!("{value:#x}"),
                ArgumentValue::Text(value) => value.into_owned(),
                ArgumentValue::Named(value) => texts.of(value, trace).to_string(),
            };
            has_failed |= &**key == "error";
            // What a marker's data has itself.
            let key = match &**key {
                "type" | "cause" => format!("{key}_").into(),
                _ => Rc::clone(key),
            };
            members.push_str(&format!(",{}:{}", quoted(&key), quoted(&text)));
            keys.insert(key);
        });
        (members, has_failed)
    }

    fn data(&mut self, name: &SliceName, members: &str) -> String {
        format!("{{\"type\":{}{members}}}", self.schemas.of(name).0)
    }

    /// The functions and slices that a slice is in, and it.
    fn stack(&mut self, slice: &SliceEnd<'_>, category: usize, trace: &TraceInfo<'_>) -> usize {
        let mut stack = None;
        let FirefoxProfile { threads, functions, categories, .. } = self;
        let thread = threads.entry(slice.track.number);
        let thread = thread.or_insert_with(|| ProfileThread::new(slice.track.tid, slice.start, slice.start));
        match slice.stack {
            Some(addresses) => {
                for address in addresses.iter().rev() {
                    let name = functions.of(*address, trace.symbols);
                    stack = Some(thread.stack(stack, name, OTHER));
                }
            }
            None => {
                for name in slice.within {
                    stack = Some(thread.stack(stack, &name.name, categories.of(&name.category)));
                }
            }
        }
        thread.stack(stack, &slice.name.name, category)
    }

    fn write_threads(&mut self, trace: &TraceInfo<'_>) -> std::io::Result<()> {
        let base = self.base.unwrap_or_default();
        let name = |tid| trace.tasks.comm(tid).unwrap_or("?");
        for (index, (number, thread)) in self.threads.iter_mut().enumerate() {
            let pid = trace.tasks.tgid(thread.tid).unwrap_or(thread.tid);
            let labels = match number {
                0 => ThreadLabels { name: LOST, pid: LOST.to_owned(), process: LOST, is_main: true },
                _ => ThreadLabels {
                    name: name(thread.tid),
                    pid: pid.to_string(),
                    process: name(pid),
                    is_main: pid == thread.tid,
                },
            };
            if index > 0 {
                self.out.write_all(b",\n")?;
            }
            thread.write(&labels, base, &mut self.out)?;
        }
        Ok(())
    }
}

/// What the thread of lost events is called.
const LOST: &str = "Lost events";

impl<W: Write> Drawing for FirefoxProfile<W> {
    fn begin(&mut self, slice: &SliceStart<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let (members, _) = self.members(slice.name, slice.arguments, trace);
        self.thread(slice.track, slice.time).open.push(members);
        Ok(())
    }

    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let mut members = self.thread(slice.track, slice.start).open.pop().unwrap_or_default();
        let (own, has_failed) = self.members(slice.name, slice.arguments, trace);
        members.push_str(&own);
        if let Some(ending) = slice.ending.describe() {
            self.schemas.of(slice.name).1.insert("ending".into());
            members.push_str(&format!(",\"ending\":{}", quoted(ending)));
        }
        let system = self.categories.of(&slice.name.category);
        let category = if has_failed { FAILED } else { system };
        let stack = self.stack(slice, system, trace);
        let data = self.data(slice.name, &members);
        let base = self.base.unwrap_or_default();
        let thread = self.thread(slice.track, slice.start);
        thread.sample(Some(stack), slice.time, slice.own, base);
        let (start, end) = (slice.start, Some(slice.time));
        thread.mark(ProfileMarker { name: &slice.name.name, category, start, end, data }, base);
        Ok(())
    }

    fn instant(&mut self, instant: &Instant<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let Instant { track, time, name, arguments, .. } = *instant;
        let (members, has_failed) = self.members(name, arguments, trace);
        let category = if has_failed { FAILED } else { self.categories.of(&name.category) };
        let data = self.data(name, &members);
        let marker = ProfileMarker { name: &name.name, category, start: time, end: None, data };
        let base = self.base.unwrap_or_default();
        self.thread(track, time).mark(marker, base);
        Ok(())
    }

    fn lost(&mut self, cpu: u32, time: u64, count: Missed, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        let name = lost_text(cpu, count).into();
        let data = "{\"type\":\"lost\"}".to_owned();
        let base = *self.base.get_or_insert(time);
        let marker = ProfileMarker { name: &name, category: FAILED, start: time, end: None, data };
        self.thread(Track { number: 0, tid: 0 }, time).mark(marker, base);
        Ok(())
    }

    fn finish(&mut self, _processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let base = self.base.unwrap_or_default();
        let real = trace.real_time(base).unwrap_or_default();
        write!(
            self.out,
            "{{\"meta\":{{\"version\":24,\"preprocessedProfileVersion\":{VERSION},\"product\":\"lookback\",\
             \"processType\":0,\"interval\":1,\"startTime\":{}.{:06},\
             \"startTimeAsClockMonotonicNanosecondsSinceBoot\":{base},\"debug\":false,\"symbolicated\":true,\
             \"pausedRanges\":[],\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\
             \"extensions\":{{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]}},\
             \"sampleUnits\":{{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}},\
             \"categories\":[{}],\"markerSchema\":[{}]}},\n\
             \"libs\":[],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\"threads\":[\n",
            real / 1_000_000,
            real % 1_000_000,
            self.categories.json(),
            self.schemas.json(),
        )?;
        self.write_threads(trace)?;
        self.out.write_all(b"\n]}\n")?;
        Ok(self.out.flush()?)
    }
}
