//! The man pages, made from what `--help` is made from.

use crate::arguments::CommandLine;
use crate::failure::{Done, Failure};
use clap::CommandFactory;
use std::path::Path;
use std::process::ExitCode;

/// Writes a page for the command and one for each of its tasks.
pub(crate) fn write(directory: &Path) -> Done {
    let command = CommandLine::command().disable_help_flag(true).disable_help_subcommand(true);
    clap_mangen::generate_to(command, directory)
        .map_err(|error| Failure::failed(format_args!("{}: {error}", directory.display())))?;
    Ok(ExitCode::SUCCESS)
}
