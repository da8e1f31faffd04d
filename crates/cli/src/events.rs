//! `lookback events`.

use crate::arguments::EventsArguments;
use crate::failure::{Done, Failure};
use crate::stdout::written;
use events::EventType;
use session::Selection;
use std::io::Write;
use trace_data::format::Format;

/// Shows the events.
pub(crate) fn run(arguments: &EventsArguments) -> Done {
    let selected: Vec<EventType> =
        events::selectable().filter(|event| is_selected(event, &arguments.events)).collect();
    if selected.is_empty() {
        let asked: Vec<&str> = arguments.events.iter().map(Selection::text).collect();
        return Err(Failure::failed(format_args!(
            "no event is called {}; `lookback events` shows all",
            asked.join(" or ")
        )));
    }
    written(show(&selected, arguments.format))
}

fn is_selected(event: &EventType, selections: &[Selection]) -> bool {
    let matches = |selection: &Selection| selection.matches(event.system, event.name, event.class);
    selections.is_empty() || selections.iter().any(matches)
}

fn show(events: &[EventType], format: bool) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let mut heading = String::new();
    for event in events {
        let name = format!("{}:{}", event.system, event.name);
        let class = event.class.map_or_else(|| "in no class".to_string(), |class| format!("@{class}"));
        if format {
            writeln!(out, "{name} {class}\n{}", event.own_format())?;
            continue;
        }
        if class != heading {
            let space = if heading.is_empty() { "" } else { "\n" };
            let style = anstyle::Style::new().bold();
            let note = if event.class.is_some_and(events::is_on_request) { "  (on request)" } else { "" };
            writeln!(out, "{space}{style}{class}{style:#}{note}")?;
            heading = class;
        }
        writeln!(out, "  {name:<28} {}", fields(event).join(" "))?;
    }
    Ok(())
}

/// The names of an event's own fields.
fn fields(event: &EventType) -> Vec<String> {
    let format = Format::parse(event.system, &format(event));
    let own = format.into_iter().flat_map(|format| format.fields.into_iter().skip(format.common));
    own.map(|field| field.name).collect()
}

/// The whole text of an event's `format` file.
fn format(event: &EventType) -> String {
    events::format_file(event.name, event.id, event.own_format()).to_string()
}
