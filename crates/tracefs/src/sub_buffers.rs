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

/// The directory.
pub(crate) struct SubBuffersDirectory(pub(crate) InstancesDirectory);

impl Directory for SubBuffersDirectory {
    fn mode(&self) -> u32 {
        0o750
    }

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
    fn mode(&self) -> u32 {
        0o200
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<usize, Errno> {
        let name = std::str::from_utf8(token::strip(bytes)).map_err(|_| Errno::INVAL)?;
        if name == CREATE {
            return Err(Errno::EXIST);
        }
        array.create(name)?;
        Ok(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::Tree;
    use crate::top::tests::{read, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Session, SessionOptions};

    #[test]
    fn a_name_becomes_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let options = SessionOptions { buffer_kb: 64, instances: 2, ..SessionOptions::default() };
        let tree = Tree::new(Session::create(&directory.path().join("s"), &options).unwrap());
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
