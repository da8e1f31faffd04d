//! `instances`: a tree for each instance, with buffers of its own.
//!
//! Making a directory makes an instance, removing it removes the instance. Its tree has the files that the
//! kernel's instances have: what there is once for all is only in the tree above. `flight` is the recording,
//! which is always there.

use crate::errno::errno;
use crate::placed::Placed;
use crate::tree::{Directory, Node, Tree};
use rustix::io::Errno;
use session::FLIGHT;

/// What `instances` has.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    let mut names = tree.session().session().instances();
    names.push(FLIGHT.to_string());
    names
}

/// What `instances` has of this name.
pub(crate) fn entry(tree: &Tree, name: &str) -> Option<Node> {
    let _ = tree.instance(name)?;
    Some(Node::Directory(Directory::Of(name.to_string(), Box::new(Directory::Top))))
}

/// What a directory of an instance has of this name.
pub(crate) fn entry_of(tree: &Tree, instance: &str, directory: &Directory, name: &str) -> Option<Node> {
    let of = tree.instance(instance)?;
    Some(match directory.entry(&of, name)? {
        Node::Directory(inner) => Node::Directory(Directory::Of(instance.to_string(), Box::new(inner))),
        Node::File(file) => Node::File(Box::new(Placed { tree: of, file: file.into() })),
    })
}

impl Tree {
    /// The tree of an instance: the same as long as the instance is the same.
    pub(crate) fn instance(&self, name: &str) -> Option<Tree> {
        if !self.is_top() {
            return None;
        }
        let mut known = self.known_instances();
        if let Some(tree) = known.get(name).filter(|tree| tree.session().is_named(name)) {
            return Some(tree.clone());
        }
        // One that is gone takes addresses, and nobody asks for its name any more.
        known.retain(|_, tree| tree.session().is_there());
        let tree = self.of_same(self.session().session().open_named(name).ok()?, false);
        known.insert(name.to_string(), tree.clone());
        Some(tree)
    }

    /// ENODEV once the instance has been removed: for files that don't keep it.
    pub(crate) fn still_there(&self) -> Result<(), Errno> {
        if self.session().is_there() { Ok(()) } else { Err(Errno::NODEV) }
    }

    pub(crate) fn make_instance(&self, name: &str) -> Result<(), Errno> {
        if name.len() > crate::tree::LONGEST_NAME {
            return Err(Errno::NAMETOOLONG);
        }
        if name == ".." {
            return Err(Errno::EXIST);
        }
        self.session().session().create_instance(name).map(drop).map_err(|error| errno(&error))
    }

    pub(crate) fn remove_instance(&self, name: &str) -> Result<(), Errno> {
        if name.len() > crate::tree::LONGEST_NAME {
            return Err(Errno::NAMETOOLONG);
        }
        self.session().session().remove_instance(name).map_err(|error| errno(&error))
    }
}

/// The name in `DIRECTORY/NAME`.
pub(crate) fn name_in<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    let mut names = path.split('/').filter(|name| !name.is_empty() && *name != ".");
    let (first, name) = (names.next()?, names.next()?);
    (first == directory && names.next().is_none()).then_some(name)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::Tree;
    use crate::top::tests::{read, write};
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use session::{Author, Instance, Session, SessionOptions};

    /// A tree with space for two instances.
    pub(crate) fn tree() -> (tempfile::TempDir, Tree) {
        let directory = tempfile::tempdir().unwrap();
        let options =
            SessionOptions { buffer_kb: 64, snapshots: 1, instances: 2, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        (directory, Tree::new(session))
    }

    #[test]
    fn an_instance_is_a_tree_of_its_own() {
        let (_directory, tree) = tree();
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
        let (_directory, tree) = tree();
        tree.make_directory("instances/one").unwrap();
        assert_eq!(tree.make_directory("instances/one"), Err(Errno::EXIST));
        tree.make_directory("instances/two").unwrap();
        assert_eq!(tree.make_directory("instances/three"), Err(Errno::NOMEM));
        assert_eq!(tree.make_directory("instances/one/new"), Err(Errno::PERM));
        // By somebody else, as another process.
        let other = Tree::new(Instance::open(tree.session().path()).unwrap());
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
