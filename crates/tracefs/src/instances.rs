//! `instances`: a tree for each instance, with buffers of its own.
//!
//! Making a directory makes an instance, removing it removes the instance. Its tree has the files that the
//! kernel's instances have: those that exist once for all are only in the tree above. `flight` is the
//! recording, which always exists.

use crate::node::{Directory, Node};
use crate::trace_array::TraceArray;
use session::FLIGHT;
use std::sync::Arc;

pub(crate) struct InstancesDirectory {
    /// What each instance has.
    pub(crate) tree: Arc<dyn Directory>,
}

impl Directory for InstancesDirectory {
    fn names(&self, array: &TraceArray) -> Vec<String> {
        let mut names = array.instance().session().instances();
        names.push(FLIGHT.to_string());
        names
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        Some(Node::directory(&array.named(name)?, self.tree.clone()))
    }
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, tree_for, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Author, Instance};

    #[test]
    fn an_instance_is_a_tree_of_its_own() {
        let (_directory, tree) = tree_for(1, 2);
        tree.make_directory("instances/rare").unwrap();
        write(&tree, "instances/rare/events/libc/read/enable", "1").unwrap();
        assert_eq!(read(&tree, "instances/rare/set_event"), "libc:read\n");
        assert_eq!(read(&tree, "set_event"), "");
        write(&tree, "instances/rare/trace_marker", "there").unwrap();
        write(&tree, "instances/rare/options/markers", "0").unwrap();
        assert!(read(&tree, "instances/rare/trace").contains(": there\n"));
        assert!(!read(&tree, "trace").contains(": there\n"));
        assert_eq!(read(&tree, "options/markers"), "1\n");
        write(&tree, "instances/rare/snapshot", "1").unwrap();
        assert!(read(&tree, "instances/rare/snapshot").contains(": there\n"));
        assert!(read(&tree, "snapshot").contains("freed"));
        for absent in ["README", "instances", "saved_cmdlines"] {
            let path = format!("instances/rare/{absent}");
            assert_eq!(tree.open(&path, OFlags::RDONLY).map(drop), Err(Errno::NOENT), "{absent}");
        }
    }

    #[test]
    fn they_come_and_go_as_directories() {
        let (_directory, tree) = tree_for(1, 2);
        tree.make_directory("instances/one").unwrap();
        assert_eq!(tree.make_directory("instances/one"), Err(Errno::EXIST));
        tree.make_directory("instances/two").unwrap();
        assert_eq!(tree.make_directory("instances/three"), Err(Errno::NOMEM));
        assert_eq!(tree.make_directory("instances/one/new"), Err(Errno::PERM));
        // By somebody else, as another process.
        let other = Tree::new(Instance::open(tree.instance().path()).unwrap());
        let open = other.open("instances/one/trace", OFlags::RDONLY).unwrap();
        let removable = ["options/markers", "events/libc/read/trigger"];
        let opened =
            removable.map(|path| other.open(&format!("instances/one/{path}"), OFlags::RDWR).unwrap());
        write(&tree, "instances/one/options/irq-info", "0").unwrap();
        assert_eq!(tree.remove_directory("instances/one"), Err(Errno::BUSY));
        drop(open);
        tree.remove_directory("instances/one").unwrap();
        for mut file in opened {
            assert_eq!(file.read(2), Err(Errno::NODEV));
            assert_eq!(file.write(Author::current(), b"0"), Err(Errno::NODEV));
        }
        assert_eq!(tree.remove_directory("instances/one"), Err(Errno::NOENT));
        assert_eq!(tree.remove_directory("instances/two/events"), Err(Errno::PERM));
        assert_eq!(tree.remove_directory("instances"), Err(Errno::PERM));
        assert_eq!(tree.make_directory("instances/.."), Err(Errno::EXIST));
        assert_eq!(tree.make_directory(&format!("instances/{}", "x".repeat(256))), Err(Errno::NAMETOOLONG));
        tree.make_directory("instances/one").unwrap();
        assert_eq!(read(&tree, "instances/one/options/irq-info"), "1\n", "nothing is left of the first");
    }
}
