//! `kallsyms`: names for the addresses in events.

use crate::listed::Listed;
use crate::text_file::{Text, TextFile};
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// Reads `ADDRESS T NAME`, and a shared object's name after that, for the functions of all files whose
/// addresses were in events that were consumed from this tree so far: by its pipes, of the instances too.
#[derive(Debug, Clone)]
struct Kallsyms;

pub(super) const LISTED: Listed =
    Listed { name: "kallsyms", help: "names for the addresses in events", make: || Arc::new(Kallsyms) };

impl TextFile for Kallsyms {
    const TEXT: Text = Text::Kept;

    fn mode(&self) -> u32 {
        0o444
    }

    fn show(&self, array: &TraceArray) -> Result<Vec<u8>, Errno> {
        let mut text = array.reader().symbols().to_string();
        for instance in array.known_instances().values() {
            text.push_str(&instance.reader().symbols().to_string());
        }
        Ok(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::fs::OFlags;

    #[test]
    fn addresses_of_events_that_were_taken_have_names() {
        let (_directory, tree) = tree();
        let proc = tree.proc_files();
        assert_eq!(read(&proc, "kallsyms"), "");
        write(&tree, "trace_marker", "here").unwrap();
        tree.open("trace_pipe", OFlags::RDONLY).unwrap().read(4096).unwrap();
        let text = read(&proc, "kallsyms");
        assert!(text.lines().any(|line| line.ends_with(" T tracing_mark_write")), "{text}");
        assert!(text.lines().all(|line| line.split(' ').count() >= 3), "{text}");
    }
}
