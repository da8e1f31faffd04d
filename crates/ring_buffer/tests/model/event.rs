//! Events: every unit of one names it, so whatever is not whole is seen.

use crate::layout::{DATA, Value};

/// Units of a time extend.
pub const TIME_EXTEND_SIZE: Value = 1;

const KIND_BITS: u32 = 2;
const IDENTITY_BITS: u32 = 7;
const TIME_EXTEND: Value = 3;
const PAYLOAD: Value = 1 << 15;

/// An event: `identity` is its own among all of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Which event it is.
    pub identity: u8,
    /// Units that it takes in a page: 2 or 3.
    pub size: Value,
}

impl Event {
    /// The event's units, when it is written `delta` after the one before.
    pub fn units(self, delta: Value) -> impl Iterator<Item = Value> {
        let head =
            (self.size - 1) | Value::from(self.identity) << KIND_BITS | delta << (KIND_BITS + IDENTITY_BITS);
        let payload = (1..self.size).map(move |unit| self.payload(unit));
        std::iter::once(head).chain(payload)
    }

    fn payload(self, unit: Value) -> Value {
        PAYLOAD | unit << 8 | Value::from(self.identity)
    }
}

/// The unit of a time extend.
pub fn time_extend(delta: Value) -> Value {
    TIME_EXTEND | delta << KIND_BITS
}

/// A data event found in a copied page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Found {
    /// Which event its first unit names.
    pub identity: u8,
    /// Its time.
    pub time: Value,
    /// Whether its other units name the same event.
    pub whole: bool,
}

/// A page that has been copied.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copied {
    /// Number of its first event.
    pub first_event: Value,
    /// Its time stamp.
    pub time_stamp: Value,
    /// Units of events in it.
    pub commit: Value,
    /// The events.
    pub data: [Value; DATA],
}

impl Copied {
    /// The data events, oldest first: `Walk`. It ends where there is no entry, or only part of one.
    pub fn walk(&self) -> impl Iterator<Item = Found> {
        let mut rest = &self.data[..usize::from(self.commit).min(DATA)];
        let mut time = self.time_stamp;
        std::iter::from_fn(move || {
            loop {
                let (delta, size) = match entry_kind(*rest.first()?) {
                    EntryKind::TimeExtend(delta) => (delta, TIME_EXTEND_SIZE),
                    EntryKind::Data { delta, size } => (delta, size),
                    EntryKind::End => return None,
                };
                let (entry, after) = rest.split_at_checked(usize::from(size))?;
                time = time.wrapping_add(delta);
                rest = after;
                if size > TIME_EXTEND_SIZE {
                    return Some(found_at(entry, time));
                }
            }
        })
    }
}

/// What an entry of a page is, by its first unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// An event, so long after the entry before, of so many units.
    Data {
        /// How long.
        delta: Value,
        /// How many.
        size: Value,
    },
    /// That much time passed.
    TimeExtend(Value),
    /// None.
    End,
}

/// What an entry of a page is, by its first unit.
pub fn entry_kind(head: Value) -> EntryKind {
    match head & 3 {
        TIME_EXTEND => EntryKind::TimeExtend(head >> KIND_BITS),
        0 => EntryKind::End,
        kind => EntryKind::Data { delta: head >> (KIND_BITS + IDENTITY_BITS), size: kind + 1 },
    }
}

/// The data event of these units, at a time.
pub fn found_at(units: &[Value], time: Value) -> Found {
    let head = units.first().map_or(0, |head| *head);
    let identity = (head >> KIND_BITS & ((1 << IDENTITY_BITS) - 1)) as u8;
    let event = Event { identity, size: units.len() as Value };
    let whole = units.iter().zip(0..).skip(1).all(|(word, unit)| *word == event.payload(unit));
    Found { identity, time, whole }
}

/// What a unit of a page says.
pub fn describe(unit: Value) -> String {
    if unit == 0 {
        "nothing".into()
    } else if unit & PAYLOAD != 0 {
        format!("payload {} of event {}", unit >> 8 & 127, unit & 127)
    } else if unit & 3 == TIME_EXTEND {
        format!("time extend {}", unit >> KIND_BITS)
    } else {
        let delta = unit >> (KIND_BITS + IDENTITY_BITS);
        format!("event {}, delta {delta}", unit >> KIND_BITS & ((1 << IDENTITY_BITS) - 1))
    }
}
