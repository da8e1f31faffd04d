//! `trace_options`: what the text has, and what the buffer does.

use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::TraceOption;

/// Reads a line for each option, with `no` before those that are off; a tracer's own while it is current.
/// Takes one such word, with blanks around it or not.
///
/// Source: `tracing_trace_options_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone, Default)]
struct TraceOptions;

pub(super) const LISTED: Listed =
    Listed::of::<TraceOptions>("trace_options", "the options; one with 'no' before it is disabled");

/// The first length that is no option's any more.
const TOO_LONG: usize = 64;

/// Those of all tracers, and those of the current one.
fn options(array: &TraceArray) -> impl Iterator<Item = TraceOption> {
    let current = array.instance().tracer();
    let all = TraceOption::ALL.iter().copied();
    all.filter(move |option| option.tracer().is_none_or(|tracer| tracer == current))
}

impl TextFile for TraceOptions {
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let line = |option: TraceOption| {
            format!("{}{}\n", if array.instance().option(option) { "" } else { "no" }, option.name())
        };
        Ok(options(array).map(line).collect::<String>())
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        if bytes.len() >= TOO_LONG {
            return Err(Errno::INVAL);
        }
        let word = token::strip(bytes)?;
        let (name, on) = word.strip_prefix("no").map_or((word, true), |name| (name, false));
        let option = options(array).find(|option| option.name() == name).ok_or(Errno::INVAL)?;
        array.instance().set_option(option, on).map_err(errno)
    }
}
