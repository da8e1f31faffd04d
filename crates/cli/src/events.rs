//! `lookback events`.

use crate::arguments::Events;
use crate::failure::{Done, Failure};
use agent::Listed;
use session::Selection;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Shows the events.
pub(crate) fn run(arguments: &Events) -> Done {
    let selected: Vec<Listed> =
        agent::events().filter(|event| is_selected(event, &arguments.events)).collect();
    if selected.is_empty() {
        let asked: Vec<&str> = arguments.events.iter().map(Selection::text).collect();
        return Err(Failure::failed(format_args!(
            "no event is called {}; `lookback events` shows all",
            asked.join(" or ")
        )));
    }
    match show(&selected, arguments.format) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::failed(error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn is_selected(listed: &Listed, selections: &[Selection]) -> bool {
    let matches =
        |selection: &Selection| selection.matches(listed.event.system, listed.event.name, Some(listed.class));
    selections.is_empty() || selections.iter().any(matches)
}

fn show(events: &[Listed], format: bool) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let mut class = "";
    for listed in events {
        let name = format!("{}:{}", listed.event.system, listed.event.name);
        if format {
            writeln!(out, "{name} @{}\n{}", listed.class, listed.event.format())?;
            continue;
        }
        if listed.class != class {
            let space = if class.is_empty() { "" } else { "\n" };
            class = listed.class;
            let style = anstyle::Style::new().bold();
            let note = if agent::is_on_request(class) { "  (on request)" } else { "" };
            writeln!(out, "{space}{style}@{class}{style:#}{note}")?;
        }
        let fields: Vec<&str> = listed.event.fields.iter().map(|field| field.name).collect();
        writeln!(out, "  {name:<28} {}", fields.join(" "))?;
    }
    Ok(())
}
