//! What a file lacks of what has happened, as it is said after an answer.

use crate::say::{note, say};
use crate::trace::AskedTrace;
use std::collections::BTreeMap;
use trace_data::text::printable;

/// What a file lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lacking {
    /// What the file is called.
    name: String,
    /// How many events were lost.
    lost: u64,
    /// Losses whose number nobody knows, which count as one event each.
    uncounted: u64,
    /// How many events were not written, for other reasons.
    dropped: u64,
    /// Why not all of it could be read, if so.
    damage: Option<String>,
}

impl Lacking {
    /// What a trace lacks.
    pub fn of_trace(trace: &AskedTrace) -> Lacking {
        Lacking {
            name: printable(trace.name()).into_owned(),
            lost: trace.lost(),
            uncounted: trace.uncounted(),
            dropped: trace.dropped(),
            damage: trace.damage(),
        }
    }

    /// What tables in Parquet lack, by the notes that they were written with.
    pub fn of_notes(name: &str, notes: &BTreeMap<String, String>) -> Lacking {
        let number = |key: &str| notes.get(key).and_then(|value| value.parse().ok()).unwrap_or(0);
        Lacking {
            name: name.to_owned(),
            lost: number("lost"),
            uncounted: number("lost_uncounted"),
            dropped: number("not_written"),
            damage: notes
                .get("damage")
                .map(|damage| format!("{name} was made of what is damaged: {}", printable(damage))),
        }
    }

    /// Says it. Whether the answer is of what can be read alone.
    pub fn tell(&self) -> bool {
        let Lacking { name, lost, uncounted, dropped, damage } = self;
        if *lost > 0 {
            let least = if *uncounted == 0 { "" } else { "at least " };
            note!(
                "lookback: {name} lacks {least}{}, which were lost: the table losses says when",
                events(*lost)
            );
        }
        if *dropped > 0 {
            note!("lookback: {name} lacks {}, which were not written", events(*dropped));
        }
        damage.iter().for_each(|text| say!("lookback: {text}; the answer is of what can be read"));
        damage.is_some()
    }
}

fn events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_what_the_trace_lacked() {
        let notes = [("lost", "7"), ("lost_uncounted", "1"), ("not_written", "x")];
        let notes = notes.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let expected = Lacking { name: "a".to_owned(), lost: 7, uncounted: 1, ..Lacking::default() };
        assert_eq!(Lacking::of_notes("a", &notes), expected);
        assert!(!expected.tell());
    }
}
