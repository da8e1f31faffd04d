//! The man pages, made from what `--help` is made from, and from the headers of the C library.

mod header;

use crate::arguments::CommandLine;
use crate::failure::{Done, Failure};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

/// Writes a page for the command, one for each of its tasks, and one for each header.
pub(crate) fn write(directory: &Path) -> Done {
    let command = CommandLine::command().disable_help_flag(true).disable_help_subcommand(true);
    let failed = |error| Failure::failed(format_args!("{}: {error}", directory.display()));
    clap_mangen::generate_to(command, directory).map_err(failed)?;
    for (name, text) in header::pages() {
        std::fs::write(directory.join(name), text).map_err(failed)?;
    }
    Ok(ExitCode::SUCCESS)
}
