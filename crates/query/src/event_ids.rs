//! Events by their ids.

use crate::Error;
use foldhash::{HashMap, HashSet};
use session::Selection;
use trace_data::event::EventTable;
use trace_data::info::TraceInfo;

/// The ids of the selected events. A selection that selects none is an error: it is a typing error.
pub(crate) fn select(selections: &[Selection], table: &EventTable) -> Result<HashSet<u16>, Error> {
    let classes: HashMap<(&str, &str), &str> =
        events::all().filter_map(|event| Some(((event.system, event.name), event.class?))).collect();
    let mut ids = HashSet::default();
    for selection in selections {
        let selected = table.iter().map(|event| event.format()).filter(|format| {
            let class = classes.get(&(format.system.as_str(), format.name.as_str()));
            selection.matches(&format.system, &format.name, class.copied())
        });
        let mut selected = selected.map(|format| format.id).peekable();
        if selected.peek().is_none() {
            return Err(unknown(selection, table));
        }
        ids.extend(selected);
    }
    Ok(ids)
}

/// Whether a trace may have an event: of those that are built in lookback's traces describe those that have
/// happened, the kernel's all.
pub fn has_happened(trace: &TraceInfo<'_>, system: &str, event: &str) -> bool {
    let systems = trace.metadata.systems.iter().filter(|known| known.name == system);
    let name = format!("name: {event}\n");
    systems.flat_map(|system| &system.formats).any(|format| format.starts_with(&name))
}

fn unknown(selection: &Selection, events: &EventTable) -> Error {
    let names = events.iter().map(|event| (event.format().system.as_str(), event.format().name.as_str()));
    Error::UnknownEvent { name: selection.text().to_owned(), similar: selection.similar(names) }
}
