//! Track events: slices begin and end, something happens.

use super::interned::Interned;
use super::packets::TrackEventBytes;
use super::wire::{put_bytes, put_fixed, put_number};
use crate::arguments::{ArgumentValue, SliceArguments};
use crate::drawing::SliceName;
use query::RecordLink;
use std::rc::Rc;
use trace_data::info::TraceInfo;

/// Fields of Perfetto's `TrackEvent`.
const CATEGORY: u32 = 3;
const ANNOTATION: u32 = 4;
const KIND: u32 = 9;
const NAME: u32 = 10;
const TRACK: u32 = 11;
const NAME_TEXT: u32 = 23;
const COUNTER_VALUE: u32 = 30;
const FLOW: u32 = 47;
const LAST_FLOW: u32 = 48;

/// Fields of its `DebugAnnotation`.
const ARGUMENT_NAME: u32 = 1;
const UNSIGNED: u32 = 3;
const SIGNED: u32 = 4;
const TEXT: u32 = 6;
const POINTER: u32 = 7;
const INTERNED_TEXT: u32 = 17;

/// What a track event is, by Perfetto's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// A track event.
#[derive(Debug)]
pub(super) struct Moment<'a> {
    pub(super) kind: EventKind,
    pub(super) track: u64,
    pub(super) time: u64,
    /// What begins or happens.
    pub(super) name: Option<&'a SliceName>,
    /// The name, of what happens once.
    pub(super) text: Option<&'a str>,
    pub(super) arguments: Option<SliceArguments<'a>>,
    /// How a slice has ended, if that is unusual.
    pub(super) ending: Option<&'a str>,
    /// That of a counter.
    pub(super) value: Option<u64>,
}

impl Moment<'_> {
    pub(super) fn new(kind: EventKind, track: u64, time: u64) -> Self {
        Moment { kind, track, time, name: None, text: None, arguments: None, ending: None, value: None }
    }
}

/// Makes bytes of track events.
#[derive(Debug)]
pub(super) struct EventEncoder {
    interned: Interned,
    event: Vec<u8>,
    annotation: Vec<u8>,
    /// The links that the next event of a thread is at.
    links: Vec<RecordLink>,
    /// The name of the argument that says how a slice has ended.
    ending: Rc<str>,
}

impl Default for EventEncoder {
    fn default() -> EventEncoder {
        let (event, annotation) = (Vec::new(), Vec::new());
        EventEncoder {
            interned: Interned::default(),
            event,
            annotation,
            links: Vec::new(),
            ending: "ending".into(),
        }
    }
}

impl EventEncoder {
    /// The next event of a thread is at these links.
    pub(super) fn link(&mut self, links: &[RecordLink]) {
        self.links.clear();
        self.links.extend_from_slice(links);
    }

    /// Whether something has come to the next event that had not begun at a time.
    pub(super) fn has_link_since(&self, time: u64) -> bool {
        self.links.iter().any(|link| link.is_end && link.begun > time)
    }

    /// The bytes of an event.
    pub(super) fn encode(&mut self, moment: &Moment<'_>, trace: &TraceInfo<'_>) -> TrackEventBytes<'_> {
        let EventEncoder { interned, event, annotation, links, ending } = self;
        event.clear();
        put_number(KIND, moment.kind as u64, event);
        put_number(TRACK, moment.track, event);
        if let Some(name) = moment.name {
            let (name, category) = interned.name(name);
            put_number(NAME, name, event);
            put_number(CATEGORY, category, event);
        }
        if let Some(text) = moment.text {
            put_bytes(NAME_TEXT, text.as_bytes(), event);
        }
        if let Some(arguments) = moment.arguments {
            arguments.each(|argument, value| {
                annotation.clear();
                put_number(ARGUMENT_NAME, interned.argument(argument), annotation);
                put_value(value, interned, trace, annotation);
                put_bytes(ANNOTATION, annotation, event);
            });
        }
        if let Some(text) = moment.ending {
            annotation.clear();
            put_number(ARGUMENT_NAME, interned.argument_name(ending), annotation);
            put_value(ArgumentValue::Text(text.into()), interned, trace, annotation);
            put_bytes(ANNOTATION, annotation, event);
        }
        if let Some(value) = moment.value {
            put_number(COUNTER_VALUE, value, event);
        } else {
            for RecordLink { id, is_end, .. } in links.drain(..) {
                put_fixed(if is_end { LAST_FLOW } else { FLOW }, id, event);
            }
        }
        TrackEventBytes { event, interned: interned.new_entries() }
    }
}

fn put_value(value: ArgumentValue<'_>, interned: &mut Interned, trace: &TraceInfo<'_>, out: &mut Vec<u8>) {
    match value {
        ArgumentValue::Signed(value) => put_number(SIGNED, value as u64, out),
        ArgumentValue::Unsigned(value) => put_number(UNSIGNED, value, out),
        ArgumentValue::Hex(value) => put_number(POINTER, value, out),
        ArgumentValue::Text(text) => match interned.text(&text) {
            Some(iid) => put_number(INTERNED_TEXT, iid, out),
            None => put_bytes(TEXT, text.as_bytes(), out),
        },
        ArgumentValue::Named(named) => match interned.named(named, trace) {
            Some(iid) => put_number(INTERNED_TEXT, iid, out),
            None => put_bytes(TEXT, named.text(trace).as_bytes(), out),
        },
    }
}
