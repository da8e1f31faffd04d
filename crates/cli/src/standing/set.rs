//! `lookback set`.

use crate::arguments::{Set, Switch};
use crate::failure::Done;
use crate::standing::start::set_told;
use std::process::ExitCode;

/// Switches events on or off.
pub(crate) fn set(arguments: &Set) -> Done {
    let session = arguments.instance.open(&arguments.which)?;
    let on = arguments.state == Switch::On;
    if arguments.quiet {
        session.set(&arguments.event, on)?;
    } else {
        set_told(&session, &arguments.event, on)?;
    }
    Ok(ExitCode::SUCCESS)
}
