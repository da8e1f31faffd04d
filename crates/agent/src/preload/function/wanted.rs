//! Who wants a function.

use control::InstanceSet;

/// Who wants a function.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    /// The instances that trace its calls.
    pub(super) instances: InstanceSet,
    /// Those that trace its calls and returns, and the profile.
    pub(super) graphed: InstanceSet,
    /// Those in which a graph begins there.
    pub(super) graph_roots: InstanceSet,
    /// Those in which nothing of a graph is recorded from there on.
    pub(super) graph_hidden: InstanceSet,
    /// A bit for each of its commands.
    pub(super) commands: u64,
}

impl Wanted {
    /// Whether anybody does.
    pub(super) fn is_any(&self) -> bool {
        !self.instances.is_empty() || !self.graphed.is_empty() || self.commands != 0
    }
}
