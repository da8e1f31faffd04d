//! `trace_options`: what the text has, and what the buffer does.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::TraceOption;
use std::sync::Arc;

/// Reads a line for each option, with `no` before those that are off. Takes one such word, with blanks around
/// it or not.
///
/// Source: `tracing_trace_options_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Debug, Clone)]
struct TraceOptions;

pub(super) const LISTED: Listed = Listed {
    name: "trace_options",
    help: "the options; one with 'no' before it is switched off",
    make: || Arc::new(TraceOptions),
};

/// The first length that is no option's any more.
const TOO_LONG: usize = 64;

impl TextFile for TraceOptions {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let line = |option: TraceOption| {
            format!("{}{}\n", if array.instance().option(option) { "" } else { "no" }, option.name())
        };
        Ok(TraceOption::ALL.iter().copied().map(line).collect::<String>().into_bytes())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        if bytes.len() >= TOO_LONG {
            return Err(Errno::INVAL);
        }
        let word = token::strip(bytes);
        let (name, on) = word.strip_prefix(b"no").map_or((word, true), |name| (name, false));
        let option = std::str::from_utf8(name).ok().and_then(TraceOption::named).ok_or(Errno::INVAL)?;
        array.instance().set_option(option, on).map_err(errno)?;
        Ok(bytes.len())
    }
}
