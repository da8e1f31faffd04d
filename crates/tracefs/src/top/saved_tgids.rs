//! `saved_tgids`: the processes of threads.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads `TID PID`, a line for each thread that the session knows: with the option `record-tgid`, which is
/// about the column in the text, and without it.
#[derive(Debug, Clone)]
struct SavedTgids;

pub(super) const LISTED: Listed = Listed {
    name: "saved_tgids",
    help: "the processes of the threads that the events are of",
    make: || Arc::new(SavedTgids),
};

impl TextFile for SavedTgids {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let threads = array.reader().threads();
        let lines = threads.processes().iter().map(|(tid, process)| format!("{tid} {process}\n"));
        Ok(lines.collect::<String>().into_bytes())
    }
}
