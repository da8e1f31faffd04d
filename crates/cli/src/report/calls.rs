//! Calls instead of events: a line for each, as strace(1) shows them.

use super::label;
use crate::duration::{duration, seconds};
use export::{Error, Sink};
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use trace_data::event::Event;
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// The most lines that wait for the end of a call that has started before them.
const MOST_LINES: usize = 1 << 14;

/// Prints calls in the order of their starts. Events that are not of calls have lines of their own.
pub(super) struct CallLines<W> {
    out: W,
    gaps: Gaps,
    /// By event id.
    roles: HashMap<u16, CallRole>,
    /// By thread: the calls that it is in, the innermost last.
    threads: HashMap<i32, Vec<OpenCall>>,
    /// Those that are not printed yet: the first is that of a call which goes on.
    lines: VecDeque<CallLine>,
    /// How many lines were before the first of those.
    passed: u64,
    text: Vec<u8>,
}

/// What an event says of a call.
#[derive(Debug, Clone, Copy)]
enum CallRole {
    Entry,
    /// Of a call that never returns.
    Last,
    /// Of the call with this id.
    Exit(u16),
    /// A thread or its process ends.
    ThreadEnd,
    /// A thread goes on with another program.
    Exec,
    Other,
}

/// A call that a thread is in.
struct OpenCall {
    id: u16,
    time: u64,
    /// Counted from the first line.
    line: u64,
}

struct CallLine {
    /// Thread, CPU and time, and as many spaces as it is deep in other calls.
    head: String,
    name: String,
    /// Names and values of the arguments; of another event the text.
    arguments: Vec<(String, String)>,
    /// What follows the arguments; None while the call goes on.
    end: Option<String>,
    is_chosen: bool,
}

/// The end of a call whose return was not recorded.
const NO_RETURN: &str = " = ?";
const UNFINISHED: &str = " <unfinished ...>";

impl<W: Write> CallLines<W> {
    /// Prints to `out`. Events are missing from `gaps`: a call over one may be two.
    pub(super) fn new(mut out: W, gaps: Gaps, complete: Option<String>) -> io::Result<CallLines<W>> {
        if let Some(complete) = complete {
            writeln!(out, "# the trace is {complete}")?;
        }
        writeln!(out, "#{:>23}  CPU# {:>13}  CALL", "TASK-PID", "TIMESTAMP")?;
        let (roles, threads) = (HashMap::new(), HashMap::new());
        Ok(CallLines { out, gaps, roles, threads, lines: VecDeque::new(), passed: 0, text: Vec::new() })
    }

    fn add(&mut self, record: &Record<'_>, is_chosen: bool, trace: &TraceInfo<'_>) -> io::Result<()> {
        let Some(event) = trace.events.of(record.payload) else { return Ok(()) };
        let role = *self.roles.entry(record.id()).or_insert_with(|| CallRole::of(event, trace));
        match role {
            CallRole::Entry => self.start(record, event, is_chosen, trace),
            CallRole::Last => {
                self.start(record, event, is_chosen, trace);
                self.leave(record.pid(), NO_RETURN);
            }
            CallRole::Exit(call) => self.end(record, event, call, is_chosen, trace),
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
        self.print_ended(MOST_LINES)
    }

    fn start(&mut self, record: &Record<'_>, event: &Event, is_chosen: bool, trace: &TraceInfo<'_>) {
        let line = self.passed + self.lines.len() as u64;
        let (name, arguments) = (event.format().name.clone(), self.fields(event, record, trace));
        let head = self.head(record, record.time, trace);
        self.lines.push_back(CallLine { head, name, arguments, end: None, is_chosen });
        let call = OpenCall { id: record.id(), time: record.time, line };
        self.threads.entry(record.pid()).or_default().push(call);
    }

    fn end(&mut self, record: &Record<'_>, event: &Event, id: u16, is_chosen: bool, trace: &TraceInfo<'_>) {
        let fields = self.fields(event, record, trace);
        let call = self.innermost(record.pid(), id);
        let measured = event.format().field("duration").and_then(|field| field.integer(record.payload));
        let measured = measured.map(|length| length as u64);
        // The exit's time may be later than the end of the call.
        let is_measured = |call: &OpenCall| {
            let start = measured.map(|length| record.time.saturating_sub(length));
            start.is_some_and(|start| start.abs_diff(call.time) < 1000)
        };
        let is_certain =
            |call: &OpenCall| is_measured(call) || !self.gaps.lie_between(call.time, record.time);
        let (call, before) = match call {
            Some(call) if is_certain(&call) => (Some(call), None),
            other => (None, other),
        };
        if let Some(line) = before.and_then(|call| self.line(&call)) {
            line.end = Some(UNFINISHED.to_owned());
        }
        let length = measured.or_else(|| call.as_ref().map(|call| record.time.saturating_sub(call.time)));
        let end = outcome(&fields, length);
        match call.and_then(|call| self.line(&call)) {
            Some(line) => {
                line.finish(&fields, end);
                line.is_chosen |= is_chosen;
            }
            None => {
                let name = format!("<... {} resumed>", event.format().name.trim_end_matches("_exit"));
                let head = self.head(record, record.time, trace);
                let mut line = CallLine { head, name, arguments: Vec::new(), end: None, is_chosen };
                line.finish(&fields, end);
                self.lines.push_back(line);
            }
        }
    }

    /// Takes the innermost call of this kind that a thread is in, and leaves those in it: by a jump.
    fn innermost(&mut self, pid: i32, id: u16) -> Option<OpenCall> {
        let calls = self.threads.get_mut(&pid)?;
        let place = calls.iter().rposition(|call| call.id == id)?;
        let inner = calls.split_off(place + 1);
        let call = calls.pop();
        inner.iter().for_each(|call| self.close(call, NO_RETURN));
        call
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
        self.text.clear();
        event.print(record.payload, trace.symbols, &mut self.text);
        let end = Some(format!(": {}", String::from_utf8_lossy(&self.text)));
        let (head, name) = (self.head(record, record.time, trace), event.format().name.clone());
        self.lines.push_back(CallLine { head, name, arguments: Vec::new(), end, is_chosen });
    }

    fn head(&self, record: &Record<'_>, time: u64, trace: &TraceInfo<'_>) -> String {
        let depth = self.threads.get(&record.pid()).map_or(0, Vec::len);
        let thread = label(trace.tasks, record.pid());
        format!("{thread:>24}  [{:03}] {:>13}: {:width$}", record.cpu, seconds(time), "", width = 2 * depth)
    }

    fn fields(&mut self, event: &Event, record: &Record<'_>, trace: &TraceInfo<'_>) -> Vec<(String, String)> {
        self.text.clear();
        event.print(record.payload, trace.symbols, &mut self.text);
        let names = event.format().own_fields().iter().map(|field| field.name.as_str());
        split(&String::from_utf8_lossy(&self.text), names)
    }

    /// Prints what has ended, and where more than `most` lines wait, what they wait for.
    fn print_ended(&mut self, most: usize) -> io::Result<()> {
        while self.lines.front().is_some_and(|line| line.end.is_some())
            && let Some(line) = self.lines.pop_front()
        {
            self.passed += 1;
            line.print(&mut self.out)?;
        }
        if self.lines.len() > most
            && let Some(line) = self.lines.front_mut()
        {
            line.end = Some(UNFINISHED.to_owned());
            return self.print_ended(most);
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

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        for line in &mut self.lines {
            line.end.get_or_insert_with(|| UNFINISHED.to_owned());
        }
        self.print_ended(0)?;
        Ok(self.out.flush()?)
    }
}

impl CallRole {
    fn of(event: &Event, trace: &TraceInfo<'_>) -> CallRole {
        let format = event.format();
        if let Some(entry) =
            format.name.strip_suffix("_exit").and_then(|name| trace.events.named(&format.system, name))
        {
            return CallRole::Exit(entry.format().id);
        }
        if trace.events.named(&format.system, &format!("{}_exit", format.name)).is_some() {
            return CallRole::Entry;
        }
        match (format.system.as_str(), format.name.as_str()) {
            ("sched", "sched_process_exit") => CallRole::ThreadEnd,
            ("sched", "sched_process_exec") => CallRole::Exec,
            _ if format.field("caller").is_some() => CallRole::Last,
            _ => CallRole::Other,
        }
    }
}

impl CallLine {
    /// Adds what is known of a call at its end: an argument that pointed somewhere has what was there.
    fn finish(&mut self, fields: &[(String, String)], end: String) {
        for (name, value) in fields.iter().filter(|(name, _)| !is_outcome(name)) {
            match self.arguments.iter_mut().find(|(known, _)| known == name) {
                Some(argument) => argument.1.clone_from(value),
                None => self.arguments.push((name.clone(), value.clone())),
            }
        }
        self.end = Some(end);
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.is_chosen {
            return Ok(());
        }
        let end = self.end.as_deref().unwrap_or_default();
        if end.starts_with(": ") {
            return writeln!(out, "{}{}{end}", self.head, self.name);
        }
        let arguments = self.arguments.iter().filter(|(name, _)| name != "caller");
        let arguments: Vec<String> = arguments.map(|(name, value)| format!("{name}={value}")).collect();
        match self.name.starts_with('<') && arguments.is_empty() {
            true => writeln!(out, "{}{}{end}", self.head, self.name),
            false => writeln!(out, "{}{}({}){end}", self.head, self.name, arguments.join(", ")),
        }
    }
}

/// Whether a field of an exit is of the call's outcome.
fn is_outcome(name: &str) -> bool {
    matches!(name, "ret" | "error" | "duration")
}

/// The result, the error and how long it took.
fn outcome(fields: &[(String, String)], length: Option<u64>) -> String {
    let value =
        |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let mut end = value("ret").map_or_else(String::new, |ret| format!(" = {ret}"));
    if let Some(error) = value("error").filter(|error| *error != "0") {
        end = format!("{end} {error}");
    }
    length.map_or(end.clone(), |length| format!("{end} <{}>", duration(length)))
}

/// Splits `name=value name=value`, with these names, at the names. Strings may have spaces in them.
fn split<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let names: Vec<&str> = names.collect();
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut next, mut is_quoted, mut is_escaped) = (names.into_iter().peekable(), false, false);
    let mut is_start = true;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if is_start
            && !is_quoted
            && let Some(name) = next.peek()
            && let Some(value) = rest.strip_prefix(name).and_then(|rest| rest.strip_prefix('='))
        {
            found.push(((*name).to_owned(), String::new()));
            next.next();
            (rest, is_start) = (value, false);
            continue;
        }
        is_quoted ^= letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_start = letter == ' ';
        if let Some((_, value)) = found.last_mut() {
            value.push(letter);
        }
        rest = &rest[letter.len_utf8()..];
    }
    found.iter_mut().for_each(|(_, value)| value.truncate(value.trim_end().len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_the_next_name_starts() {
        let text = r#"path="a mode=1 \" b" mode=0644 flags=A|B caller=f+0x1 (a.c:3)"#;
        let found = split(text, ["path", "mode", "flags", "caller"].into_iter());
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [r#""a mode=1 \" b""#, "0644", "A|B", "f+0x1 (a.c:3)"]);
        assert_eq!(split("other text", ["path"].into_iter()), []);
    }
}
