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
    /// Whether it was removed, or a directory above it.
    is_removed: bool,
}

impl Nodes {
    /// With the tree's own directory.
    pub(crate) fn new() -> Nodes {
        let path: Arc<str> = Arc::from("");
        let root = KnownNode { path: path.clone(), lookups: 1, is_removed: false };
        Nodes { nodes: [(ROOT, root)].into(), by_path: [(path, ROOT)].into(), last: ROOT }
    }

    /// The path of a node, without a slash at its start. ENOENT once it was removed: what has its path then
    /// is another.
    pub(crate) fn path(&self, id: u64) -> Result<&Arc<str>, Errno> {
        let node = self.nodes.get(&id).ok_or(Errno::STALE)?;
        if node.is_removed { Err(Errno::NOENT) } else { Ok(&node.path) }
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
        self.nodes.insert(self.last, KnownNode { path, lookups: 1, is_removed: false });
        self.last
    }

    /// `path` is gone, with all below it. The kernel takes a node that was removed for an empty directory as
    /// long as anybody holds it, so whatever gets that path next gets a node of its own.
    pub(crate) fn remove(&mut self, path: &str) {
        self.by_path.retain(|known, _| !is_at_or_below(known, path));
        let removed = self.nodes.values_mut().filter(|node| is_at_or_below(&node.path, path));
        removed.for_each(|node| node.is_removed = true);
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

/// Whether `path` is `directory`, or below it.
pub(crate) fn is_at_or_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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

    #[test]
    fn a_removed_node_is_not_the_next_of_its_path() {
        let mut nodes = Nodes::new();
        let paths = ["instances/one", "instances/one/events", "instances/ones"];
        let [one, events, other] = paths.map(|path| nodes.look_up(path, false));
        nodes.remove("instances/one");
        assert_eq!([one, events].map(|id| nodes.path(id).map(drop)), [Err(Errno::NOENT); 2]);
        assert!(nodes.path(other).is_ok());
        let [new_one, new_events] = [paths[0], paths[1]].map(|path| nodes.look_up(path, false));
        assert!(new_one != one && new_events != events);
        nodes.forget(one, 1);
        assert_eq!(nodes.path(one).map(drop), Err(Errno::STALE));
        assert_eq!(nodes.look_up(paths[0], false), new_one);
    }
}
