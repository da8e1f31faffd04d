//! XRay's sleds: `xray_instr_map` has 32 bytes for each.
//!
//! ```text
//!  0  u64  the sled's address, or in version 2 its distance from this word
//!  8  u64  that of the function
//! 16  u8   0: entry, 1: exit, 2: tail call, 3: entry that logs its argument, 4 and 5: a program's own events
//! 17  u8   whether the program asks for it to be on always
//! 18  u8   the version
//! ```

/// Bytes of an entry.
const LEN: usize = 32;

/// The addresses of the sleds at functions' entries, in a section that lies at `address`.
pub(crate) fn entry_sleds(address: u64, section: &[u8]) -> impl Iterator<Item = u64> {
    let (entries, _) = section.as_chunks::<LEN>();
    let place = move |index: usize| address.wrapping_add((index * LEN) as u64);
    entries.iter().enumerate().filter_map(move |(index, entry)| entry_sled(place(index), entry))
}

fn entry_sled(at: u64, entry: &[u8; LEN]) -> Option<u64> {
    let [address, _, rest, _] = entry.as_chunks::<8>().0 else { return None };
    let address = u64::from_le_bytes(*address);
    let [kind, _, version, ..] = *rest;
    let is_entry = matches!(kind, 0 | 3);
    match version {
        0 | 1 => Some(address),
        2 => Some(at.wrapping_add(address)),
        _ => None,
    }
    .filter(|_| is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn entry(address: i64, kind: u8, version: u8) -> [u8; LEN] {
        let mut entry = [0; LEN];
        entry[..8].copy_from_slice(&address.to_le_bytes());
        (entry[16], entry[18]) = (kind, version);
        entry
    }

    #[test]
    fn distances_are_from_their_own_word() {
        let section = [entry(-0x1000, 0, 2), entry(-0x1000, 1, 2), entry(-0x1000, 3, 2)].concat();
        assert_eq!(entry_sleds(0x5000, &section).collect::<Vec<_>>(), [0x4000, 0x4040]);
    }

    #[test]
    fn older_entries_have_addresses() {
        assert!(entry_sleds(0x5000, &entry(0x40, 0, 0)).eq([0x40]));
    }

    #[test]
    fn what_is_no_entry_is_left_out() {
        let section = [entry(1, 1, 2), entry(1, 2, 2), entry(1, 4, 2), entry(1, 0, 3)].concat();
        assert_eq!(entry_sleds(0, &section).count(), 0);
        assert_eq!(entry_sleds(0, &section[..31]).count(), 0);
    }
}
