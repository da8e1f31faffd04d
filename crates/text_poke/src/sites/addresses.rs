//! `__patchable_function_entries` and `__mcount_loc`: one address for each site.

/// The addresses of such a section as it is in memory, where the dynamic linker has added what the object
/// was moved by. Those of functions that the linker has dropped are 0, and are left out.
pub fn addresses(section: &[u8]) -> impl Iterator<Item = u64> {
    let words = section.chunks_exact(8);
    words
        .filter_map(|word| word.first_chunk())
        .map(|word| u64::from_le_bytes(*word))
        .filter(|word| *word != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_an_address() {
        let mut section = [0; 27];
        section[1] = 0x10;
        section[16] = 0x20;
        assert!(addresses(&section).eq([0x1000, 0x20]));
        assert_eq!(addresses(&section[..7]).count(), 0);
    }
}
