//! `lookback set`.

use crate::arguments::{Set, Switch};
use crate::failure::{Done, Failure};
use crate::standing::start::{switch_on_told, tell_of_none};
use session::FilteredSelection;
use std::process::ExitCode;

/// Switches events on or off.
pub(crate) fn set(arguments: &Set) -> Done {
    if arguments.state == Switch::Off && arguments.condition.is_some() {
        return Err(Failure::failed(
            "what is off needs no filter: expected EVENT off, or EVENT on if FILTER",
        ));
    }
    let session = arguments.instance.open(&arguments.which)?;
    let wanted = FilteredSelection { selection: arguments.event.clone(), filter: arguments.filter.clone() };
    match (arguments.state, arguments.quiet) {
        (Switch::On, false) => switch_on_told(&session, &wanted)?,
        (Switch::On, true) => drop(session.switch_on(&wanted)?),
        (Switch::Off, quiet) => {
            if session.set(&wanted.selection, false)? == 0 && !quiet {
                tell_of_none(&wanted.selection, "off");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
