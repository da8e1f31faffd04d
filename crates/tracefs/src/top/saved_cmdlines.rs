//! `saved_cmdlines`: the names of threads.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads `TID NAME`, a line for each thread that the session knows.
#[derive(Debug, Clone)]
struct SavedCmdlines;

pub(super) const LISTED: Listed = Listed {
    name: "saved_cmdlines",
    help: "the names of the threads that the events are of",
    make: || Arc::new(SavedCmdlines),
};

impl TextFile for SavedCmdlines {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o440
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let threads = array.reader().threads();
        let lines = threads.names().iter().map(|(tid, name)| format!("{tid} {name}\n"));
        Ok(lines.collect::<String>().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use session::Author;

    #[test]
    fn who_has_written_has_a_name_and_a_process() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "here").unwrap();
        let (tid, pid) = (Author::current().tid, std::process::id());
        let name = std::fs::read_to_string(format!("/proc/{tid}/comm")).unwrap();
        assert!(read(&tree, "saved_cmdlines").contains(&format!("{tid} {name}")));
        assert!(read(&tree, "saved_tgids").contains(&format!("{tid} {pid}\n")));
        assert!(read(&tree, "trace").contains(&format!("{}-{tid}", name.trim_end())));
    }
}
