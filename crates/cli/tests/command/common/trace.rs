//! Reading what `lookback report` prints.

use super::system_call_text::system_call;
use std::fmt::Write;

/// An event, as its line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub comm: String,
    pub pid: i32,
    pub cpu: u32,
    /// Microseconds; of a clock that counts something else, as it is shown.
    pub time: u64,
    pub name: String,
    /// The fields.
    pub text: String,
}

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub events: Vec<Event>,
}

impl Trace {
    /// Fails unless `other` has the same events. The times of two copies of a buffer may differ by a
    /// rounding: each goes by the clocks as they were read for it.
    #[track_caller]
    pub fn expect_same(&self, other: &Trace) {
        let untimed = |trace: &Trace| -> Vec<Event> {
            trace.events.iter().map(|event| Event { time: 0, ..event.clone() }).collect()
        };
        assert_eq!(untimed(self), untimed(other));
        let times = self.events.iter().zip(&other.events).map(|(one, two)| one.time.abs_diff(two.time));
        assert!(times.max().is_none_or(|most| most <= 1), "{self:?} {other:?}");
    }
}

impl Event {
    /// From a line as the kernel prints it, or as trace-cmd does, which leaves out the flags.
    pub fn parse(line: &str) -> Option<Event> {
        let (task, rest) = line.split_once(" [")?;
        let (comm, pid) = task.rsplit_once('-')?;
        let (cpu, rest) = rest.split_once(']')?;
        let (stamp, rest) = rest.split_once(": ")?;
        let stamp = stamp.split_whitespace().last()?;
        // Names of functions have colons of their own.
        let (name, text) = system_call(rest).or_else(|| {
            let (name, text) = rest.split_once(": ").or_else(|| rest.split_once(':'))?;
            Some((name.to_owned(), text.to_owned()))
        })?;
        Some(Event {
            comm: comm.trim_start().to_string(),
            pid: pid.trim_end().parse().ok()?,
            cpu: cpu.parse().ok()?,
            // Six digits are after the point.
            time: stamp.replacen('.', "", 1).parse().ok()?,
            name,
            text: text.trim_start().to_string(),
        })
    }

    /// The value of a field, without its quotes. The caller has the rest of the line.
    pub fn field(&self, name: &str) -> Option<&str> {
        let start = if self.text.starts_with(&format!("{name}=")) {
            name.len() + 1
        } else {
            self.text.find(&format!(" {name}="))? + name.len() + 2
        };
        let rest = &self.text[start..];
        if name == "caller" {
            return Some(rest);
        }
        match rest.strip_prefix('"') {
            // A quote in the text has no blank after it in any test.
            Some(text) => Some(&text[..text.find("\" ").or(text.rfind('"'))?]),
            None => rest.split(' ').next(),
        }
    }

    /// The value of a field that has to be there.
    #[track_caller]
    pub fn get(&self, name: &str) -> &str {
        self.field(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// Whether a field has this value.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.field(name) == Some(value)
    }

    /// Whether fields have these values: `"ret=3 pathname=file"`.
    pub fn has_all(&self, fields: &str) -> bool {
        fields
            .split_whitespace()
            .all(|field| field.split_once('=').is_some_and(|(name, value)| self.has(name, value)))
    }
}

impl Trace {
    /// From a report. Every line that is no comment has to be an event.
    #[track_caller]
    pub fn new(report: &str) -> Trace {
        let lines = report.lines().filter(|line| !line.starts_with('#'));
        let event = |line| Event::parse(line).unwrap_or_else(|| panic!("not an event: {line:?}"));
        Trace { events: lines.map(event).collect() }
    }

    /// All events with this name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.name == name)
    }

    /// Events with this name and these fields.
    pub fn matching(&self, name: &str, fields: &str) -> impl Iterator<Item = &Event> {
        self.named(name).filter(move |event| event.has_all(fields))
    }

    /// How many events have this name and these fields.
    pub fn count(&self, name: &str, fields: &str) -> usize {
        self.matching(name, fields).count()
    }

    /// The first event with this name and these fields, which has to be there.
    #[track_caller]
    pub fn expect(&self, name: &str, fields: &str) -> &Event {
        self.expect_of("", name, fields)
    }

    /// Those of a thread with this name; any, when it is empty.
    #[track_caller]
    pub fn expect_of(&self, comm: &str, name: &str, fields: &str) -> &Event {
        let found = self.matching(name, fields).find(|event| comm.is_empty() || event.comm == comm);
        found.unwrap_or_else(|| panic!("no {comm} {name} {fields} in\n{}", self.text(name)))
    }

    /// The events of a name, for messages.
    fn text(&self, name: &str) -> String {
        let mut text = String::new();
        for event in self.named(name).take(40) {
            let _ = writeln!(text, "{}-{} {}", event.comm, event.pid, event.text);
        }
        if text.is_empty() { format!("{} other events", self.events.len()) } else { text }
    }
}
