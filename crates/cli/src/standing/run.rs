//! `lookback run`.

use crate::arguments::Run;
use crate::failure::Done;
use crate::object;
use crate::record::child::execute;
use crate::record::program::Program;
use crate::standing::{events_on, option};
use session::{Place, Session};

/// Becomes a program that takes part in a session.
pub(crate) fn run(arguments: &Run) -> Done {
    let session = arguments.which.open()?;
    let program = Program::find(&arguments.command)?;
    if !arguments.quiet {
        warn(&session);
    }
    let object = object::install(&Place::of_user()?)?;
    let path = session.path().to_path_buf();
    match execute(&program, &path, &object)? {}
}

/// Says why nothing will be recorded.
fn warn(session: &Session) {
    let option = option(session.path());
    if session.buffer().control().is_off() {
        anstream::eprintln!("lookback: recording is stopped; `lookback start{option}` goes on");
    } else if events_on(session) == 0 && session.rules().is_empty() {
        anstream::eprintln!("lookback: no event is on; `lookback set{option} EVENT on` switches some on");
    }
}
