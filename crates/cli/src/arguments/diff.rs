//! What `lookback diff` understands.

use super::PartArguments;
use clap::Args;
use std::path::PathBuf;

/// Say what differs between two traces, beyond noise.
///
/// A is good, and B is compared with it: which calls of which program are made more or less often, or take
/// longer or shorter; which errors are new, gone, or differ in how often they are; which paths and peers are
/// new or gone. Rates are for each process where both traces have all of a program's processes from their
/// start to their end, and else for each second. Lengths are compared by their ranks (Mann and Whitney),
/// after what all calls have in common, and tails by how many lengths exceed what few did. Waits for locks
/// are calls, too, where the traces have them.
///
/// If A is a directory, all of its trace.dat files are good: what differs among them is noise.
///
/// Snapshots end with what has triggered them: of two, the moments before that are compared, as long as the
/// shorter one is, unless a time is chosen. --by-end does so with files.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A and B:
  a trace.dat file, a directory of such files (A only), or the number of a
  snapshot of a session, which `lookback snapshots` shows.

Examples:
  lookback diff good.dat bad.dat
  lookback diff 0 3                         two snapshots of a session
  lookback diff good/ bad.dat               yesterday's recordings, and today's
  lookback diff -e @file -g 4711 1 2
  lookback diff --by-end good.dat stall.dat
  lookback diff --json good.dat bad.dat | jq '.errors[] | select(.rates[0]==0)'

Exit status:
  0 whether or not something differs; --exit-code makes it 1 if something does,
  as diff(1) does, and 125 if a trace can't be read.")]
pub(crate) struct DiffArguments {
    /// The good trace, or a directory of several
    #[arg(value_name = "A")]
    pub(crate) good: PathBuf,

    /// The trace that is compared with it
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,

    #[command(flatten)]
    pub(crate) part: PartArguments,

    /// Compare the ends of the traces
    ///
    /// As long as the shortest one is; those of snapshots always are, unless a time is chosen.
    #[arg(long, conflicts_with_all = ["from", "to", "time"])]
    pub(crate) by_end: bool,

    /// Show all that differs, not just what fits a screen
    #[arg(short = 'a', long)]
    pub(crate) all: bool,

    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Return 1 if something differs
    #[arg(long)]
    pub(crate) exit_code: bool,
}
