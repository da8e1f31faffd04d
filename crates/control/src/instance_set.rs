//! Sets of instances.

use abi::instance::{INSTANCE_WORDS, PROFILE};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Acquire;

/// Some of a session's instances.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InstanceSet([u64; INSTANCE_WORDS]);

impl InstanceSet {
    /// The first alone.
    pub const FIRST: InstanceSet = {
        let mut words = [0; INSTANCE_WORDS];
        words[0] = 1;
        InstanceSet(words)
    };

    /// The profile of functions alone, which is no instance.
    pub const PROFILE: InstanceSet = {
        let mut words = [0; INSTANCE_WORDS];
        words[PROFILE / 64] = 1 << (PROFILE % 64);
        InstanceSet(words)
    };

    // Acquire: pairs with the SeqCst changes of the words: what belongs to an instance was stored before its
    // bit.
    #[inline]
    pub(crate) fn load(words: &[AtomicU64; INSTANCE_WORDS]) -> InstanceSet {
        InstanceSet(core::array::from_fn(|index| words.get(index).map_or(0, |word| word.load(Acquire))))
    }

    /// Those whose bits are set.
    #[inline(always)]
    pub const fn of(words: [u64; INSTANCE_WORDS]) -> InstanceSet {
        InstanceSet(words)
    }

    /// A bit for each that is in it.
    #[inline(always)]
    pub const fn words(self) -> [u64; INSTANCE_WORDS] {
        self.0
    }

    /// With another one in it.
    #[inline(always)]
    #[must_use]
    pub fn with(mut self, instance: usize) -> InstanceSet {
        if let Some(word) = self.0.get_mut(instance / 64) {
            *word |= 1 << (instance % 64);
        }
        self
    }

    /// Without one of them.
    #[inline(always)]
    #[must_use]
    pub(crate) fn without(mut self, instance: usize) -> InstanceSet {
        if let Some(word) = self.0.get_mut(instance / 64) {
            *word &= !(1 << (instance % 64));
        }
        self
    }

    /// Whether none is in it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == InstanceSet::default()
    }

    /// Whether an instance is in it.
    #[inline]
    pub fn contains(self, instance: usize) -> bool {
        // Each word in turn: so all of them can stay in registers.
        (0..).zip(self.0).any(|(index, word)| index == instance / 64 && word >> (instance % 64) & 1 == 1)
    }

    /// Those that are in it or in `other`.
    #[inline]
    pub fn union(self, other: InstanceSet) -> InstanceSet {
        let mut words = self.0;
        words.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        InstanceSet(words)
    }

    /// Calls `visit` with the number of each that is in it, upwards: quicker than [`InstanceSet::iter`].
    #[inline(always)]
    pub fn for_each(self, mut visit: impl FnMut(usize)) {
        for (index, word) in self.0.into_iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(index * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// The numbers of those that are in it, upwards.
    pub fn iter(mut self) -> impl Iterator<Item = usize> {
        core::iter::from_fn(move || {
            let (index, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
            let bit = word.trailing_zeros() as usize;
            *word &= *word - 1;
            Some(index * 64 + bit)
        })
    }
}
