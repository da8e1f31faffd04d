//! Calls instead of events: a line for each, as strace(1) shows them.

mod line;
mod role;
mod system_call;

use super::times::{LineTimes, Times};
use super::{held_by, label};
use export::{Error, Sink};
use foldhash::HashMap;
use line::{CallLine, outcome, split};
use query::{
    Descriptors, LockHolder, LockWaits, are_ends_of_one_call, has_no_end, is_of_system_calls,
    system_call_number,
};
use role::CallRole;
use std::collections::VecDeque;
use std::io::{self, Write};
use trace_data::event::Event;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::symbols::{Symbols, function_at};
use trace_data::text::{callers, printable};

/// The most lines that wait for the end of a call that has started before them.
const MOST_LINES: usize = 1 << 14;

/// Prints calls in the order of their starts. Events that are not of calls have lines of their own.
pub(super) struct CallLines<W> {
    out: W,
    times: LineTimes,
    gaps: Gaps,
    locks: LockWaits,
    descriptors: Descriptors,
    /// By event id.
    roles: HashMap<u16, CallRole>,
    /// By thread: the calls that it is in, the innermost last.
    threads: HashMap<i32, Vec<OpenCall>>,
    /// Those that are not printed yet: the first is that of a call which goes on.
    lines: VecDeque<CallLine>,
    /// How many lines were before the first of those.
    passed: u64,
    text: Vec<u8>,
    /// The time of the last record.
    last: u64,
}

/// A call that a thread is in.
struct OpenCall {
    id: u16,
    /// Its number, if it is a system call.
    number: Option<i64>,
    time: u64,
    /// Counted from the first line.
    line: u64,
}

/// The end of a call whose return was not recorded.
const NO_RETURN: &str = " = ?";
const UNFINISHED: &str = " <unfinished ...>";

impl<W: Write> CallLines<W> {
    /// Prints to `out`. Events are missing from `gaps`: a call over one may be two.
    pub(super) fn new(
        mut out: W,
        gaps: Gaps,
        complete: Option<String>,
        times: Times,
    ) -> io::Result<CallLines<W>> {
        if let Some(complete) = complete {
            writeln!(out, "# the trace is {complete}")?;
        }
        writeln!(out, "#{:>23}  CPU# {:>width$}  CALL", "TASK-PID", "TIMESTAMP", width = times.width())?;
        let (roles, threads) = (HashMap::default(), HashMap::default());
        let (locks, descriptors) = (LockWaits::new(gaps.clone()), Descriptors::new(gaps.clone()));
        Ok(CallLines {
            out,
            times: LineTimes::new(times),
            gaps,
            locks,
            descriptors,
            last: 0,
            roles,
            threads,
            lines: VecDeque::new(),
            passed: 0,
            text: Vec::new(),
        })
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) -> io::Result<()> {
        let Some(event) = trace.events.of(record.payload) else { return Ok(()) };
        self.last = record.time;
        let holder = self.locks.add(record, trace);
        let role = *self.roles.entry(record.id()).or_insert_with(|| CallRole::of(event, trace));
        match role {
            CallRole::Entry => {
                self.start(record, event, is_chosen, trace);
                self.go_on_elsewhere(record, event);
            }
            CallRole::Last => {
                self.start(record, event, is_chosen, trace);
                self.leave(record.pid(), NO_RETURN);
            }
            CallRole::Exit(call) => self.end(record, event, (call, holder), is_chosen, trace),
            CallRole::ThreadEnd => {
                let pid = event.format().field("pid").and_then(|field| field.integer(record.payload));
                self.leave(pid.map_or(record.pid(), |pid| pid as i32), NO_RETURN);
                self.push_other(record, event, is_chosen, trace);
            }
            CallRole::Exec => {
                self.leave(record.pid(), " = 0");
                self.push_other(record, event, is_chosen, trace);
            }
            CallRole::Other => self.push_other(record, event, is_chosen, trace),
        }
        self.descriptors.add(record, trace);
        self.print_ended(MOST_LINES, trace)
    }

    fn start(&mut self, record: &Record<'_>, event: &Event, is_chosen: bool, trace: &TraceInfo<'_>) {
        let line = self.passed + self.lines.len() as u64;
        let (name, mut arguments) = (name(event, "", record.payload), self.fields(event, record, trace));
        for (field, known) in self.descriptors.names(record, trace) {
            let argument = arguments.iter_mut().find(|(name, _)| name == field);
            argument.into_iter().for_each(|(_, value)| *value = format!("{value}<{}>", printable(&known)));
        }
        let begun = self.begin(record, name, is_chosen, trace);
        self.lines.push_back(CallLine { arguments, ..begun });
        let call = OpenCall {
            id: record.id(),
            number: system_call_number(event.format(), record.payload),
            time: record.time,
            line,
        };
        self.threads.entry(record.pid()).or_default().push(call);
    }

    fn end(
        &mut self,
        record: &Record<'_>,
        event: &Event,
        (id, holder): (u16, Option<LockHolder>),
        is_chosen: bool,
        trace: &TraceInfo<'_>,
    ) {
        let fields = self.fields(event, record, trace);
        let call = self.innermost(record.pid(), id, system_call_number(event.format(), record.payload));
        let measured = event.format().field("duration").and_then(|field| field.integer(record.payload));
        let measured = measured.map(|length| length as u64);
        let is_certain =
            |call: &OpenCall| are_ends_of_one_call((call.time, record.time), measured, &self.gaps);
        let (call, before) = match call {
            Some(call) if is_certain(&call) => (Some(call), None),
            other => (None, other),
        };
        if let Some(line) = before.and_then(|call| self.line(&call)) {
            line.end = Some(UNFINISHED.to_owned());
        }
        let length = measured.or_else(|| call.as_ref().map(|call| record.time.saturating_sub(call.time)));
        let mut end = outcome(&fields, length);
        if let Some(holder) = holder {
            end = format!("{end} held by {}", held_by(holder, trace.tasks));
        }
        match call.and_then(|call| self.line(&call)) {
            Some(line) => {
                line.finish(&fields, end);
                line.is_chosen |= is_chosen;
            }
            None => {
                let name = format!("<... {} resumed>", name(event, "_exit", record.payload));
                let mut line = self.begin(record, name, is_chosen, trace);
                line.finish(&fields, end);
                self.lines.push_back(line);
            }
        }
    }

    /// Takes the innermost call of this kind that a thread is in, and leaves those in it: by a jump. Not what
    /// the events of all system calls say of the same call.
    fn innermost(&mut self, pid: i32, id: u16, number: Option<i64>) -> Option<OpenCall> {
        let calls = self.threads.get_mut(&pid)?;
        let place = calls.iter().rposition(|call| (call.id, call.number) == (id, number))?;
        let inner = calls.split_off(place + 1);
        let call = calls.pop();
        let is_same = |inner: &OpenCall| number.is_some() && inner.number == number;
        let (same, inner): (Vec<OpenCall>, Vec<OpenCall>) = inner.into_iter().partition(is_same);
        calls.extend(same);
        inner.iter().for_each(|call| self.close(call, NO_RETURN));
        call
    }

    /// Leaves the call that a thread has just entered, if it has no end.
    fn go_on_elsewhere(&mut self, record: &Record<'_>, event: &Event) {
        if has_no_end(system_call_number(event.format(), record.payload))
            && let Some(call) = self.threads.get_mut(&record.pid()).and_then(Vec::pop)
        {
            self.close(&call, NO_RETURN);
        }
    }

    /// Leaves all calls of a thread.
    fn leave(&mut self, pid: i32, end: &str) {
        for call in self.threads.remove(&pid).unwrap_or_default() {
            self.close(&call, end);
        }
    }

    fn close(&mut self, call: &OpenCall, end: &str) {
        if let Some(line) = self.line(call) {
            line.end = Some(end.to_owned());
        }
    }

    /// The line of a call, if it is not printed yet.
    fn line(&mut self, call: &OpenCall) -> Option<&mut CallLine> {
        self.lines.get_mut(call.line.checked_sub(self.passed)? as usize)
    }

    fn push_other(&mut self, record: &Record<'_>, event: &Event, is_chosen: bool, trace: &TraceInfo<'_>) {
        let end = match callers(event, record.payload) {
            Some(callers) => format!(": {}", stack(&callers, trace.symbols)),
            None => {
                self.text.clear();
                event.print(record.payload, trace.symbols, &mut self.text);
                format!(": {}", String::from_utf8_lossy(&self.text))
            }
        };
        let begun = self.begin(record, event.format().name.clone(), is_chosen, trace);
        self.lines.push_back(CallLine { end: Some(end), ..begun });
    }

    /// A line of what a record says, with no end yet.
    fn begin(&self, record: &Record<'_>, name: String, is_chosen: bool, trace: &TraceInfo<'_>) -> CallLine {
        let place = format!("{:>24}  [{:03}]", label(trace.tasks, record.pid()), record.cpu);
        let depth = self.threads.get(&record.pid()).map_or(0, Vec::len);
        CallLine { place, time: record.time, depth, name, arguments: Vec::new(), end: None, is_chosen }
    }

    fn fields(&mut self, event: &Event, record: &Record<'_>, trace: &TraceInfo<'_>) -> Vec<(String, String)> {
        if is_of_system_calls(event.format()) {
            return system_call::fields(event, record.payload);
        }
        self.text.clear();
        event.print(record.payload, trace.symbols, &mut self.text);
        let names = event.format().own_fields().iter().map(|field| field.name.as_str());
        split(&printable(&String::from_utf8_lossy(&self.text)), names)
    }

    /// Says who holds the locks that are waited for in the end.
    fn name_holders(&mut self, trace: &TraceInfo<'_>) {
        let waits = self.threads.iter().filter_map(|(tid, calls)| Some((*tid, calls.last()?)));
        for (tid, call) in waits {
            let holder = self.locks.unfinished(tid, call.id, self.last);
            let place = call.line.checked_sub(self.passed).map(|place| place as usize);
            let line = place.and_then(|place| self.lines.get_mut(place));
            if let Some((holder, line)) = holder.zip(line) {
                line.end = Some(format!("{UNFINISHED} held by {}", held_by(holder, trace.tasks)));
            }
        }
    }

    /// Prints what has ended, and where more than `most` lines wait, what they wait for.
    fn print_ended(&mut self, most: usize, trace: &TraceInfo<'_>) -> io::Result<()> {
        while self.lines.front().is_some_and(|line| line.end.is_some())
            && let Some(line) = self.lines.pop_front()
        {
            self.passed += 1;
            line.print(&mut self.out, &mut self.times, trace)?;
        }
        if self.lines.len() > most
            && let Some(line) = self.lines.front_mut()
        {
            line.end = Some(UNFINISHED.to_owned());
            return self.print_ended(most, trace);
        }
        Ok(())
    }
}

impl<W: Write> Sink for CallLines<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(self.add(record, true, trace)?)
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        Ok(self.add(record, false, trace)?)
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.name_holders(trace);
        for line in &mut self.lines {
            line.end.get_or_insert_with(|| UNFINISHED.to_owned());
        }
        self.print_ended(0, trace)?;
        Ok(self.out.flush()?)
    }
}

/// What a call is called, by the event at its start or its end, whose name has this suffix then.
fn name(event: &Event, suffix: &str, payload: &[u8]) -> String {
    let name = &event.format().name;
    match is_of_system_calls(event.format()) {
        true => system_call::name(event, payload),
        false => name.strip_suffix(suffix).unwrap_or(name).to_owned(),
    }
}

/// The functions of a stack on a line, the innermost first.
fn stack(callers: &[u64], symbols: &dyn Symbols) -> String {
    let name = |address: &u64| printable(&function_at(*address, symbols)).into_owned();
    callers.iter().map(name).collect::<Vec<_>>().join(" <- ")
}
