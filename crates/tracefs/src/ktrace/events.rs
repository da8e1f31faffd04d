//! `ktrace/events`: a file for each tracepoint that a process has.

use super::switch;
use super::tracepoint::FormatTracepoint;
use crate::control_file::Change;
use crate::node::{Directory, Node};
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// The directory.
pub(super) struct KtraceEventsDirectory;

impl Directory for KtraceEventsDirectory {
    fn mode(&self) -> u32 {
        0o755
    }

    fn names(&self, array: &TraceArray) -> Vec<String> {
        let used = FormatTracepoint::all(array).into_iter().filter(|tracepoint| tracepoint.is_used(array));
        used.map(|tracepoint| tracepoint.name).collect()
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        let tracepoint =
            FormatTracepoint::named(array, name).filter(|tracepoint| tracepoint.is_used(array))?;
        Some(Node::file(array, Arc::new(TracepointFile(Arc::new(tracepoint)))))
    }
}

/// One of them: reads 0 or 1, takes a number.
#[derive(Clone)]
struct TracepointFile(Arc<FormatTracepoint>);

impl TextFile for TracepointFile {
    const MODE: u32 = 0o660;

    fn takes_away(&self, change: Change<'_>) -> bool {
        matches!(change, Change::Written(bytes) if switch::parse(bytes) == Ok(false))
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(switch::text(self.0.is_enabled(array)))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        self.0.enable(array, switch::parse(bytes)?)
    }
}

#[cfg(test)]
pub(in crate::ktrace) mod tests {
    use crate::Tree;
    use crate::top::tests::{read, tree, write};
    use control::NewProcess;
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use std::os::unix::process::parent_id;

    /// Has a process, which lives, declare a tracepoint, and gives its entry and the id.
    fn declare_in(tree: &Tree, pid: u32, name: &str, format: &str) -> (u32, u16) {
        let control = tree.instance().control();
        let new = NewProcess { pid, time: 1, ..NewProcess::default() };
        let entry = control.add_process(&new).unwrap();
        let text = format!("\tfield:int arg1;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"{format}\"\n");
        let id = control.add_declared_event("ktrace", name, &text, format).unwrap();
        control.use_tracepoint(id, entry);
        (entry, id)
    }

    pub(in crate::ktrace) fn declare(tree: &Tree, name: &str, format: &str) -> (u32, u16) {
        declare_in(tree, std::process::id(), name, format)
    }

    #[test]
    fn all_texts_are_those_of_the_tracer() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, "ktrace/info"), "version 1.0.0\n");
        let (_, order) = declare(&tree, "order", "order %d\n");
        let (entry, pay) = declare_in(&tree, parent_id(), "pay", "it's %s");
        assert_eq!([order, pay].map(|id| u32::from(id) >= 0x7000), [true, true]);
        assert_eq!(read(&tree, "ktrace/events/order"), "0\n");
        write(&tree, "ktrace/events/pay", "7").unwrap();
        assert_eq!(read(&tree, "ktrace/events/pay"), "1\n");
        assert_eq!(read(&tree, "events/ktrace/pay/enable"), "1\n");
        let info = format!(
            "version 1.0.0\nname 'order' format 'order %d\n' id {order} disabled\n\
             name 'pay' format 'it's %s' id {pay} enabled\n"
        );
        assert_eq!(read(&tree, "ktrace/info"), info);
        // With its last user its file goes.
        tree.instance().control().end_process(entry, 9);
        assert_eq!(tree.open("ktrace/events/pay", OFlags::RDONLY).map(drop), Err(Errno::NOENT));
        assert_eq!(
            read(&tree, "ktrace/info"),
            info.replace(&format!("{pay} enabled"), &format!("{pay} disabled"))
        );
        assert_eq!(read(&tree, "ktrace/overflow"), "0\n");
    }

    #[test]
    fn the_switch_for_all_leaves_each_as_it_is() {
        let (_directory, tree) = tree();
        let (_, id) = declare(&tree, "order", "order %d");
        write(&tree, "ktrace/events/order", "1").unwrap();
        let is_on = || !tree.instance().control().switched(id).on.is_empty();
        assert!(is_on() && read(&tree, "ktrace/enabled") == "1\n");
        write(&tree, "ktrace/enabled", "0\n").unwrap();
        assert!(!is_on() && read(&tree, "ktrace/enabled") == "0\n");
        assert_eq!(read(&tree, "ktrace/events/order"), "1\n");
        write(&tree, "ktrace/enabled", "2").unwrap();
        assert!(is_on() && read(&tree, "ktrace/enabled") == "1\n");
        for path in ["ktrace/enabled", "ktrace/events/order", "ktrace/reset"] {
            assert_eq!(write(&tree, path, &"1".repeat(64)), Err(Errno::INVAL), "{path}");
            assert_eq!(write(&tree, path, "on"), Err(Errno::INVAL), "{path}");
        }
    }

    #[test]
    fn a_reset_clears_the_buffer() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "one").unwrap();
        write(&tree, "ktrace/reset", "0").unwrap();
        assert!(read(&tree, "trace").contains(": one"));
        write(&tree, "ktrace/reset", "1").unwrap();
        assert!(!read(&tree, "trace").contains(": one"));
        assert_eq!(write(&tree, "ktrace/info", "1"), Err(Errno::INVAL));
        let mut reset = tree.open("ktrace/reset", OFlags::RDWR).unwrap();
        assert_eq!(reset.read(9), Err(Errno::INVAL));
    }

    #[test]
    fn modes_are_those_of_the_tracer() {
        let (_directory, tree) = tree();
        declare(&tree, "order", "order %d");
        let mode = |path: &str| match tree.find(path).unwrap() {
            crate::Node::Directory(directory) => directory.mode(),
            crate::Node::File(file) => file.mode(),
        };
        let paths = ["", "/events", "/events/order", "/enabled", "/info", "/overflow", "/reset"];
        let modes = paths.map(|path| mode(&format!("ktrace{path}")));
        assert_eq!(modes, [0o755, 0o755, 0o660, 0o664, 0o444, 0o444, 0o220]);
    }
}
