//! `ktrace/info`: all tracepoints with formats that there have been.

use super::tracepoint::FormatTracepoint;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use ktrace::{LOST_FORMAT, LOST_ID, LOST_NAME};
use rustix::io::Errno;

/// Reads the version, then a line for each: its name, format and id, and whether it is enabled. Those that no
/// process has any more stay, disabled. Once events were overwritten the first is of the records that say so.
#[derive(Clone, Default)]
struct Info;

pub(super) const LISTED: Listed =
    Listed::of::<Info>("info", "names, formats and ids of tracepoints, and whether they are enabled");

/// That of the tracer whose tree this is.
const VERSION: &str = "1.0.0";

impl TextFile for Info {
    const MODE: u32 = 0o444;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let lines = FormatTracepoint::all(array).into_iter().map(|tracepoint| {
            let FormatTracepoint { id, name, format } = &tracepoint;
            let state = if tracepoint.is_enabled(array) { "enabled" } else { "disabled" };
            format!("name '{name}' format '{format}' id {id} {state}\n")
        });
        let lost = (array.instance().buffer().overruns() > 0)
            .then(|| format!("name '{LOST_NAME}' format '{LOST_FORMAT}' id {LOST_ID} enabled\n"));
        Ok([format!("version {VERSION}\n")].into_iter().chain(lost).chain(lines).collect())
    }
}
