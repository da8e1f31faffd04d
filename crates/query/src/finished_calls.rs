//! Calls, each at its end: what it was about, where it was made, how long it took and how it has ended.

use crate::call_events::{ErrorField, exit_of, is_of_system_calls, number_of_call};
use crate::{Descriptors, entry_of};
use foldhash::HashMap;
use std::rc::Rc;
use trace_data::event::Event;
use trace_data::format::{Element, Field, Kind};
use trace_data::gaps::Gaps;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Follows the calls that threads are in. Takes memory for each of those. The events of all system calls at
/// once don't say what a call is about: they are left out.
#[derive(Debug)]
pub struct FinishedCalls {
    gaps: Gaps,
    /// By event id.
    ends: HashMap<u16, Rc<CallEnd>>,
    /// By thread, the innermost last.
    entered: HashMap<i32, Vec<OpenedCall>>,
}

/// A call that has ended.
#[derive(Debug, Clone)]
pub struct FinishedCall {
    /// The event at its end.
    pub exit: u16,
    /// Its thread.
    pub tid: i32,
    /// Its process, or its thread where that isn't known.
    pub tgid: i32,
    /// When it has ended.
    pub end: u64,
    /// How long it took, in nanoseconds; None where events are missing meanwhile.
    pub length: Option<u64>,
    /// The number of its error, if it has failed.
    pub error: Option<i64>,
    /// Where it was made: the address that it returns to, if its entry has that.
    pub caller: Option<u64>,
    /// The path that it was given.
    text: Option<Field>,
    /// What the descriptor leads to that it was given.
    descriptor: Option<Rc<str>>,
}

/// Which end of a call an event is at.
#[derive(Debug)]
enum CallEnd {
    Entry { exit: u16, caller: Option<Field>, has_descriptor: bool },
    Exit { error: Option<ErrorField>, duration: Option<Field>, text: Option<Field> },
    Other,
}

#[derive(Debug)]
struct OpenedCall {
    exit: u16,
    time: u64,
    caller: Option<u64>,
    descriptor: Option<Rc<str>>,
}

/// The most calls that a thread is taken to be in: what leaves calls by jumps would fill the memory.
const MOST: usize = 64;

impl FinishedCalls {
    /// Events are missing from `gaps`: what was entered before one may have ended in it.
    pub fn new(gaps: Gaps) -> FinishedCalls {
        FinishedCalls { gaps, ends: HashMap::default(), entered: HashMap::default() }
    }

    /// Looks at a record. All have to come, in the order of time. The call that ends with it. The descriptors
    /// are as they were before it.
    pub fn add(
        &mut self,
        record: &Record<'_>,
        descriptors: &Descriptors,
        trace: &TraceInfo<'_>,
    ) -> Option<FinishedCall> {
        let find =
            || Rc::new(trace.events.get(record.id()).map_or(CallEnd::Other, |event| end(event, trace)));
        let end = self.ends.entry(record.id()).or_insert_with(find).clone();
        match &*end {
            CallEnd::Entry { exit, caller, has_descriptor } => {
                let names = has_descriptor.then(|| descriptors.names(record, trace));
                let descriptor = names.and_then(|names| Some(names.into_iter().next()?.1));
                self.enter(record, *exit, caller.as_ref(), descriptor);
                None
            }
            CallEnd::Exit { error, duration, text } => {
                let entered = self.leave(record);
                let measured = duration.as_ref().and_then(|field| field.integer(record.payload));
                let length = measured.map(|length| length as u64);
                let (time, caller, descriptor) = match entered {
                    Some(call) => (Some(call.time), call.caller, call.descriptor),
                    None => (None, None, None),
                };
                Some(FinishedCall {
                    exit: record.id(),
                    tid: record.pid(),
                    tgid: trace.tasks.tgid(record.pid()).unwrap_or(record.pid()),
                    end: record.time,
                    length: length.or_else(|| Some(record.time.saturating_sub(time?))),
                    error: error.as_ref().and_then(|error| error.read(record.payload)),
                    caller,
                    text: text.clone(),
                    descriptor,
                })
            }
            CallEnd::Other => None,
        }
    }

    fn enter(&mut self, record: &Record<'_>, exit: u16, caller: Option<&Field>, descriptor: Option<Rc<str>>) {
        let caller = caller.and_then(|field| field.integer(record.payload)).map(|address| address as u64);
        let calls = self.entered.entry(record.pid()).or_default();
        if calls.len() == MOST {
            calls.remove(0);
        }
        calls.push(OpenedCall { exit, time: record.time, caller, descriptor });
    }

    /// The innermost call of a thread that this exit ends, unless it may be another one.
    fn leave(&mut self, record: &Record<'_>) -> Option<OpenedCall> {
        let calls = self.entered.get_mut(&record.pid())?;
        let place = calls.iter().rposition(|call| call.exit == record.id())?;
        calls.truncate(place + 1);
        calls.pop().filter(|call| !self.gaps.lie_between(call.time, record.time))
    }
}

impl FinishedCall {
    /// What the call was about, as far as the trace has that: a path or another text, or what its descriptor
    /// leads to. `record` is the one that it has ended with.
    pub fn about(&self, record: &Record<'_>) -> Option<Rc<str>> {
        let text = self.text.as_ref().and_then(|field| field.string(record.payload));
        text.filter(|text| !text.is_empty()).map(Rc::from).or_else(|| self.descriptor.clone())
    }
}

fn end(event: &Event, trace: &TraceInfo<'_>) -> CallEnd {
    let format = event.format();
    if number_of_call(format).is_some() {
        return CallEnd::Other;
    }
    if let Some(exit) = exit_of(format, trace.events) {
        return CallEnd::Entry {
            exit: exit.format().id,
            caller: format.field("caller").cloned(),
            has_descriptor: Descriptors::are_in(format),
        };
    }
    if entry_of(format, trace.events).is_none() {
        return CallEnd::Other;
    }
    let text = format.own_fields().iter().find(|field| is_text(field.kind)).cloned();
    let duration = format.field("duration").filter(|_| !is_of_system_calls(format)).cloned();
    CallEnd::Exit { error: ErrorField::of(format), duration, text }
}

fn is_text(kind: Kind) -> bool {
    let (Kind::Array(element) | Kind::DataLocation(element) | Kind::RelativeLocation(element)) = kind else {
        return false;
    };
    matches!(element, Element { text: true, .. })
}

#[cfg(test)]
impl FinishedCall {
    /// One of this event that has ended then.
    pub(crate) fn example(exit: u16, end: u64) -> FinishedCall {
        let (tid, tgid) = (5, 5);
        let (length, error, caller) = (None, None, None);
        FinishedCall { exit, tid, tgid, end, length, error, caller, text: None, descriptor: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_event::test_event;
    use trace_data::dat::Metadata;
    use trace_data::event::EventTable;
    use trace_data::page::Missed;

    const OPEN: u16 = 10;
    const OPEN_EXIT: u16 = 11;

    fn table() -> EventTable {
        let event = |name: &str, id: u16, fields: &str| test_event("libc", name, id, fields);
        let exit = "\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n\
                    \tfield:int error;\toffset:12;\tsize:4;\tsigned:1;\n\
                    \tfield:char path[8];\toffset:16;\tsize:8;\tsigned:0;\n";
        let entry = "\tfield:unsigned long caller;\toffset:8;\tsize:8;\tsigned:0;\n";
        [event("open", OPEN, entry), event("open_exit", OPEN_EXIT, exit)].into_iter().collect()
    }

    #[test]
    fn a_call_is_known_by_both_of_its_ends() {
        let (events, metadata) = (table(), Metadata::new(4096));
        let trace =
            TraceInfo { metadata: &metadata, events: &events, tasks: &(), symbols: &(), nanoseconds: true };
        let mut calls = FinishedCalls::new(Gaps::new(vec![(200, 300)]));
        let descriptors = Descriptors::new(Gaps::default());
        let mut add = |id: u16, time: u64| {
            let word = abi::common::word(id, 0, 0, 5).to_le_bytes().to_vec();
            let rest = match id {
                OPEN => 0x1234_u64.to_le_bytes().to_vec(),
                _ => [[0xff; 4].as_slice(), &2_i32.to_le_bytes(), b"/etc\0\0\0\0"].concat(),
            };
            let payload = [word, rest].concat();
            let record = Record { cpu: 0, time, payload: &payload, lost: Missed::None };
            let call = calls.add(&record, &descriptors, &trace)?;
            Some((call.error, call.length, call.caller, call.about(&record).unwrap().to_string()))
        };
        assert_eq!(add(OPEN, 100), None);
        assert_eq!(add(OPEN_EXIT, 130), Some((Some(2), Some(30), Some(0x1234), "/etc".to_owned())));
        // Over a gap the entry may be that of another call; the path is the exit's own.
        assert_eq!(add(OPEN, 190), None);
        assert_eq!(add(OPEN_EXIT, 310), Some((Some(2), None, None, "/etc".to_owned())));
    }
}
