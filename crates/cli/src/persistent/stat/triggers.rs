//! The triggers of a session.

use crate::number::grouped;
use session::{Instance, TriggerInfo};

/// The most events that are named of those with one trigger.
const MOST_NAMED: usize = 3;

/// A line for each trigger, or one for those that many events have.
pub(super) fn trigger_lines(triggers: &[(String, TriggerInfo)]) -> Vec<String> {
    let mut events: Vec<(String, Vec<&str>)> = Vec::new();
    for (event, trigger) in triggers {
        let text = trigger.to_string();
        match events.iter_mut().find(|(known, _)| *known == text) {
            Some((_, named)) => named.push(event),
            None => events.push((text, vec![event])),
        }
    }
    let lines = events.into_iter().flat_map(|(trigger, events)| match events.split_at_checked(MOST_NAMED) {
        Some(([first, ..], [_, ..])) => {
            vec![format!("{first} and {} more: {trigger}", grouped(events.len() as u64 - 1))]
        }
        _ => events.iter().map(|event| format!("{event} {trigger}")).collect(),
    });
    lines.collect()
}

/// All triggers, each with the event that has it.
pub(super) fn triggers(session: &Instance) -> Vec<(String, TriggerInfo)> {
    let all = session.events().flat_map(|event| {
        let name = format!("{}:{}", event.system, event.name);
        session.triggers(event.id).into_iter().map(move |trigger| (name.clone(), trigger))
    });
    all.collect()
}
