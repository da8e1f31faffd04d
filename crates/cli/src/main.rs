//! lookback: ftrace for user space.
//!
//! ```text
//! lookback record -- CMD      run a program and record what it and its children do
//! lookback report             show what was recorded
//! lookback start              a session that stands: run, show, snapshot, extract, stat and more
//! lookback get, set, cat, ls  the control tree; mount, umount: as files
//! ```
#![forbid(unsafe_code)]
// They panic where nothing can be written, and end the command with a status of their own: `say`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod completions;
mod events;
mod exec;
mod failure;
mod json;
mod manual;
mod mounting;
mod number;
mod object;
mod record;
mod report;
mod say;
mod signals;
mod standing;
mod tree;

use arguments::{Arguments, Task};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::outlive_file_limit();
    shm::outlive_truncation();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    let is_recording = matches!(arguments.task, Task::Record(_));
    let done = match arguments.task {
        Task::Record(arguments) => record::run(&arguments),
        Task::Report(arguments) => report::run(&arguments),
        Task::Start(arguments) => standing::start(&arguments),
        Task::Stop(arguments) => standing::stop(&arguments),
        Task::Run(arguments) => standing::run(&arguments),
        Task::Show(arguments) => standing::show(&arguments),
        Task::Snapshot(arguments) => standing::snapshot(&arguments),
        Task::Extract(arguments) => standing::extract(&arguments),
        Task::Set(arguments) => standing::set(&arguments),
        Task::Get(arguments) => tree::get(&arguments),
        Task::Cat(arguments) => tree::cat(&arguments),
        Task::Ls(arguments) => tree::ls(&arguments),
        Task::Mount(arguments) => mounting::mount(&arguments),
        Task::Umount(arguments) => mounting::umount(&arguments),
        Task::Exec(arguments) => exec::run(&arguments),
        Task::List(arguments) => standing::list(&arguments),
        Task::Stat(arguments) => standing::stat(&arguments),
        Task::Clear(arguments) => standing::clear(&arguments),
        Task::Reset(arguments) => standing::reset(&arguments),
        Task::Delete(arguments) => standing::delete(&arguments),
        Task::Install(arguments) => standing::install(&arguments),
        Task::Events(arguments) => events::run(&arguments),
        Task::Completions(arguments) => completions::write(arguments.shell),
        Task::Preload => object::print_path(),
        Task::Manual { directory } => manual::write(&directory),
    };
    // A recording keeps what it has, and the program's status.
    let is_torn = !is_recording && shm::was_truncated();
    let done = match done {
        Ok(_) if is_torn => Err(Failure::failed("a session's file was truncated while it was read")),
        done => done,
    };
    done.unwrap_or_else(|failure| failure.report())
}
