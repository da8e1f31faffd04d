//! What exact names are looked up by.

/// FNV-1a, of 64 bits: two of a million names collide once in 37 million such sets.
pub(crate) fn name_hash(name: &[u8]) -> u64 {
    name.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
