//! `saved_cmdlines` and `saved_tgids`: the names and the processes of threads.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::fmt::Display;
use std::sync::Arc;
use trace_data::threads::ThreadTable;

/// Reads `TID NAME` or `TID PID`, a line for each thread that the session knows: the latter with and without
/// the option `record-tgid`, which is about the column in the text.
#[derive(Clone)]
struct SavedThreadsFile(fn(&ThreadTable) -> String);

pub(super) const CMDLINES: Listed = Listed {
    name: "saved_cmdlines",
    help: "the names of the threads that the events are of",
    make: || Arc::new(SavedThreadsFile(|threads| lines(threads.names()))),
};

pub(super) const TGIDS: Listed = Listed {
    name: "saved_tgids",
    help: "the processes of the threads that the events are of",
    make: || Arc::new(SavedThreadsFile(|threads| lines(threads.processes()))),
};

impl TextFile for SavedThreadsFile {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(self.0(&array.reader().threads()))
    }
}

fn lines(threads: &[(i32, impl Display)]) -> String {
    threads.iter().map(|(tid, value)| format!("{tid} {value}\n")).collect()
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
