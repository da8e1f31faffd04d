//! A thread of a profile: its samples and its markers.

use super::column::{JsonColumn, milliseconds, quoted, repeated};
use foldhash::HashMap;
use std::io::{self, Write};
use std::rc::Rc;

/// A thread: the tables of a profile have one of each for every thread.
#[derive(Debug)]
pub(super) struct ProfileThread {
    pub(super) tid: i32,
    pub(super) first: u64,
    pub(super) last: u64,
    strings: HashMap<Rc<str>, usize>,
    string_array: JsonColumn,
    /// By string: each function has one frame.
    functions: HashMap<usize, usize>,
    function_names: JsonColumn,
    frame_categories: JsonColumn,
    /// By what it is in, and its frame.
    stacks: HashMap<(Option<usize>, usize), usize>,
    stack_prefixes: JsonColumn,
    stack_frames: JsonColumn,
    samples: usize,
    sample_stacks: JsonColumn,
    sample_times: JsonColumn,
    sample_weights: JsonColumn,
    sampled: u64,
    markers: usize,
    marker_names: JsonColumn,
    marker_categories: JsonColumn,
    marker_starts: JsonColumn,
    marker_ends: JsonColumn,
    marker_phases: JsonColumn,
    marker_data: JsonColumn,
    /// What slices that go on have said when they began, the innermost last.
    pub(super) open: Vec<String>,
}

/// What a thread is called, and in which process it is.
#[derive(Debug)]
pub(super) struct ThreadLabels<'a> {
    pub(super) name: &'a str,
    /// The process.
    pub(super) pid: String,
    pub(super) process: &'a str,
    pub(super) is_main: bool,
}

/// A marker: an instant, unless it has an end.
#[derive(Debug)]
pub(super) struct ProfileMarker<'a> {
    pub(super) name: &'a Rc<str>,
    pub(super) category: usize,
    pub(super) start: u64,
    pub(super) end: Option<u64>,
    /// An object of JSON.
    pub(super) data: String,
}

impl ProfileThread {
    /// A thread that appears at a time. Every thread has two samples at least, of nothing: the profiler needs
    /// them.
    pub(super) fn new(tid: i32, time: u64, base: u64) -> ProfileThread {
        let mut thread = ProfileThread {
            tid,
            first: time,
            last: time,
            strings: HashMap::default(),
            string_array: JsonColumn::default(),
            functions: HashMap::default(),
            function_names: JsonColumn::default(),
            frame_categories: JsonColumn::default(),
            stacks: HashMap::default(),
            stack_prefixes: JsonColumn::default(),
            stack_frames: JsonColumn::default(),
            samples: 0,
            sample_stacks: JsonColumn::default(),
            sample_times: JsonColumn::default(),
            sample_weights: JsonColumn::default(),
            sampled: 0,
            markers: 0,
            marker_names: JsonColumn::default(),
            marker_categories: JsonColumn::default(),
            marker_starts: JsonColumn::default(),
            marker_ends: JsonColumn::default(),
            marker_phases: JsonColumn::default(),
            marker_data: JsonColumn::default(),
            open: Vec::new(),
        };
        thread.sample(None, time, 0, base);
        thread
    }

    fn string(&mut self, text: &Rc<str>) -> usize {
        if let Some(place) = self.strings.get(text) {
            return *place;
        }
        let place = self.strings.len();
        self.string_array.push_text(text);
        self.strings.insert(Rc::clone(text), place);
        place
    }

    /// The stack that a function makes on top of another one.
    pub(super) fn stack(&mut self, prefix: Option<usize>, function: &Rc<str>, category: usize) -> usize {
        let name = self.string(function);
        let place = self.functions.len();
        let frame = *self.functions.entry(name).or_insert(place);
        if frame == place {
            self.function_names.push(name);
            self.frame_categories.push(category);
        }
        let place = self.stacks.len();
        let stack = *self.stacks.entry((prefix, frame)).or_insert(place);
        if stack == place {
            self.stack_prefixes.push_option(prefix);
            self.stack_frames.push(frame);
        }
        stack
    }

    /// So many nanoseconds were spent in a stack, up to a time.
    pub(super) fn sample(&mut self, stack: Option<usize>, time: u64, weight: u64, base: u64) {
        // They have to come in the order of time.
        self.sampled = self.sampled.max(time);
        self.sample_stacks.push_option(stack);
        self.sample_times.push(milliseconds(self.sampled, base));
        self.sample_weights.push(milliseconds(weight, 0));
        self.samples += 1;
    }

    pub(super) fn mark(&mut self, marker: ProfileMarker<'_>, base: u64) {
        let ProfileMarker { name, category, start, end, data } = marker;
        let name = self.string(name);
        self.marker_names.push(name);
        self.marker_categories.push(category);
        self.marker_starts.push(milliseconds(start, base));
        self.marker_ends.push_option(end.map(|end| milliseconds(end, base)));
        self.marker_phases.push(if end.is_some() { 1 } else { 0 });
        self.marker_data.push(data);
        self.markers += 1;
        self.first = self.first.min(start);
        self.last = self.last.max(end.unwrap_or(start));
    }

    pub(super) fn write(
        &mut self,
        labels: &ThreadLabels<'_>,
        base: u64,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.sample(None, self.last, 0, base);
        let (frames, stacks, samples, markers) =
            (self.functions.len(), self.stacks.len(), self.samples, self.markers);
        let [no, none, minus, zero] = ["false", "null", "-1", "0"].map(|value| repeated(value, frames));
        let (name, process) = (quoted(labels.name), quoted(labels.process));
        let pid = quoted(&labels.pid);
        let [first, last] = [self.first, self.last].map(|time| milliseconds(time, base));
        write!(
            out,
            "{{\"name\":{name},\"isMainThread\":{},\"processName\":{process},\"processType\":\"default\",\
             \"pid\":{pid},\"tid\":{},\"processStartupTime\":0,\"processShutdownTime\":null,\
             \"registerTime\":{first},\"unregisterTime\":{last},\"pausedRanges\":[],\
             \"showMarkersInTimeline\":true,",
            labels.is_main, self.tid
        )?;
        write!(
            out,
            "\"frameTable\":{{\"length\":{frames},\"address\":[{minus}],\"inlineDepth\":[{zero}],\
             \"category\":[{}],\"subcategory\":[{zero}],\"func\":[{}],\"nativeSymbol\":[{none}],\
             \"innerWindowID\":[{zero}],\"implementation\":[{none}],\"line\":[{none}],\"column\":[{none}]}},",
            self.frame_categories.values(),
            (0..frames).map(|frame| frame.to_string()).collect::<Vec<_>>().join(",")
        )?;
        write!(
            out,
            "\"funcTable\":{{\"length\":{frames},\"name\":[{}],\"isJS\":[{no}],\"relevantForJS\":[{no}],\
             \"resource\":[{minus}],\"fileName\":[{none}],\"lineNumber\":[{none}],\"columnNumber\":[{none}]}},",
            self.function_names.values()
        )?;
        write!(
            out,
            "\"stackTable\":{{\"length\":{stacks},\"prefix\":[{}],\"frame\":[{}]}},",
            self.stack_prefixes.values(),
            self.stack_frames.values()
        )?;
        write!(
            out,
            "\"samples\":{{\"length\":{samples},\"weightType\":\"tracing-ms\",\"stack\":[{}],\"time\":[{}],\
             \"weight\":[{}]}},",
            self.sample_stacks.values(),
            self.sample_times.values(),
            self.sample_weights.values()
        )?;
        write!(
            out,
            "\"markers\":{{\"length\":{markers},\"name\":[{}],\"category\":[{}],\"startTime\":[{}],\
             \"endTime\":[{}],\"phase\":[{}],\"data\":[{}]}},",
            self.marker_names.values(),
            self.marker_categories.values(),
            self.marker_starts.values(),
            self.marker_ends.values(),
            self.marker_phases.values(),
            self.marker_data.values()
        )?;
        write!(
            out,
            "\"nativeSymbols\":{{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}},\
             \"resourceTable\":{{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}},\
             \"stringArray\":[{}]}}",
            self.string_array.values()
        )
    }
}
