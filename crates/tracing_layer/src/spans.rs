//! Which callsites the spans have that are open: found without asking tracing's registry, which takes 20 ns.

use crate::callsite::Callsite;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use tracing_core::span::Id;

/// The spans of a layer, as far as they are known.
///
/// A word for each slot: what a span's number has beyond the slot's, and the place of its callsite; 0 where
/// there is none. Each word stands for itself, so they are read and replaced in any order. Of two spans with
/// the same slot the later one is known. Nothing is forgotten: the registry uses numbers again, but `tracing`
/// reports every new span to the layer.
#[derive(Debug)]
pub(crate) struct Spans(Box<[AtomicU64]>);

/// The bits of a slot's number, and of a place.
const BITS: u32 = 12;

const _: () = assert!(Callsite::PLACES == 1 << BITS);

impl Spans {
    /// Space for spans; none where there is no session, since then nobody looks.
    pub(crate) fn new() -> Spans {
        let slots = if tracepoint::switched().is_some() { 1 << BITS } else { 0 };
        Spans((0..slots).map(|_| AtomicU64::new(0)).collect())
    }

    /// The callsite of a span.
    #[inline]
    pub(crate) fn find(&self, id: &Id) -> Option<&'static Callsite> {
        let (slot, rest) = split(id);
        let word = self.0.get(slot)?.load(Relaxed);
        if word >> BITS != rest || word == 0 {
            return None;
        }
        Callsite::at(word as usize % Callsite::PLACES)
    }

    /// Has a span be found as this callsite's, or as none's, until another one has its slot.
    pub(crate) fn remember(&self, id: &Id, callsite: Option<&Callsite>) {
        let (slot, rest) = split(id);
        if let Some(word) = self.0.get(slot) {
            word.store(callsite.map_or(0, |callsite| rest << BITS | callsite.place() as u64), Relaxed);
        }
    }
}

/// A span's slot, and the rest of its number. No two numbers have both in common: a product with an odd
/// number can be undone.
#[inline]
fn split(id: &Id) -> (usize, u64) {
    let mixed = id.into_u64().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> (64 - BITS)) as usize, mixed & (u64::MAX >> BITS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_numbers_have_slot_and_rest_in_common() {
        let near_and_far = (1..100_000u64).chain((0..64).map(|bit| 1 << bit)).collect::<HashSet<_>>();
        let split: HashSet<_> = near_and_far.iter().map(|id| split(&Id::from_u64(*id))).collect();
        assert_eq!(split.len(), near_and_far.len());
    }
}
