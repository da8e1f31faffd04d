//! Which events can be asked for.

use std::collections::HashSet;
use trace_data::dat::Metadata;
use trace_data::event::{Event, EventTable};
use trace_data::format::{Format, FormatError};
use trace_data::print::Dialect;

/// The events that a recording describes. Those of lookback's own describe only events that have happened:
/// one may ask for the others, too, and there are none.
pub(super) fn known(metadata: &Metadata) -> Result<EventTable, FormatError> {
    let mut known = metadata.events(Dialect::Kernel)?;
    let version = metadata.options.version.as_deref();
    if !version.is_some_and(|version| version.starts_with("lookback ")) {
        return Ok(known);
    }
    let names = known.iter().map(|event| (event.format().system.clone(), event.format().name.clone()));
    let names: HashSet<(String, String)> = names.collect();
    for event in events::selectable() {
        let name = (event.system.to_string(), event.name.to_string());
        if known.get(event.id).is_none() && !names.contains(&name) {
            known.insert(Event::new(
                Format::parse(event.system, &crate::events::format(&event))?,
                Dialect::Kernel,
            ));
        }
    }
    Ok(known)
}
