//! `lookback run`.

use crate::arguments::RunArguments;
use crate::failure::Done;
use crate::object;
use crate::passed;
use crate::persistent::{events_on, option};
use crate::record::child::{execute, execute_untraced};
use crate::record::program::Program;
use crate::say::note;
use session::{Error, Instance, most_addresses};

/// Becomes a program that is attached to a session.
pub(crate) fn run(arguments: &RunArguments) -> Done {
    let path = arguments.which.path()?;
    passed::note_options("run", &arguments.command);
    let session = match Instance::open(&path) {
        // A service has to start, also after a reboot.
        Err(error @ (Error::NoSession { .. } | Error::Unusable { .. })) => {
            let program = Program::locate(&arguments.command)?;
            note!("lookback: {error}; {} runs unrecorded", program.name.display());
            match execute_untraced(&program)? {}
        }
        opened => opened?,
    };
    session.forget_dead_reader();
    session.session().check_trusted()?;
    let program = Program::find(&arguments.command)?;
    let needed = session.attached_bytes();
    if most_addresses().is_some_and(|most| most < needed) {
        let kb = needed / 1024;
        note!(
            "lookback: the program's addresses are limited (ulimit -v), and the session takes {kb} KB of them: it \
             runs unrecorded; `lookback start -b` makes smaller ones"
        );
    } else {
        note_what_is_missing(&session);
    }
    let object = object::install()?;
    match execute(&program, &path, &object)? {}
}

/// Says why nothing is recorded of a program, if its session is so.
pub(crate) fn note_what_is_missing(session: &Instance) {
    let option = option(session.path());
    if session.buffer().control().is_off() {
        note!("lookback: recording is stopped; `lookback start{option}` goes on");
    } else if events_on(session) == 0 && session.rules().is_empty() {
        note!("lookback: no event is enabled; `lookback set{option} EVENT on` enables some");
    }
}
