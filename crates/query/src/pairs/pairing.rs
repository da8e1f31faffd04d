//! Which two events belong together.

use super::PairRule;
use crate::Error;
use crate::call_events::{exit_of, number_of_call};
use crate::event_ids::select;
use foldhash::HashMap;
use std::collections::BTreeMap;
use trace_data::event::EventTable;
use trace_data::format::Field;
use trace_data::gaps::Gaps;
use trace_data::record::Record;

/// What an event does for pairs: which row it starts, and which one it ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct PairRole {
    starts: Option<u16>,
    ends: Option<u16>,
}

/// What the two events of a pair have in common: the thread, and the number of the call where they are of
/// several, or the value of a field.
type PairKey = Vec<u8>;

/// An event that has started a pair.
#[derive(Debug)]
struct PairStart {
    time: u64,
    pid: i32,
    is_chosen: bool,
}

/// Two events that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundPair {
    /// The kind of pair.
    pub(crate) row: u16,
    pub(crate) start: u64,
    /// From the first to the second, in nanoseconds.
    pub(crate) length: u64,
    /// The thread that has started it.
    pub(crate) pid: i32,
}

/// Finds the pairs of a trace. Takes memory for each that has started.
#[derive(Debug)]
pub(crate) struct Pairing {
    /// By event id.
    roles: Vec<PairRole>,
    /// The duration that an exit has itself, by event id: its pair is measured by the program that called.
    measured: HashMap<u16, Field>,
    /// The field that pairs have in common, by event id; none of all for threads.
    keys: Option<Vec<Option<Field>>>,
    /// The number of the call, by event id.
    numbers: HashMap<u16, Field>,
    open: HashMap<(u16, PairKey), PairStart>,
    gaps: Gaps,
    /// Chosen ends without a start, and chosen starts that were followed by another one.
    unpaired: u64,
    uncertain: u64,
    /// Events with a role that were not chosen.
    passed_over: u64,
}

impl Pairing {
    /// By a rule, of the same thread or with the same value in the field `key`; and the names of the rows.
    pub(super) fn new(
        rule: &PairRule,
        key: Option<&str>,
        events: &EventTable,
        gaps: Gaps,
    ) -> Result<(Pairing, BTreeMap<u16, String>), Error> {
        let (roles, names) = roles(rule, events)?;
        let measured = match rule.end {
            None if key.is_none() => measured(&roles, events),
            _ => HashMap::default(),
        };
        let keys = key.map(|name| key_fields(name, &roles, events)).transpose()?;
        let numbers = numbers(&roles, events);
        Ok((Pairing { numbers, ..Pairing::with(roles, measured, keys, gaps) }, names))
    }

    /// Of the same thread, from each first event to its second one. The row is the first one's id.
    pub(crate) fn of(pairs: &[(u16, u16)], events: &EventTable, gaps: Gaps) -> Pairing {
        let mut roles = no_roles(events);
        for (start, end) in pairs {
            roles[usize::from(*start)].starts = Some(*start);
            roles[usize::from(*end)].ends = Some(*start);
        }
        let measured = measured(&roles, events);
        Pairing::with(roles, measured, None, gaps)
    }

    fn with(
        roles: Vec<PairRole>,
        measured: HashMap<u16, Field>,
        keys: Option<Vec<Option<Field>>>,
        gaps: Gaps,
    ) -> Pairing {
        let (open, numbers) = (HashMap::default(), HashMap::default());
        Pairing { roles, measured, keys, numbers, open, gaps, unpaired: 0, uncertain: 0, passed_over: 0 }
    }

    /// Looks at a record. All have to come, in the order of time. The pair that it ends, if all of that is
    /// chosen.
    pub(crate) fn add(&mut self, record: &Record<'_>, is_chosen: bool) -> Option<FoundPair> {
        let (id, pid) = (record.id(), record.pid());
        let role = self.roles.get(usize::from(id)).copied()?;
        if role.ends.is_none() && role.starts.is_none() {
            return None;
        }
        self.passed_over += u64::from(!is_chosen);
        let key = self.key(id, pid, record.payload)?;
        let measured = self.measured.get(&id).and_then(|field| field.integer(record.payload));
        let mut found = None;
        if let Some((row, length)) = role.ends.zip(measured) {
            // The exit's time may be later than the end of the call: the entry knows the start, if it is its
            // own.
            let entry = self.open.remove(&(row, key.clone())).map(|start| start.time);
            let entry = entry.filter(|start| !self.gaps.lie_between(*start, record.time));
            if is_chosen {
                let start = entry.unwrap_or_else(|| record.time.saturating_sub(length as u64));
                found = Some(FoundPair { row, start, length: length as u64, pid });
            }
        } else if let Some(row) = role.ends {
            found = self.end(row, key.clone(), record.time, is_chosen);
        }
        if let Some(row) = role.starts {
            let start = PairStart { time: record.time, pid, is_chosen };
            let before = self.open.insert((row, key), start);
            self.unpaired += u64::from(before.is_some_and(|start| start.is_chosen));
        }
        found
    }

    /// How many chosen events have no partner, so far.
    pub(super) fn unpaired(&self) -> u64 {
        self.unpaired + self.open.values().filter(|start| start.is_chosen).count() as u64
    }

    /// How many pairs were not measured, because events are missing between the two: they may be of different
    /// pairs.
    pub(crate) fn uncertain(&self) -> u64 {
        self.uncertain
    }

    /// How many events that start or end pairs were not chosen.
    pub(crate) fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// What an event shares with its partner. None where it hasn't got the field.
    fn key(&self, id: u16, pid: i32, payload: &[u8]) -> Option<PairKey> {
        match &self.keys {
            None => {
                let number = self.numbers.get(&id).and_then(|field| field.integer(payload));
                let number = number.map(i64::to_le_bytes);
                Some(pid.to_le_bytes().into_iter().chain(number.into_iter().flatten()).collect())
            }
            Some(keys) => {
                let field = keys.get(usize::from(id))?.as_ref()?;
                match field.integer(payload) {
                    Some(number) => Some(number.to_le_bytes().to_vec()),
                    None => field.bytes(payload).map(<[u8]>::to_vec),
                }
            }
        }
    }

    fn end(&mut self, row: u16, key: PairKey, time: u64, is_chosen: bool) -> Option<FoundPair> {
        match self.open.remove(&(row, key)) {
            None => self.unpaired += u64::from(is_chosen),
            Some(start) if !(start.is_chosen && is_chosen) => {}
            Some(start) if self.gaps.lie_between(start.time, time) => self.uncertain += 1,
            Some(PairStart { time: start, pid, .. }) => {
                return Some(FoundPair { row, start, length: time.saturating_sub(start), pid });
            }
        }
        None
    }
}

fn no_roles(events: &EventTable) -> Vec<PairRole> {
    let last = events.iter().map(|event| event.format().id).max().unwrap_or(0);
    vec![PairRole::default(); usize::from(last) + 1]
}

/// What each event does, and the names of the rows.
fn roles(rule: &PairRule, events: &EventTable) -> Result<(Vec<PairRole>, BTreeMap<u16, String>), Error> {
    let starts = select(std::slice::from_ref(&rule.start), events)?;
    let ends = rule.end.as_ref().map(|end| select(std::slice::from_ref(end), events)).transpose()?;
    let mut roles = no_roles(events);
    let mut names = BTreeMap::new();
    for format in events.iter().map(|event| event.format()).filter(|format| starts.contains(&format.id)) {
        if ends.is_some() {
            roles[usize::from(format.id)].starts = Some(0);
            names.insert(0, rule.text.clone());
            continue;
        }
        if let Some(exit) = exit_of(format, events) {
            roles[usize::from(format.id)].starts = Some(format.id);
            roles[usize::from(exit.format().id)].ends = Some(format.id);
            names.insert(format.id, format!("{}:{}", format.system, format.name));
        }
    }
    if names.is_empty() {
        return Err(Error::NoExit(rule.text.clone()));
    }
    for format in events.iter().map(|event| event.format()) {
        if ends.as_ref().is_some_and(|ends| ends.contains(&format.id)) {
            roles[usize::from(format.id)].ends = Some(0);
        }
    }
    Ok((roles, names))
}

/// The duration of each event that ends a pair and has one.
fn measured(roles: &[PairRole], events: &EventTable) -> HashMap<u16, Field> {
    let ends = |id: u16| roles.get(usize::from(id)).is_some_and(|role| role.ends.is_some());
    let formats = events.iter().map(|event| event.format()).filter(|format| ends(format.id));
    formats.filter_map(|format| Some((format.id, format.field("duration")?.clone()))).collect()
}

/// The number of the call in each event that has a role; none where some have none.
fn numbers(roles: &[PairRole], events: &EventTable) -> HashMap<u16, Field> {
    let has_role = |id: u16| roles.get(usize::from(id)).is_some_and(|role| *role != PairRole::default());
    let formats = events.iter().map(|event| event.format()).filter(|format| has_role(format.id));
    let numbers: Option<_> =
        formats.map(|format| Some((format.id, number_of_call(format)?.clone()))).collect();
    numbers.unwrap_or_default()
}

/// The field `name` of each event that has a role.
fn key_fields(name: &str, roles: &[PairRole], events: &EventTable) -> Result<Vec<Option<Field>>, Error> {
    let mut keys = vec![None; roles.len()];
    for format in events.iter().map(|event| event.format()) {
        let role = roles.get(usize::from(format.id)).copied().unwrap_or_default();
        if role.starts.is_none() && role.ends.is_none() {
            continue;
        }
        let field = format.field(name).ok_or_else(|| Error::NoKey {
            name: name.to_owned(),
            event: format!("{}:{}", format.system, format.name),
            fields: format.fields.iter().map(|field| field.name.clone()).collect(),
        })?;
        keys[usize::from(format.id)] = Some(field.clone());
    }
    Ok(keys)
}
