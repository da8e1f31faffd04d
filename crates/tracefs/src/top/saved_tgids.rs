//! `saved_tgids`: the processes of threads.

use crate::file::{Control, Text};
use crate::listed::Listed;
use crate::tree::Tree;
use rustix::io::Errno;

/// Reads `TID PID`, a line for each thread that the session knows: with the option `record-tgid`, which is
/// about the column in the text, and without it.
#[derive(Debug, Clone)]
struct SavedTgids;

pub(super) const LISTED: Listed = Listed {
    name: "saved_tgids",
    help: "the processes of the threads that the events are of",
    make: || Box::new(SavedTgids),
};

impl Control for SavedTgids {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, tree: &Tree) -> Result<Vec<u8>, Errno> {
        let threads = tree.reader().threads();
        let lines = threads.iter().map(|thread| format!("{} {}\n", thread.tid, thread.process));
        Ok(lines.collect::<String>().into_bytes())
    }
}
