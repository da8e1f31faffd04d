//! Profiles of pprof: the stacks of folded ones, each with a count, a time and bytes.

mod message;

use crate::drawing::{Drawing, SliceEnd};
use crate::function_labels::FunctionLabels;
use crate::moved_bytes::moved_bytes;
use export::Error;
use flate2::Compression;
use flate2::write::GzEncoder;
use foldhash::HashMap;
use message::*;
use prost::Message;
use query::ProcessTree;
use std::io::Write;
use std::rc::Rc;
use trace_data::info::TraceInfo;
use trace_data::page::Missed;
use trace_data::text::printable;

/// What is summed up of each stack, and the units.
const SAMPLE_TYPES: [(&str, &str); 3] = [("calls", "count"), ("time", "nanoseconds"), ("bytes", "bytes")];

/// Sums up what was spent in each stack, and writes a profile of it, compressed by gzip. Takes memory for
/// each stack that differs.
#[derive(Debug)]
pub struct PprofProfile<W> {
    out: W,
    names: PprofNames,
    /// By stack, innermost function first: calls, nanoseconds in them and in none within, bytes.
    sums: HashMap<Box<[u64]>, [i64; 3]>,
    stack: Vec<u64>,
    functions: FunctionLabels,
    /// The first time and the last.
    times: Option<(u64, u64)>,
    lost: u64,
}

impl<W: Write> PprofProfile<W> {
    /// Writes to `out` in the end.
    pub fn new(out: W) -> PprofProfile<W> {
        PprofProfile {
            out,
            names: PprofNames::default(),
            sums: HashMap::default(),
            stack: Vec::new(),
            functions: FunctionLabels::default(),
            times: None,
            lost: 0,
        }
    }

    fn profile(&mut self, trace: &TraceInfo<'_>) -> Profile {
        let mut strings = StringTable::default();
        let sample_type = SAMPLE_TYPES
            .map(|(kind, unit)| PprofValueType { kind: strings.add(kind), unit: strings.add(unit) });
        let functions = (1..).zip(&self.names.all).map(|(id, name)| {
            let name = strings.add(name);
            PprofFunction { id, name, system_name: name }
        });
        let function: Vec<PprofFunction> = functions.collect();
        // Without addresses each function is at one location, which has its number.
        let location = |function: &PprofFunction| Location {
            id: function.id,
            line: vec![PprofLine { function_id: function.id }],
        };
        let mut sums: Vec<(Box<[u64]>, [i64; 3])> = self.sums.drain().collect();
        sums.sort_unstable();
        let sample =
            sums.into_iter().map(|(stack, sums)| Sample { location_id: stack.into(), value: sums.into() });
        let lost = (self.lost > 0).then(|| strings.add(&format!("{} events were lost", self.lost)));
        let (first, last) = self.times.unwrap_or_default();
        Profile {
            sample_type: sample_type.into(),
            sample: sample.collect(),
            location: function.iter().map(location).collect(),
            function,
            time_nanos: trace.real_time(first).map_or(0, |time| time as i64),
            duration_nanos: (last - first) as i64,
            comment: lost.into_iter().collect(),
            default_sample_type: strings.add("time"),
            string_table: strings.all,
        }
    }
}

impl<W: Write> Drawing for PprofProfile<W> {
    fn end(&mut self, slice: &SliceEnd<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let (first, last) = self.times.unwrap_or((slice.start, slice.time));
        self.times = Some((first.min(slice.start), last.max(slice.time)));
        self.stack.clear();
        self.stack.push(self.names.of(&slice.name.name));
        match slice.stack {
            Some(stack) => {
                for address in stack {
                    self.stack.push(self.names.of(self.functions.of(*address, trace.symbols)));
                }
            }
            None => {
                let names = slice.within.iter().rev();
                names.for_each(|name| self.stack.push(self.names.of(&name.name)));
            }
        }
        // A program may be called as a call is, and pprof adds up what has one name.
        let thread = format!("[{}]", trace.tasks.comm(slice.track.tid).unwrap_or("?"));
        self.stack.push(self.names.of(&thread));
        let values = [1, slice.own as i64, moved_bytes(slice) as i64];
        match self.sums.get_mut(self.stack.as_slice()) {
            Some(sums) => {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.saturating_add(value))
            }
            None => drop(self.sums.insert(self.stack.as_slice().into(), values)),
        }
        Ok(())
    }

    fn lost(&mut self, _cpu: u32, _time: u64, count: Missed, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.lost = self.lost.saturating_add(count.count());
        Ok(())
    }

    fn finish(&mut self, _processes: &ProcessTree, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let bytes = self.profile(trace).encode_to_vec();
        let mut out = GzEncoder::new(&mut self.out, Compression::default());
        out.write_all(&bytes)?;
        out.finish()?;
        Ok(self.out.flush()?)
    }
}

/// The names of functions, each with a number that counts from 1.
#[derive(Debug, Default)]
struct PprofNames {
    numbers: HashMap<Rc<str>, u64>,
    all: Vec<String>,
}

impl PprofNames {
    fn of(&mut self, name: &str) -> u64 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.all.push(printable(name).into_owned());
        let number = self.all.len() as u64;
        self.numbers.insert(name.into(), number);
        number
    }
}

/// The strings of a profile, by their places. The first one is empty.
#[derive(Debug)]
struct StringTable {
    all: Vec<String>,
    places: HashMap<String, i64>,
}

impl Default for StringTable {
    fn default() -> StringTable {
        StringTable { all: vec![String::new()], places: HashMap::from_iter([(String::new(), 0)]) }
    }
}

impl StringTable {
    fn add(&mut self, text: &str) -> i64 {
        if let Some(place) = self.places.get(text) {
            return *place;
        }
        let place = self.all.len() as i64;
        self.all.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}
