//! `lookback_functions`: the sites of `#[lookback::traced]`. Its form is in `docs/functions.md`.

/// Bytes of an entry.
const LEN: usize = 12;

/// A site there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TracedEntry {
    /// Where it is.
    pub(crate) address: u64,
    /// Where its name is.
    pub(crate) name: u64,
    /// Whether it is where the body ends.
    pub(crate) is_exit: bool,
}

/// The sites of such a section, which lies at `address`.
pub(crate) fn traced_entries(address: u64, section: &[u8]) -> impl Iterator<Item = TracedEntry> {
    let (entries, _) = section.as_chunks::<LEN>();
    let place = move |index: usize| address.wrapping_add((index * LEN) as u64);
    entries.iter().enumerate().filter_map(move |(index, entry)| traced_entry(place(index), entry))
}

fn traced_entry(at: u64, entry: &[u8; LEN]) -> Option<TracedEntry> {
    let [address, name, kind] = entry.as_chunks().0 else { return None };
    let kind = u32::from_le_bytes(*kind);
    let from =
        |place: u64, distance: &[u8; 4]| place.wrapping_add_signed(i32::from_le_bytes(*distance).into());
    Some(TracedEntry { address: from(at, address), name: from(at.wrapping_add(4), name), is_exit: kind == 1 })
        .filter(|_| kind <= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_from_their_own_word() {
        let entry = |address: i32, name: i32, kind: u32| {
            [address.to_le_bytes(), name.to_le_bytes(), kind.to_le_bytes()].concat()
        };
        let section = [entry(-0x1000, 0x100, 0), entry(0x10, 0, 1), entry(0, 0, 2)].concat();
        let expected = [
            TracedEntry { address: 0x1000, name: 0x2104, is_exit: false },
            TracedEntry { address: 0x201c, name: 0x2010, is_exit: true },
        ];
        assert!(traced_entries(0x2000, &section).eq(expected));
    }
}
