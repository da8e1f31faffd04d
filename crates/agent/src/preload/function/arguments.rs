//! In which instances calls are recorded with what functions are called with.

use abi::instance::{ARGUMENTS, INSTANCE_WORDS};
use control::{ControlArea, InstanceSet};
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

/// A bit for each instance, as the session had it when the code was last brought up to date.
static INSTANCES: [AtomicU64; INSTANCE_WORDS] = [const { AtomicU64::new(0) }; INSTANCE_WORDS];

/// Whether any instance wants arguments.
// Relaxed: who is called while that changes may go either way.
#[inline(always)]
pub(super) fn are_wanted() -> bool {
    INSTANCES.iter().any(|word| word.load(Relaxed) != 0)
}

/// Whether an instance does.
pub(super) fn are_wanted_in(instance: usize) -> bool {
    INSTANCES.get(instance / 64).is_some_and(|word| word.load(Relaxed) >> (instance % 64) & 1 == 1)
}

/// Notes which of the instances that trace functions want arguments.
pub(super) fn choose(control: &ControlArea, tracing: InstanceSet) {
    let mut words = [0_u64; INSTANCE_WORDS];
    tracing.for_each(|instance| {
        if let Some(word) = words.get_mut(instance / 64)
            && control.instance_flags(instance) & ARGUMENTS != 0
        {
            *word |= 1 << (instance % 64);
        }
    });
    INSTANCES.iter().zip(words).for_each(|(to, word)| to.store(word, Relaxed));
}
