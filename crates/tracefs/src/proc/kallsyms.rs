//! `kallsyms`: names for the addresses in events.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads `ADDRESS T NAME`, and a shared object's name after that, for the functions of all files whose
/// addresses were in events that were consumed from this tree so far: by its pipes, of the instances too.
#[derive(Clone, Default)]
struct Kallsyms;

pub(super) const LISTED: Listed = Listed::of::<Kallsyms>("kallsyms", "names for the addresses in events");

impl TextFile for Kallsyms {
    const MODE: u32 = 0o444;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let mut text = array.reader().symbols().to_string();
        for instance in array.known_instances().values() {
            text.push_str(&instance.reader().symbols().to_string());
        }
        Ok(text)
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
