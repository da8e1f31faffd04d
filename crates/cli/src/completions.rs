//! What shells need to complete the command's arguments, made from what `--help` is made from.

use crate::arguments::CommandLine;
use crate::failure::Done;
use crate::stdout::written;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Writes the script for a shell to standard output.
pub(crate) fn write(shell: Shell) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "lookback", &mut script);
    written(std::io::stdout().write_all(&script))
}
