//! Which events are shown.

use crate::failure::{Done, Failure};
use session::Selection;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use trace_data::event::EventTable;
use trace_data::merge::Record;

/// Numbers and ranges of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List(Vec<RangeInclusive<u32>>);

/// Reads a list like `0,2-3`.
pub(crate) fn list(text: &str) -> Result<List, String> {
    let expected = || format!("expected numbers and ranges like 0,2-3, found {text:?}");
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| expected());
    let range = |part: &str| match part.split_once('-') {
        Some((first, last)) => Ok(number(first)?..=number(last)?),
        None => number(part).map(|number| number..=number),
    };
    let ranges: Vec<_> = text.split(',').map(range).collect::<Result<_, _>>()?;
    if ranges.iter().any(RangeInclusive::is_empty) { Err(expected()) } else { Ok(List(ranges)) }
}

impl List {
    /// Of one number.
    pub(crate) fn of(number: u32) -> List {
        List(vec![number..=number])
    }

    fn contains(&self, number: u32) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }
}

/// What is asked for. Nothing means everything.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    pub(crate) events: &'a [Selection],
    pub(crate) cpus: Option<&'a List>,
    pub(crate) threads: Option<&'a List>,
}

/// The same, for the events of one recording.
#[derive(Debug)]
pub(crate) struct Filter {
    events: Option<HashSet<u16>>,
    cpus: Option<List>,
    threads: Option<List>,
}

impl Filter {
    /// For a recording with these events.
    pub(crate) fn new(choice: &Choice<'_>, events: &EventTable) -> Done<Filter> {
        let chosen = if choice.events.is_empty() {
            None
        } else {
            let classes: HashMap<(&str, &str), &str> = agent::events()
                .map(|listed| ((listed.event.system, listed.event.name), listed.class))
                .collect();
            Some(choose(choice.events, events, &classes)?)
        };
        Ok(Filter { events: chosen, cpus: choice.cpus.cloned(), threads: choice.threads.cloned() })
    }

    /// Whether an event is shown.
    pub(crate) fn shows(&self, record: &Record<'_>) -> bool {
        let word = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        self.cpus.as_ref().is_none_or(|cpus| cpus.contains(record.cpu))
            && self.events.as_ref().is_none_or(|events| events.contains(&abi::common::event(word)))
            && self.threads.as_ref().is_none_or(|threads| threads.contains(abi::common::pid(word) as u32))
    }
}

/// The ids of the selected events. One that selects none is an error: it is a typing error.
fn choose(
    selections: &[Selection],
    events: &EventTable,
    classes: &HashMap<(&str, &str), &str>,
) -> Done<HashSet<u16>> {
    let mut chosen = HashSet::new();
    for selection in selections {
        let selected = events.iter().map(|event| event.format()).filter(|format| {
            let class = classes.get(&(format.system.as_str(), format.name.as_str()));
            selection.matches(&format.system, &format.name, class.copied())
        });
        let ids: Vec<u16> = selected.map(|format| format.id).collect();
        if ids.is_empty() {
            return Err(unknown(selection, events));
        }
        chosen.extend(ids);
    }
    Ok(chosen)
}

fn unknown(selection: &Selection, events: &EventTable) -> Failure {
    let similar = selection.similar(super::names(events));
    let hint = if similar.is_empty() { String::new() } else { format!("; similar: {}", similar.join(", ")) };
    Failure::failed(format_args!("the recording knows no event called {}{hint}", selection.text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_numbers_and_ranges() {
        let odd = list("1,3-5").unwrap();
        assert_eq!(
            [0, 1, 2, 3, 5, 6].map(|number| odd.contains(number)),
            [false, true, false, true, true, false]
        );
        for bad in ["", "a", "1,", "5-3", "-1", "1-"] {
            assert!(list(bad).is_err(), "{bad:?}");
        }
    }
}
