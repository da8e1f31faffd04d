//! Filters on fields: `openat,open: flags & 64`.

use crate::Error;
use crate::event_ids::select;
use event_filter::{Context, Filter, evaluate};
use session::{Selection, explain_filter, filter_for};
use std::str::FromStr;
use trace_data::event::EventTable;
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// A filter and the events that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRule {
    events: Vec<Selection>,
    text: String,
}

impl FromStr for EventRule {
    type Err = String;

    /// Reads `EVENT[,EVENT]: FILTER`. An event can be `SYSTEM:EVENT` or, as trace-cmd has it,
    /// `SYSTEM/EVENT`; so the colon before the filter is the last one of those that come before any operator.
    fn from_str(text: &str) -> Result<EventRule, String> {
        let expected =
            || format!("expected EVENT[,EVENT]: FILTER, like 'read_exit: ret < 0', found {text:?}");
        let after_comma = |at: usize| text[..at].trim_end().ends_with(',');
        let is_name = |(at, letter): (usize, char)| match letter {
            ' ' => after_comma(at),
            _ => letter.is_ascii_alphanumeric() || "_-*?[]!^@,/:".contains(letter),
        };
        let end = text.char_indices().find(|place| !is_name(*place)).map_or(text.len(), |(at, _)| at);
        let colon = text[..end].rfind(':').ok_or_else(expected)?;
        let (names, filter) = (&text[..colon], text[colon + 1..].trim());
        if filter.is_empty() {
            return Err(expected());
        }
        let name = |name: &str| {
            name.trim().replace('/', ":").parse::<Selection>().map_err(|error| error.to_string())
        };
        let events = names.split(',').map(name).collect::<Result<_, _>>()?;
        Ok(EventRule { events, text: filter.to_owned() })
    }
}

/// The filters for each event.
#[derive(Debug)]
pub(crate) struct EventFilters {
    by_id: Vec<Vec<Filter>>,
    inverted: bool,
}

impl EventFilters {
    /// Compiles filters for the events that they are for.
    pub(crate) fn new(
        filters: &[EventRule],
        inverted: bool,
        events: &EventTable,
    ) -> Result<EventFilters, Error> {
        let mut by_id: Vec<Vec<Filter>> = Vec::new();
        for filter in filters {
            let ids = select(&filter.events, events)?;
            let (mut errors, mut is_used) = (Vec::new(), false);
            for event in events.iter().filter(|event| ids.contains(&event.format().id)) {
                match filter_for(event.format(), &filter.text) {
                    Ok(compiled) => {
                        let id = usize::from(event.format().id);
                        by_id.resize_with(by_id.len().max(id + 1), Vec::new);
                        by_id[id].push(compiled);
                        is_used = true;
                    }
                    Err(error) => errors.push((event, error)),
                }
            }
            // Of several events some may not have the fields: those don't fit.
            let furthest = errors.iter().rev().max_by_key(|(_, error)| error.progress());
            if let Some((event, error)) = furthest.filter(|_| !is_used) {
                return Err(Error::Filter(explain_filter(event.format(), &filter.text, error)));
            }
        }
        Ok(EventFilters { by_id, inverted })
    }

    /// Whether a record fits one of its event's filters, or is to fit none and doesn't.
    pub(crate) fn contains(&self, id: u16, pid: i32, record: &Record<'_>, trace: &TraceInfo<'_>) -> bool {
        let filters = self.by_id.get(usize::from(id)).map_or(&[][..], Vec::as_slice);
        let context = RecordContext { cpu: record.cpu, pid, trace };
        let fits = filters.iter().any(|filter| evaluate(filter.words(), record.payload, &context));
        fits != self.inverted
    }
}

/// What a filter can ask for in addition to the record.
struct RecordContext<'a> {
    cpu: u32,
    pid: i32,
    trace: &'a TraceInfo<'a>,
}

impl Context for RecordContext<'_> {
    fn cpu(&self) -> u32 {
        self.cpu
    }

    fn comm(&self) -> &[u8] {
        self.trace.tasks.comm(self.pid).unwrap_or_default().as_bytes()
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        self.trace.symbols.string(address).map(str::as_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(Vec<String>, String)> {
        let filter: EventRule = text.parse().ok()?;
        Some((filter.events.iter().map(|event| event.text().to_owned()).collect(), filter.text))
    }

    #[test]
    fn events_stand_in_front_of_the_last_colon_before_an_operator() {
        for (text, events, filter) in [
            ("read_exit: ret < 0", &["read_exit"][..], "ret < 0"),
            ("read_exit:ret<0", &["read_exit"], "ret<0"),
            ("libc:read_exit: ret < 0", &["libc:read_exit"], "ret < 0"),
            ("libc:read_exit:ret<0", &["libc:read_exit"], "ret<0"),
            ("sched/sched_switch, libc/*_exit : x == \"a:b\"", &[], ""),
            (
                "sched/sched_switch, libc/*_exit: x == \"a:b\"",
                &["sched:sched_switch", "libc:*_exit"],
                "x == \"a:b\"",
            ),
            ("open*:!(comm == \"x: y\")", &["open*"], "!(comm == \"x: y\")"),
            ("@net: error != 0", &["@net"], "error != 0"),
            ("ret < 0", &[], ""),
            ("read:", &[], ""),
            (": ret < 0", &[], ""),
        ] {
            let expected = (events.iter().map(|event| event.to_string()).collect(), filter.to_string());
            assert_eq!(parts(text), (!events.is_empty()).then_some(expected), "{text}");
        }
    }
}
