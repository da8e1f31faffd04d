//! The nodes that the kernel knows: a number for each path that it has looked up.

use rustix::io::Errno;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of the tree's own directory.
pub(crate) const ROOT: u64 = 1;

/// All of them. What a path is, is asked from the tree each time: instances come and go.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: HashMap<u64, KnownNode>,
    by_path: HashMap<Arc<str>, u64>,
    last: u64,
}

#[derive(Debug)]
struct KnownNode {
    path: Arc<str>,
    /// How many lookups of it the kernel has not forgotten yet.
    lookups: u64,
}

impl Nodes {
    /// With the tree's own directory.
    pub(crate) fn new() -> Nodes {
        let path: Arc<str> = Arc::from("");
        let root = KnownNode { path: path.clone(), lookups: 1 };
        Nodes { nodes: [(ROOT, root)].into(), by_path: [(path, ROOT)].into(), last: ROOT }
    }

    /// The path of a node, without a slash at its start.
    pub(crate) fn path(&self, id: u64) -> Result<&Arc<str>, Errno> {
        self.nodes.get(&id).map(|node| &node.path).ok_or(Errno::STALE)
    }

    /// The path of an entry of a directory.
    pub(crate) fn path_in(&self, directory: u64, name: &str) -> Result<String, Errno> {
        Ok(join(self.path(directory)?, name))
    }

    /// The node id that the kernel gets for a path: always the same one, or one of its own for this opening.
    pub(crate) fn look_up(&mut self, path: &str, is_own: bool) -> u64 {
        if let Some(id) = self.by_path.get(path).filter(|_| !is_own)
            && let Some(node) = self.nodes.get_mut(id)
        {
            node.lookups += 1;
            return *id;
        }
        self.last += 1;
        let path: Arc<str> = Arc::from(path);
        if !is_own {
            self.by_path.insert(path.clone(), self.last);
        }
        self.nodes.insert(self.last, KnownNode { path, lookups: 1 });
        self.last
    }

    /// The kernel has forgotten so many lookups of a node.
    pub(crate) fn forget(&mut self, id: u64, lookups: u64) {
        let Some(node) = self.nodes.get_mut(&id).filter(|_| id != ROOT) else { return };
        node.lookups = node.lookups.saturating_sub(lookups);
        if node.lookups == 0
            && let Some(node) = self.nodes.remove(&id)
            && self.by_path.get(&node.path) == Some(&id)
        {
            self.by_path.remove(&node.path);
        }
    }
}

/// The path of an entry of a directory.
pub(crate) fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_string() } else { format!("{directory}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_number_until_all_is_forgotten() {
        let mut nodes = Nodes::new();
        let events = nodes.look_up("events", false);
        assert_eq!(nodes.look_up("events", false), events);
        assert_eq!(nodes.path_in(events, "libc").unwrap(), "events/libc");
        assert_eq!(nodes.path_in(ROOT, "trace").unwrap(), "trace");
        nodes.forget(events, 1);
        assert_eq!(nodes.path(events).map(|path| path.to_string()), Ok("events".to_string()));
        nodes.forget(events, 1);
        assert_eq!(nodes.path(events).map(drop), Err(Errno::STALE));
        assert_ne!(nodes.look_up("events", false), events);
        nodes.forget(ROOT, u64::MAX);
        assert!(nodes.path(ROOT).is_ok(), "the root stays");
    }

    #[test]
    fn some_have_a_number_of_their_own_each_time() {
        let mut nodes = Nodes::new();
        let (first, second) = (nodes.look_up("raw", true), nodes.look_up("raw", true));
        assert_ne!(first, second);
        nodes.forget(first, 1);
        assert!(nodes.path(first).is_err() && nodes.path(second).is_ok());
    }
}
