//! How long it took from one event to another.

mod durations;
mod pairing;

pub use durations::{DurationSample, Durations};
pub(crate) use pairing::{FoundPair, Pairing};

use crate::{Error, LockHolder};
use session::Selection;
use std::collections::BTreeMap;
use std::str::FromStr;
use trace_data::event::EventTable;
use trace_data::gaps::Gaps;
use trace_data::record::Record;

/// Which events are paired: `A..B`, or `A` for all of A up to their own exits.
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

/// Pairs events and measures the time between them.
#[derive(Debug)]
pub struct Pairs {
    pairing: Pairing,
    names: BTreeMap<u16, String>,
    durations: BTreeMap<u16, Durations>,
}

impl Pairs {
    /// Pairs events of the same thread, or with the same value in the field `key`. Events are missing from
    /// `gaps`: what started before one may have ended in it.
    ///
    /// # Errors
    ///
    /// When an event is unknown, has no exit where one is needed, or lacks the field.
    pub fn new(rule: &PairRule, key: Option<&str>, events: &EventTable, gaps: Gaps) -> Result<Pairs, Error> {
        let (pairing, names) = Pairing::new(rule, key, events, gaps)?;
        Ok(Pairs { pairing, names, durations: BTreeMap::new() })
    }

    /// Looks at a record. All have to come, in the order of time; pairs of chosen ones are measured. If it
    /// ends a wait for a lock, `holder` has held that.
    pub fn add(&mut self, record: &Record<'_>, is_chosen: bool, holder: Option<LockHolder>) {
        if let Some(FoundPair { row, start, length, pid }) = self.pairing.add(record, is_chosen) {
            self.durations.entry(row).or_default().add(DurationSample { length, start, pid, holder });
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
        self.pairing.unpaired()
    }

    /// How many pairs were not measured, because events are missing between the two: they may be of different
    /// pairs.
    pub fn uncertain(&self) -> u64 {
        self.pairing.uncertain()
    }

    /// How many events that start or end pairs were not chosen.
    pub fn passed_over(&self) -> u64 {
        self.pairing.passed_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_event::test_event;
    use trace_data::event::Event;
    use trace_data::format::Format;
    use trace_data::page::Missed;
    use trace_data::print::Dialect;

    const START: u16 = 42;
    const END: u16 = 43;

    fn pairs(gaps: &[(u64, u64)]) -> Pairs {
        let event = |name: &str, id: u16| test_event("libc", name, id, "");
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
    fn system_calls_are_paired_by_their_numbers() {
        let events: EventTable = [events::system_call::ENTER, events::system_call::EXIT]
            .map(|event| {
                let text = events::format_file(event.name, event.id, event.own_format()).to_string();
                Event::new(Format::parse(event.system, &text).unwrap(), Dialect::Kernel)
            })
            .into_iter()
            .collect();
        let [enter, exit] = [events::system_call::ENTER_ID, events::system_call::EXIT_ID];
        for rule in ["raw_syscalls:sys_enter", "sys_enter..sys_exit"] {
            let mut found = Pairs::new(&rule.parse().unwrap(), None, &events, Gaps::default()).unwrap();
            // A handler of a signal makes a call, and returns by one that has no exit.
            for (id, number, time) in [
                (enter, 7, 10),
                (enter, 1, 20),
                (exit, 1, 22),
                (enter, 15, 25),
                (exit, 7, 110),
                (exit, 9, 120),
            ] {
                let payload = [u64::from(id) | 5 << 32, number, 0].map(u64::to_le_bytes).concat();
                let record = Record { cpu: 0, time, payload: &payload, lost: Missed::None };
                found.add(&record, true, None);
            }
            assert_eq!(measured(&mut found), (vec![100, 2], 0, 2), "{rule}");
        }
    }

    #[test]
    fn what_is_not_chosen_ends_what_is() {
        let mut found = pairs(&[]);
        add(&mut found, &[(START, 10, true), (END, 20, false), (START, 30, false), (END, 90, true)]);
        add(&mut found, &[(START, 100, true), (END, 101, true), (END, 102, true), (START, 103, false)]);
        assert_eq!(measured(&mut found), (vec![1], 0, 1));
    }
}
