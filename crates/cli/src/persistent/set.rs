//! `lookback set`.

use crate::arguments::{ChangeArguments, SetArguments};
use crate::failure::{Done, Failure};
use crate::persistent::pending::follow;
use crate::persistent::start::{enable_or_warn, tell_of_none};
use crate::tree;
use session::{FilteredSelection, Instance, Selection};
use tracefs::Tree;

/// Enables or disables events, or writes to a control file; and has programs follow.
pub(crate) fn set(arguments: &SetArguments) -> Done {
    let tree = tree::tree(&arguments.instance)?;
    let before = tree.instance().control().functions_wanted();
    if let Some(what) = &arguments.change {
        change(&tree, what, arguments.append)?;
    }
    Ok(follow(tree.instance(), before, arguments.now)?)
}

fn change(tree: &Tree, change: &ChangeArguments, append: bool) -> Done<()> {
    if let state @ ("on" | "off") = change.what.as_str() {
        let event = change.value.display();
        return Err(Failure::failed(format_args!(
            "expected EVENT on|off, like `lookback set {event} {state}`"
        )));
    }
    let is_file = change.what.contains('/') || tree.find(&change.what).is_ok();
    match (is_file, change.condition) {
        (false, _) => switch(tree.instance(), change, append),
        (true, None) => tree::write(tree, change, append),
        (true, Some(_)) => Err(Failure::failed(format_args!(
            "{} is a control file: give an event a filter, or write to its file `filter`",
            change.what
        ))),
    }
}

fn switch(session: &Instance, change: &ChangeArguments, append: bool) -> Done<()> {
    let what = &change.what;
    let selection: Selection = what.parse().map_err(Failure::failed)?;
    match change.value.to_str().filter(|_| !append) {
        Some("on") => {
            let wanted = FilteredSelection { selection, filter: change.filter.clone() };
            enable_or_warn(session, &wanted)
        }
        Some("off") if change.condition.is_some() => Err(Failure::failed(
            "a disabled event needs no filter: expected EVENT off, or EVENT on if FILTER",
        )),
        Some("off") => {
            if session.set(&selection, false)? == 0 {
                tell_of_none(&selection, "off");
            }
            Ok(())
        }
        _ => Err(Failure::failed(format_args!(
            "{what} is no control file, which `lookback ls` shows; events are set on|off"
        ))),
    }
}
