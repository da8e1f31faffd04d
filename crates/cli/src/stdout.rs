//! Results, on standard output.

use crate::failure::{Done, Failure};
use crate::painter::LinePainter;
use anstream::{AutoStream, ColorChoice};
use std::fmt::Display;
use std::io::{BufWriter, ErrorKind, StdoutLock, Write};
use std::process::ExitCode;

/// Prints a line, or several, on standard output. A reader that has closed it has seen enough: no error.
pub(crate) fn print(text: impl Display) -> Done {
    written(writeln!(anstream::stdout().lock(), "{text}"))
}

/// Where lines of events are printed: standard output, with colours where they are wanted.
pub(crate) fn lines(out: StdoutLock<'static>) -> Box<dyn Write> {
    match AutoStream::choice(&out) {
        ColorChoice::Never => Box::new(BufWriter::new(out)),
        _ => Box::new(BufWriter::new(LinePainter::new(out))),
    }
}

/// What has come of writing on standard output.
pub(crate) fn written(result: std::io::Result<()>) -> Done {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::failed(format_args!("standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
