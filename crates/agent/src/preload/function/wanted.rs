//! Who wants a function.

use abi::instance::INSTANCE_WORDS;
use control::InstanceSet;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

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
    /// Without those who would have to see it return.
    pub(super) fn without_returns(self) -> Wanted {
        Wanted { instances: self.instances, commands: self.commands, ..Wanted::default() }
    }

    /// Whether anybody does.
    pub(super) fn is_any(&self) -> bool {
        !self.instances.is_empty() || !self.graphed.is_empty() || self.commands != 0
    }
}

/// A bit for each instance.
type InstanceBits = [AtomicU64; INSTANCE_WORDS];

/// Who wants a function, where a call of it finds that.
// Relaxed, everywhere: who is called while that changes may go either way.
#[derive(Debug)]
pub(super) struct StoredWanted {
    /// The instances that trace its calls.
    pub(super) instances: InstanceBits,
    /// Those that trace its calls and returns, the profile, and probes of returns.
    pub(super) graphed: InstanceBits,
    /// Those in which a graph begins there.
    pub(super) graph_roots: InstanceBits,
    /// Those in which nothing of a graph is recorded from there on.
    pub(super) graph_hidden: InstanceBits,
    /// A bit for each command that is done there, see `commands.rs`.
    pub(super) commands: AtomicU64,
}

impl StoredWanted {
    pub(super) const fn nobody() -> StoredWanted {
        StoredWanted {
            instances: [const { AtomicU64::new(0) }; INSTANCE_WORDS],
            graphed: [const { AtomicU64::new(0) }; INSTANCE_WORDS],
            graph_roots: [const { AtomicU64::new(0) }; INSTANCE_WORDS],
            graph_hidden: [const { AtomicU64::new(0) }; INSTANCE_WORDS],
            commands: AtomicU64::new(0),
        }
    }

    /// Has these want it, and who wanted it before as well if these are `more`.
    pub(super) fn set(&self, wanted: &Wanted, more: bool) {
        let words = [&self.instances, &self.graphed, &self.graph_roots, &self.graph_hidden];
        let sets = [wanted.instances, wanted.graphed, wanted.graph_roots, wanted.graph_hidden];
        let words = words.into_iter().flatten().chain([&self.commands]);
        let bits = sets.into_iter().flat_map(InstanceSet::words).chain([wanted.commands]);
        for (word, bits) in words.zip(bits) {
            let before = if more { word.load(Relaxed) } else { 0 };
            word.store(before | bits, Relaxed);
        }
    }
}

/// Whether an instance's bit is set.
pub(super) fn has(bits: &InstanceBits, instance: usize) -> bool {
    bits.get(instance / 64).is_some_and(|word| word.load(Relaxed) >> (instance % 64) & 1 == 1)
}

/// Whether any is.
pub(super) fn is_any(bits: &InstanceBits) -> bool {
    bits.iter().any(|word| word.load(Relaxed) != 0)
}
