//! `max_graph_depth`: how deep the tracer `function_graph` follows calls.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads and takes how many levels of calls are recorded, from those that `set_graph_function` has; 0 for
/// all. The lower 32 bits of a number count, as in the kernel.
#[derive(Clone, Default)]
struct MaxGraphDepth;

pub(super) const LISTED: Listed = Listed::of::<MaxGraphDepth>(
    "max_graph_depth",
    "how many levels of calls function_graph records; 0 for all",
);

impl TextFile for MaxGraphDepth {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", array.instance().graph_depth()))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        array.instance().set_graph_depth(number::parse(bytes)? as u32).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree_for, write};
    use rustix::io::Errno;

    #[test]
    fn each_instance_has_its_own() {
        let (_directory, tree) = tree_for(1, 1);
        tree.make_directory("instances/a").unwrap();
        write(&tree, "max_graph_depth", "3").unwrap();
        write(&tree, "instances/a/max_graph_depth", "2").unwrap();
        assert_eq!(read(&tree, "max_graph_depth"), "3\n");
        assert_eq!(write(&tree, "max_graph_depth", "x"), Err(Errno::INVAL));
        assert_eq!(write(&tree, "max_graph_depth", "-1"), Err(Errno::INVAL));
        assert_eq!(write(&tree, "max_graph_depth", "999999999999999999999"), Err(Errno::RANGE));
        assert_eq!(read(&tree, "max_graph_depth"), "3\n");
        write(&tree, "max_graph_depth", "4294967296").unwrap();
        assert_eq!(read(&tree, "max_graph_depth"), "0\n");
        assert_eq!(read(&tree, "instances/a/max_graph_depth"), "2\n");
        tree.remove_directory("instances/a").unwrap();
        tree.make_directory("instances/a").unwrap();
        assert_eq!(read(&tree, "instances/a/max_graph_depth"), "0\n");
    }
}
