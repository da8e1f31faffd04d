//! `trace_options`: what the text has, and what the buffer does.

use crate::errno::errno;
use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::token;
use crate::tree::Tree;
use rustix::io::Errno;
use session::TraceOption;

/// Reads a line for each option, with `no` before those that are off. Takes one such word, with blanks around
/// it or not.
///
/// Source: `tracing_trace_options_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Debug, Clone)]
struct TraceOptions;

pub(super) const LISTED: Listed = Listed {
    name: "trace_options",
    help: "the options; one with 'no' before it is switched off",
    make: || Box::new(TraceOptions),
};

/// The first length that is no option's any more.
const TOO_LONG: usize = 64;

impl Control for TraceOptions {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o640
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        let line = |option: TraceOption| {
            format!("{}{}\n", if tree.session().option(option) { "" } else { "no" }, option.name())
        };
        Ok(TraceOption::ALL.iter().copied().map(line).collect::<String>().into_bytes())
    }

    fn store(&self, tree: &Tree, bytes: &[u8]) -> Result<usize, Errno> {
        if bytes.len() >= TOO_LONG {
            return Err(Errno::INVAL);
        }
        let word = token::strip(bytes);
        let (name, on) = word.strip_prefix(b"no").map_or((word, true), |name| (name, false));
        let option = std::str::from_utf8(name).ok().and_then(TraceOption::named).ok_or(Errno::INVAL)?;
        tree.session().set_option(option, on).map_err(|error| errno(&error))?;
        Ok(bytes.len())
    }
}
