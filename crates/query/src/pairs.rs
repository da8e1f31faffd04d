//! How long it took from one event to another.

mod durations;

pub use durations::{DurationSample, Durations};

use crate::event_ids::select;
use crate::{Error, LockHolder};
use session::Selection;
use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;
use trace_data::event::EventTable;
use trace_data::format::Field;
use trace_data::gaps::Gaps;
use trace_data::record::Record;

/// Which events are paired: `A..B`, or `A` for all of A up to their own `_exit`.
#[derive(Debug, Clone)]
pub struct PairRule {
    text: String,
    start: Selection,
    end: Option<Selection>,
}

impl FromStr for PairRule {
    type Err = String;

    fn from_str(text: &str) -> Result<PairRule, String> {
        let selection = |text: &str| text.parse::<Selection>().map_err(|error| error.to_string());
        let (start, end) = match text.split_once("..") {
            Some((start, end)) => (selection(start)?, Some(selection(end)?)),
            None => (selection(text)?, None),
        };
        Ok(PairRule { text: text.to_owned(), start, end })
    }
}

impl PairRule {
    /// The events, as they were given.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        [Some(&self.start), self.end.as_ref()].into_iter().flatten().map(Selection::text)
    }
}

/// What an event does for pairs: which row it starts, and which one it ends.
#[derive(Debug, Clone, Copy, Default)]
struct PairRole {
    starts: Option<u16>,
    ends: Option<u16>,
}

/// What the two events of a pair have in common: the thread, or the value of a field.
type PairKey = Vec<u8>;

/// An event that has started a pair.
#[derive(Debug)]
struct PairStart {
    time: u64,
    pid: i32,
    is_chosen: bool,
}

/// Pairs events and measures the time between them.
#[derive(Debug)]
pub struct Pairs {
    /// By event id.
    roles: Vec<PairRole>,
    /// The duration that an exit has itself, by event id: its pair is measured by the program that called.
    measured: HashMap<u16, Field>,
    /// The field that pairs have in common, by event id; none of all for threads.
    keys: Option<Vec<Option<Field>>>,
    open: HashMap<(u16, PairKey), PairStart>,
    gaps: Gaps,
    names: BTreeMap<u16, String>,
    durations: BTreeMap<u16, Durations>,
    /// Chosen ends without a start, and chosen starts that were followed by another one.
    unpaired: u64,
    uncertain: u64,
    /// Events with a role that were not chosen.
    passed_over: u64,
}

impl Pairs {
    /// Pairs events of the same thread, or with the same value in the field `key`. Events are missing from
    /// `gaps`: what started before one may have ended in it.
    ///
    /// # Errors
    ///
    /// When an event is unknown, has no exit where one is needed, or lacks the field.
    pub fn new(rule: &PairRule, key: Option<&str>, events: &EventTable, gaps: Gaps) -> Result<Pairs, Error> {
        let (roles, names) = roles(rule, events)?;
        let measured = match rule.end {
            None if key.is_none() => measured(&roles, events),
            _ => HashMap::new(),
        };
        let keys = key.map(|name| key_fields(name, &roles, events)).transpose()?;
        Ok(Pairs {
            roles,
            measured,
            keys,
            open: HashMap::new(),
            gaps,
            names,
            durations: BTreeMap::new(),
            unpaired: 0,
            uncertain: 0,
            passed_over: 0,
        })
    }

    /// Looks at a record. All have to come, in the order of time; pairs of chosen ones are measured. If it
    /// ends a wait for a lock, `holder` has held that.
    pub fn add(&mut self, record: &Record<'_>, is_chosen: bool, holder: Option<LockHolder>) {
        let (id, pid) = (record.id(), record.pid());
        let Some(role) = self.roles.get(usize::from(id)).copied() else { return };
        if role.ends.is_none() && role.starts.is_none() {
            return;
        }
        self.passed_over += u64::from(!is_chosen);
        let Some(key) = self.key(id, pid, record.payload) else { return };
        let measured = self.measured.get(&id).and_then(|field| field.integer(record.payload));
        if let Some((row, length)) = role.ends.zip(measured) {
            // The exit's time may be later than the end of the call: the entry knows the start, if it is its
            // own.
            let entry = self.open.remove(&(row, key.clone())).map(|start| start.time);
            let entry = entry.filter(|start| !self.gaps.lie_between(*start, record.time));
            if is_chosen {
                let start = entry.unwrap_or_else(|| record.time.saturating_sub(length as u64));
                let sample = DurationSample { length: length as u64, start, pid, holder };
                self.durations.entry(row).or_default().add(sample);
            }
        } else if let Some(row) = role.ends {
            self.end(row, key.clone(), record.time, is_chosen, holder);
        }
        if let Some(row) = role.starts {
            let start = PairStart { time: record.time, pid, is_chosen };
            let before = self.open.insert((row, key), start);
            self.unpaired += u64::from(before.is_some_and(|start| start.is_chosen));
        }
    }

    /// The names of all kinds of pairs that there can be.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.values().map(String::as_str)
    }

    /// The name and the durations of each kind of pair that there was.
    pub fn durations(&mut self) -> Vec<(&str, &Durations)> {
        self.durations.values_mut().for_each(Durations::sort);
        let name = |row: &u16| self.names.get(row).map_or("", String::as_str);
        self.durations.iter().map(|(row, durations)| (name(row), durations)).collect()
    }

    /// How many chosen events have no partner, so far.
    pub fn unpaired(&self) -> u64 {
        self.unpaired + self.open.values().filter(|start| start.is_chosen).count() as u64
    }

    /// How many pairs were not measured, because events are missing between the two: they may be of different
    /// pairs.
    pub fn uncertain(&self) -> u64 {
        self.uncertain
    }

    /// How many events that start or end pairs were not chosen.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// What an event shares with its partner. None where it hasn't got the field.
    fn key(&self, id: u16, pid: i32, payload: &[u8]) -> Option<PairKey> {
        match &self.keys {
            None => Some(pid.to_le_bytes().to_vec()),
            Some(keys) => {
                let field = keys.get(usize::from(id))?.as_ref()?;
                match field.integer(payload) {
                    Some(number) => Some(number.to_le_bytes().to_vec()),
                    None => field.bytes(payload).map(<[u8]>::to_vec),
                }
            }
        }
    }

    fn end(&mut self, row: u16, key: PairKey, time: u64, is_chosen: bool, holder: Option<LockHolder>) {
        match self.open.remove(&(row, key)) {
            None => self.unpaired += u64::from(is_chosen),
            Some(start) if !(start.is_chosen && is_chosen) => {}
            Some(start) if self.gaps.lie_between(start.time, time) => self.uncertain += 1,
            Some(PairStart { time: start, pid, .. }) => {
                let sample = DurationSample { length: time.saturating_sub(start), start, pid, holder };
                self.durations.entry(row).or_default().add(sample);
            }
        }
    }
}

/// What each event does, and the names of the rows.
fn roles(rule: &PairRule, events: &EventTable) -> Result<(Vec<PairRole>, BTreeMap<u16, String>), Error> {
    let starts = select(std::slice::from_ref(&rule.start), events)?;
    let ends = rule.end.as_ref().map(|end| select(std::slice::from_ref(end), events)).transpose()?;
    let last = events.iter().map(|event| event.format().id).max().unwrap_or(0);
    let mut roles = vec![PairRole::default(); usize::from(last) + 1];
    let mut names = BTreeMap::new();
    for format in events.iter().map(|event| event.format()).filter(|format| starts.contains(&format.id)) {
        if ends.is_some() {
            roles[usize::from(format.id)].starts = Some(0);
            names.insert(0, rule.text.clone());
            continue;
        }
        if let Some(exit) = events.named(&format.system, &format!("{}_exit", format.name)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::event::Event;
    use trace_data::format::Format;
    use trace_data::page::Missed;
    use trace_data::print::Dialect;

    const START: u16 = 42;
    const END: u16 = 43;

    fn pairs(gaps: &[(u64, u64)]) -> Pairs {
        let event = |name: &str, id: u16| {
            let format = format!(
                "name: {name}\nID: {id}\nformat:\n\
                 \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\nprint fmt: \"\"\n"
            );
            Event::new(Format::parse("libc", &format).unwrap(), Dialect::Kernel)
        };
        let events = [event("read", START), event("read_exit", END)].into_iter().collect();
        Pairs::new(&"read".parse().unwrap(), None, &events, Gaps::new(gaps.to_vec())).unwrap()
    }

    /// Adds records of one thread: event, time, whether it is chosen.
    fn add(pairs: &mut Pairs, records: &[(u16, u64, bool)]) {
        for (id, time, is_chosen) in records {
            let payload = [id.to_le_bytes().as_slice(), &[0, 0, 7, 0, 0, 0]].concat();
            let record = Record { cpu: 0, time: *time, payload: &payload, lost: Missed::None };
            pairs.add(&record, *is_chosen, None);
        }
    }

    fn measured(pairs: &mut Pairs) -> (Vec<u64>, u64, u64) {
        let longest =
            |durations: &Durations| durations.longest().iter().map(|sample| sample.length).collect();
        let lengths = pairs.durations().first().map_or_else(Vec::new, |(_, durations)| longest(durations));
        (lengths, pairs.uncertain(), pairs.unpaired())
    }

    #[test]
    fn pairs_across_gaps_are_counted_only() {
        let mut found = pairs(&[(0, 15), (40, 50)]);
        let records = [(START, 10, true), (END, 20, true), (START, 21, true), (END, 39, true)];
        add(&mut found, &records);
        add(&mut found, &[(START, 40, true), (END, 50, true), (START, 50, true), (END, 51, true)]);
        assert_eq!(measured(&mut found), (vec![18, 1], 2, 0));
    }

    #[test]
    fn what_is_not_chosen_ends_what_is() {
        let mut found = pairs(&[]);
        add(&mut found, &[(START, 10, true), (END, 20, false), (START, 30, false), (END, 90, true)]);
        add(&mut found, &[(START, 100, true), (END, 101, true), (END, 102, true), (START, 103, false)]);
        assert_eq!(measured(&mut found), (vec![1], 0, 1));
    }
}
