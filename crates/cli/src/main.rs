//! lookback: ftrace for user space.
//!
//! ```text
//! lookback record -- CMD      run a program and record what it and its children do
//! lookback report, explain    show what was recorded; what of it is worth a look
//! lookback view               as a timeline in the browser
//! lookback diff               what differs between two
//! lookback sql                ask it in SQL
//! lookback convert, flame     for Perfetto and other viewers; as a picture
//! lookback start              a persistent session: run, show, snapshot, extract, stat and more
//! lookback get, set, cat, ls  the control tree; mount, umount: as files
//! ```
#![forbid(unsafe_code)]
// They panic where nothing can be written, and end the command with a status of their own: `say`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod accounts;
mod arguments;
mod attach;
mod columns;
mod completeness;
mod completions;
mod convert;
mod diff;
mod duration;
mod events;
mod exec;
mod explain;
mod failure;
mod functions_off;
mod interrupt;
mod json;
mod manual;
mod mounting;
mod number;
mod object;
mod pager;
mod painter;
mod passed;
mod persistent;
mod probes;
mod record;
mod report;
mod say;
mod signals;
mod sql;
mod stdout;
mod tree;
mod unseen;
mod usage;
mod view;

use arguments::{SnapshotsTask, TaskArguments};
use failure::Failure;
use pager::Pager;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::outlive_file_limit();
    shm::outlive_truncation();
    let arguments = match usage::parse() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    if arguments.quiet {
        say::be_quiet();
    }
    let pager = has_long_text(&arguments.task).then(Pager::start).flatten();
    let is_recording = matches!(arguments.task, TaskArguments::Record(_));
    let done = match arguments.task {
        TaskArguments::Record(arguments) => record::run(&arguments),
        TaskArguments::Report(arguments) => report::run(&arguments),
        TaskArguments::Explain(arguments) => explain::run(&arguments),
        TaskArguments::Convert(arguments) => convert::convert(&arguments),
        TaskArguments::Flame(arguments) => convert::flame(&arguments),
        TaskArguments::Diff(arguments) => diff::run(&arguments),
        TaskArguments::View(arguments) => view::run(&arguments),
        TaskArguments::Sql(_) => sql::run(),
        TaskArguments::Start(arguments) => persistent::start(&arguments),
        TaskArguments::Stop(arguments) => persistent::stop(&arguments),
        TaskArguments::Run(arguments) => persistent::run(&arguments),
        TaskArguments::Attach(arguments) => attach::attach(&arguments),
        TaskArguments::Detach(arguments) => attach::detach(&arguments),
        TaskArguments::Show(arguments) => persistent::show(&arguments),
        TaskArguments::Snapshot(arguments) => persistent::snapshot(&arguments),
        TaskArguments::Snapshots(arguments) => persistent::snapshots(*arguments),
        TaskArguments::Latency(arguments) => persistent::latency(&arguments),
        TaskArguments::Extract(arguments) => persistent::extract(&arguments),
        TaskArguments::Persist(arguments) => persistent::persist(&arguments),
        TaskArguments::Set(arguments) => persistent::set(&arguments),
        TaskArguments::Probe(arguments) => probes::run(&arguments),
        TaskArguments::Get(arguments) => tree::get(&arguments),
        TaskArguments::Cat(arguments) => tree::cat(&arguments),
        TaskArguments::Ls(arguments) => tree::ls(&arguments),
        TaskArguments::Mount(arguments) => mounting::mount(&arguments),
        TaskArguments::Umount { directory } => mounting::umount(&directory),
        TaskArguments::Exec(arguments) => exec::run(&arguments),
        TaskArguments::List(arguments) => persistent::list(&arguments),
        TaskArguments::Stat(arguments) => persistent::stat(&arguments),
        TaskArguments::Clear(arguments) => persistent::clear(&arguments),
        TaskArguments::Reset(arguments) => persistent::reset(&arguments),
        TaskArguments::Delete(arguments) => persistent::delete(&arguments),
        TaskArguments::Install(arguments) => persistent::install(&arguments),
        TaskArguments::Events(arguments) => events::run(&arguments),
        TaskArguments::Completions { shell } => completions::write(shell),
        TaskArguments::Version => stdout::print(concat!("lookback ", env!("CARGO_PKG_VERSION"))),
        TaskArguments::Preload => object::print_path(),
        TaskArguments::Manual { directory } => manual::write(&directory),
    };
    // A recording keeps what it has, and the program's status.
    let is_torn = !is_recording && shm::was_truncated();
    let done = match done {
        Ok(_) if is_torn => Err(Failure::failed("a session's file was truncated while it was read")),
        done => done,
    };
    let code = done.unwrap_or_else(|failure| failure.report());
    drop(pager);
    code
}

/// Whether what is printed may be more than a screen has, and has an end.
fn has_long_text(task: &TaskArguments) -> bool {
    match task {
        TaskArguments::Report(arguments) => !arguments.view.no_pager,
        TaskArguments::Show(arguments) => !arguments.pipe && !arguments.view.no_pager,
        TaskArguments::Snapshots(arguments) => {
            matches!(&arguments.task, Some(SnapshotsTask::Show(shown)) if !shown.view.no_pager)
        }
        _ => false,
    }
}
