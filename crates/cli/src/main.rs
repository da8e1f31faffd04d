//! lookback: ftrace for user space.
//!
//! ```text
//! lookback record -- CMD      run a program and record what it and its children do
//! lookback report             show what was recorded
//! ```
#![forbid(unsafe_code)]

mod arguments;
mod choice;
mod completions;
mod events;
mod failure;
mod manual;
mod number;
mod object;
mod record;
mod report;

use arguments::{Arguments, Task};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::usage(&error),
    };
    let done = match arguments.task {
        Task::Record(arguments) => record::run(&arguments),
        Task::Report(arguments) => report::run(&arguments),
        Task::Events(arguments) => events::run(&arguments),
        Task::Completions(arguments) => completions::write(arguments.shell),
        Task::Preload => object::print_path(),
        Task::Manual { directory } => manual::write(&directory),
    };
    done.unwrap_or_else(|failure| failure.report())
}
