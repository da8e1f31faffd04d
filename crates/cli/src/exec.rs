//! `lookback exec`: a program for which a session is the system's tracefs.

mod cover;
mod namespace;

use crate::arguments::ExecArguments;
use crate::failure::Done;
use crate::mounting::set_untraced;
use crate::record::child::Child;
use crate::record::pass_on;
use crate::record::program::Program;
use std::ffi::OsString;

/// Runs the program; the tree is served by this process, as long as it runs.
pub(crate) fn run(arguments: &ExecArguments) -> Done {
    let session = arguments.which.open()?;
    let path = std::path::absolute(session.path()).unwrap_or_else(|_| session.path().to_path_buf());
    let program = match arguments.command.as_slice() {
        [] => Program::locate(&[shell()])?,
        command => Program::locate(command)?,
    };
    // Before any thread is there.
    namespace::enter()?;
    let cover = cover::cover(session)?;
    let child = Child::start_in(&program, |command| {
        set_untraced(command);
        command.env("LOOKBACK_SESSION", &path).env("TRACEFS_PATH", &cover.place);
    });
    let status = child?.wait(|_| (), || ())?;
    // Before this process ends as the program did.
    drop(cover);
    pass_on(status)
}

fn shell() -> OsString {
    std::env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into())
}
