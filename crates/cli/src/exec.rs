//! `lookback exec`: a program for which a session is the system's tracefs, and which is recorded.

mod cover;
mod namespace;

use crate::arguments::ExecArguments;
use crate::failure::{Done, Failure};
use crate::mounting::set_untraced;
use crate::object;
use crate::record::child::{Child, set_traced};
use crate::record::pass_on;
use crate::record::program::Program;
use crate::say::note;
use session::Instance;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Runs the program; the tree is served by this process, as long as it runs.
pub(crate) fn run(arguments: &ExecArguments) -> Done {
    let session = arguments.which.open()?;
    session.forget_dead_reader();
    let path = std::path::absolute(session.path()).unwrap_or_else(|_| session.path().to_path_buf());
    let program = match arguments.command.as_slice() {
        [] => Program::locate(&[shell()])?,
        command => Program::locate(command)?,
    };
    // Before any thread is there.
    namespace::enter()?;
    let object = object_for(&session);
    let cover = cover::cover(session)?;
    let untraced = |command: &mut Command| {
        set_untraced(command);
        command.env("LOOKBACK_SESSION", &path).env("TRACEFS_PATH", &cover.place);
    };
    let traced = |command: &mut Command| {
        untraced(command);
        if let Some(object) = &object {
            set_traced(command, &path, object);
        }
    };
    let child = Child::start_in(&program, traced, untraced);
    let status = child?.wait(|_| (), || ())?;
    // Before this process ends as the program did.
    drop(cover);
    pass_on(status)
}

/// The object for programs that are recorded. None where they can't be: clients work all the same.
fn object_for(session: &Instance) -> Option<PathBuf> {
    let trusted = session.session().check_trusted().map_err(Failure::from);
    let installed = trusted.and_then(|()| object::install());
    installed.inspect_err(|failure| note!("lookback: {}; programs run unrecorded", failure.message())).ok()
}

fn shell() -> OsString {
    std::env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into())
}
