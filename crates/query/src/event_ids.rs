//! Events by their ids.

use crate::Error;
use session::Selection;
use std::collections::HashMap;
use trace_data::event::EventTable;

/// A set of event ids.
#[derive(Debug, Default)]
pub(crate) struct EventIds(Vec<bool>);

impl EventIds {
    /// Those of the selected events. A selection that selects none is an error: it is a typing error.
    pub(crate) fn select(selections: &[Selection], table: &EventTable) -> Result<EventIds, Error> {
        let classes: HashMap<(&str, &str), &str> =
            events::all().filter_map(|event| Some(((event.system, event.name), event.class?))).collect();
        let mut ids = EventIds::default();
        for selection in selections {
            let selected = table.iter().map(|event| event.format()).filter(|format| {
                let class = classes.get(&(format.system.as_str(), format.name.as_str()));
                selection.matches(&format.system, &format.name, class.copied())
            });
            let found: Vec<u16> = selected.map(|format| format.id).collect();
            if found.is_empty() {
                return Err(unknown(selection, table));
            }
            found.into_iter().for_each(|id| ids.insert(id));
        }
        Ok(ids)
    }

    fn insert(&mut self, id: u16) {
        let id = usize::from(id);
        if self.0.len() <= id {
            self.0.resize(id + 1, false);
        }
        self.0[id] = true;
    }

    /// Whether an event is among them.
    pub(crate) fn contains(&self, id: u16) -> bool {
        self.0.get(usize::from(id)).copied().unwrap_or(false)
    }
}

fn unknown(selection: &Selection, events: &EventTable) -> Error {
    let names = events.iter().map(|event| (event.format().system.as_str(), event.format().name.as_str()));
    Error::UnknownEvent { name: selection.text().to_owned(), similar: selection.similar(names) }
}
