//! Options that a program was given, and that look like ours.

use crate::say::note;
use session::FilteredSelection;
use std::ffi::{OsStr, OsString};

/// Says it where a program was given an option that is meant for the task: what precedes the program is the
/// task's, and a `--` makes that plain.
pub(crate) fn note_options(task: &str, command: &[OsString]) {
    let mut words = std::env::args_os().rev();
    if words.nth(command.len()).is_some_and(|word| word == "--") {
        return;
    }
    let [program, arguments @ ..] = command else { return };
    let is_ours = |pair: &&[OsString]| match pair[0].to_str() {
        Some("-e" | "--event") => task == "record" && names_event(&pair[1]),
        Some("--session") => true,
        _ => false,
    };
    if let Some([option, value]) = arguments.windows(2).find(is_ours) {
        let (program, option, value) = (program.display(), option.display(), value.display());
        note!("lookback: {program} is given `{option} {value}`: options of {task} precede the program");
    }
}

/// Whether it selects an event that is built in.
fn names_event(word: &OsStr) -> bool {
    let wanted = word.to_str().and_then(|word| word.parse::<FilteredSelection>().ok());
    wanted.is_some_and(|FilteredSelection { selection, .. }| {
        events::selectable().any(|event| selection.matches(event.system, event.name, event.class))
    })
}
