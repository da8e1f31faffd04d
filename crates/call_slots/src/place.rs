//! The word that says where a slot's return address is: a multiple of eight, and what the three bits below
//! it say. 0 for nowhere.

/// That the function has no code of a slot: it was jumped to at the end of the one that has it there.
pub(crate) const JUMPED: u64 = 2;

/// That the caller's address stands there for a moment, or the slot's is about to again.
pub(crate) const SHOWN: u64 = 4;

/// That it is the stack pointer at a site in a function's body: it ends at another site.
pub(crate) const BETWEEN_SITES: u64 = 6;

const TAG: u64 = 7;

/// The address.
#[inline(always)]
pub(crate) fn address(place: u64) -> u64 {
    place & !TAG
}

/// What the bits say.
pub(crate) fn tag(place: u64) -> u64 {
    place & TAG
}

/// Whether the function runs in its slot, by the slot's code, that has this place.
pub(crate) fn has_code(place: u64) -> bool {
    place != 0 && matches!(tag(place), 0 | SHOWN)
}
