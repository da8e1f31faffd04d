//! `lookback set`.

use crate::arguments::SetArguments;
use crate::failure::{Done, Failure};
use crate::persistent::start::{enable_or_warn, tell_of_none};
use crate::tree;
use session::{FilteredSelection, Instance, Selection};
use std::process::ExitCode;

/// Enables or disables events, or writes to a control file.
pub(crate) fn set(arguments: &SetArguments) -> Done {
    if let state @ ("on" | "off") = arguments.what.as_str() {
        let event = arguments.value.display();
        return Err(Failure::failed(format_args!(
            "expected EVENT on|off, like `lookback set {event} {state}`"
        )));
    }
    let tree = tree::tree(&arguments.instance)?;
    let is_file = arguments.what.contains('/') || tree.find(&arguments.what).is_ok();
    match (is_file, arguments.condition) {
        (false, _) => switch(tree.instance(), arguments)?,
        (true, None) => tree::write(&tree, arguments)?,
        (true, Some(_)) => {
            return Err(Failure::failed(format_args!(
                "{} is a control file: give an event a filter, or write to its file `filter`",
                arguments.what
            )));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn switch(session: &Instance, arguments: &SetArguments) -> Done<()> {
    let what = &arguments.what;
    let selection: Selection = what.parse().map_err(Failure::failed)?;
    match arguments.value.to_str().filter(|_| !arguments.append) {
        Some("on") => {
            let wanted = FilteredSelection { selection, filter: arguments.filter.clone() };
            return enable_or_warn(session, &wanted);
        }
        Some("off") if arguments.condition.is_some() => {
            return Err(Failure::failed(
                "a disabled event needs no filter: expected EVENT off, or EVENT on if FILTER",
            ));
        }
        Some("off") => {
            if session.set(&selection, false)? == 0 {
                tell_of_none(&selection, "off");
            }
        }
        _ => {
            return Err(Failure::failed(format_args!(
                "{what} is no control file, which `lookback ls` shows; events are set on|off"
            )));
        }
    }
    Ok(())
}
