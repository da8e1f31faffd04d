//! `sub_buffers`: the instances, made by writing a name.
//!
//! As its authors proposed it in 2012: a name that is written to `create` becomes a directory next to it,
//! with the files of the tree. The kernel has `instances` for it since 3.10. Here both show the same.

use crate::instances::InstancesDirectory;
use crate::node::{Directory, Node};
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use std::sync::Arc;

/// What makes an instance.
const CREATE: &str = "create";

pub(crate) struct SubBuffersDirectory(pub(crate) InstancesDirectory);

impl Directory for SubBuffersDirectory {
    fn names(&self, array: &TraceArray) -> Vec<String> {
        let mut names = self.0.names(array);
        names.retain(|name| name != CREATE);
        names.push(CREATE.to_string());
        names
    }

    fn entry(&self, array: &TraceArray, name: &str) -> Option<Node> {
        if name == CREATE { Some(Node::file(array, Arc::new(Create))) } else { self.0.entry(array, name) }
    }
}

/// Takes a name, of which there is an instance then. EEXIST, and what mkdir(2) in `instances` says.
///
/// Source: "Ftrace as a flight recorder" of 2012, `echo foobar > tracing/sub_buffers/create`.
#[derive(Debug, Clone)]
struct Create;

impl TextFile for Create {
    const MODE: u32 = 0o200;

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let name = token::strip(bytes)?;
        if name == CREATE {
            return Err(Errno::EXIST);
        }
        array.create(name)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree_for, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    #[test]
    fn a_name_becomes_a_directory() {
        let (_directory, tree) = tree_for(0, 2);
        write(&tree, "sub_buffers/create", "foobar\n").unwrap();
        assert!(!tree.instance().session().has_top(), "nothing is taken away");
        write(&tree, "sub_buffers/foobar/trace_marker", "rare").unwrap();
        assert!(read(&tree, "instances/foobar/trace").ends_with(": rare\n"));
        for (name, error) in [
            ("foobar", Errno::EXIST),
            ("create", Errno::EXIST),
            ("flight", Errno::EXIST),
            ("", Errno::INVAL),
            ("a/b", Errno::INVAL),
            (&"x".repeat(256), Errno::NAMETOOLONG),
        ] {
            assert_eq!(write(&tree, "sub_buffers/create", name), Err(error), "{name:?}");
        }
        tree.make_directory("instances/other").unwrap();
        assert_eq!(write(&tree, "sub_buffers/create", "more"), Err(Errno::NOMEM));
        let crate::Node::Directory(found) = tree.find("sub_buffers").unwrap() else { panic!("a file") };
        assert_eq!(found.names(), ["create", "flight", "foobar", "other"]);
        assert_eq!(tree.make_directory("sub_buffers/new"), Err(Errno::PERM));
        tree.remove_directory("sub_buffers/foobar").unwrap();
        assert_eq!(tree.open("instances/foobar/trace", OFlags::RDONLY).map(drop), Err(Errno::NOENT));
        assert_eq!(tree.remove_directory("sub_buffers/create"), Err(Errno::NOTDIR));
    }
}
