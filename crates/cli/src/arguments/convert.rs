//! What `lookback convert` and `lookback flame` understand.

use super::SourceArguments;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Convert a trace for Perfetto and other viewers.
///
/// Timelines show all threads by process: calls, functions and spans as slices, nested as they were made,
/// other events as instants, and lost events as marks. Each is as long as `report --pair` says. Perfetto's
/// has arrows, counters, and who wakes whom as well.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Formats, by the suffix of OUT:
  .perfetto-trace, .pftrace    Perfetto: https://ui.perfetto.dev and
                               trace_processor
  .json                        trace events of Chrome: speedscope,
                               chrome://tracing
  .firefox.json                the Firefox Profiler:
                               https://profiler.firefox.com
  .pb.gz                       pprof: calls, time and bytes of each stack
  .ctf, ctf/                   a directory in LTTng's Common Trace Format 1.8:
                               babeltrace2, Trace Compass
  .folded                      folded stacks, for tools that draw flame graphs:
                               nanoseconds in each call and in none within it
  .dat                         a trace.dat file with the chosen events alone,
                               for lookback, trace-cmd and KernelShark
  .parquet                     the calls, for DuckDB, pandas and others; a
                               directory, with --format parquet, gets all
                               tables of lookback sql

Examples:
  lookback convert -o order.perfetto-trace
  lookback convert -s -o stall.perfetto-trace    the newest snapshot
  lookback convert -o calls.parquet order.dat
  lookback convert -e @file --time +1..+2 -o part.json other.dat
  lookback convert --time +1..+2 -g 4711 -o small.dat")]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Write to OUT; - is standard output
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The format, if the suffix doesn't say it
    #[arg(long, value_name = "FORMAT")]
    format: Option<ConvertFormat>,
}

/// Draw a flame graph of a trace, or what differs between two.
///
/// Widths are times in calls, functions and spans, in all threads of the same name. Calls stand on the
/// recorded stack if there is one (`--stacktrace`), and else on the calls, functions and spans that they
/// are nested in.
///
/// With --diff it draws B, coloured by how it differs from A: red is more, blue is less. What has vanished is
/// in A alone, so a second picture, OUT with -before in its name, draws A.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  lookback flame -o flame.svg
  lookback flame --by count -g 4711 -o counts.svg
  lookback flame | sort -k2 -n | tail       folded stacks, on standard output
  lookback flame --diff good.dat bad.dat -o diff.svg")]
pub(crate) struct FlameArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Write to OUT
    ///
    /// A picture if it ends in .svg, folded stacks otherwise. The default is folded stacks, on standard
    /// output.
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// What widths are: off-cpu needs -e @switch in the recording
    #[arg(long, value_name = "WHAT", default_value = "time")]
    pub(crate) by: FlameWeight,

    /// Compare two traces instead
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    #[arg(conflicts_with_all = ["file", "snapshot", "with_snapshots", "session"])]
    pub(crate) diff: Vec<PathBuf>,
}

/// What widths of a flame graph are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FlameWeight {
    /// Nanoseconds
    Time,
    /// How often
    Count,
    /// Bytes that calls have read, written, sent and received
    Bytes,
    /// Nanoseconds in which threads didn't run
    OffCpu,
}

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertFormat {
    /// Perfetto's
    Perfetto,
    /// Chrome's trace events
    Json,
    /// The Firefox Profiler's
    Firefox,
    /// pprof's profile, compressed
    Pprof,
    /// The Common Trace Format, of LTTng: a directory
    Ctf,
    /// Folded stacks
    Folded,
    /// A trace.dat file with the chosen events alone
    Dat,
    /// Tables of Parquet
    Parquet,
}

/// The suffixes of formats: of two that a name ends with, the one that comes first.
const SUFFIXES: [(&str, ConvertFormat); 10] = [
    (".perfetto-trace", ConvertFormat::Perfetto),
    (".pftrace", ConvertFormat::Perfetto),
    (".firefox.json", ConvertFormat::Firefox),
    (".json", ConvertFormat::Json),
    (".pb.gz", ConvertFormat::Pprof),
    (".ctf", ConvertFormat::Ctf),
    ("ctf/", ConvertFormat::Ctf),
    (".folded", ConvertFormat::Folded),
    (".dat", ConvertFormat::Dat),
    (".parquet", ConvertFormat::Parquet),
];

impl ConvertArguments {
    /// The format of the output.
    ///
    /// # Errors
    ///
    /// When its suffix doesn't say it: the text says what would.
    pub(crate) fn format(&self) -> Result<ConvertFormat, String> {
        let name = self.output.to_string_lossy();
        let by_suffix = SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix));
        self.format.or(by_suffix.map(|(_, format)| *format)).ok_or_else(|| {
            let known: Vec<&str> = SUFFIXES.iter().map(|(suffix, _)| *suffix).collect();
            let known = known.join(", ");
            format!("{name}: the suffix names no format: expected one of {known}, or --format")
        })
    }
}
