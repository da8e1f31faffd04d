//! The file that a trace is written to, and its format.

use crate::failure::{Done, Failure};
use clap::Args;
use recording::Version;
use std::path::PathBuf;

/// The file that a trace is written to, and its format.
#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// Write the trace to FILE
    #[arg(short = 'o', long = "output", value_name = "FILE", default_value = "trace.dat")]
    pub(crate) file: PathBuf,

    /// Compress the trace
    ///
    /// To a third or a tenth of the size, for readers of trace.dat version 7.
    #[arg(long)]
    compress: bool,

    /// The version of trace.dat to write: 6 or 7
    ///
    /// The default is 6, or 7 with --compress.
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u8).range(6..=7))]
    file_version: Option<u8>,
}

impl OutputArguments {
    /// The version of the file.
    pub(crate) fn version(&self) -> Done<Version> {
        match (self.file_version, self.compress) {
            (Some(6), true) => {
                Err(Failure::failed("version 6 can't be compressed: leave out --compress, or --file-version"))
            }
            (_, true) => Ok(Version::SevenCompressed),
            (Some(7), false) => Ok(Version::Seven),
            _ => Ok(Version::Six),
        }
    }
}
