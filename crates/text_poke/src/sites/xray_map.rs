//! `xray_instr_map`: one entry of 32 bytes for each sled.

/// Where a sled is in its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SledKind {
    /// At its start.
    Entry,
    /// In the place of a return.
    Exit,
    /// Before a jump to another function.
    TailCall,
}

/// A sled, as its entry describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sled {
    /// Its first byte.
    pub address: u64,
    /// The function that it is in.
    pub function: u64,
    /// Where it is there.
    pub kind: SledKind,
    /// Whether the program asks for it to be on always.
    pub is_always: bool,
}

const LEN: usize = 32;

/// The sleds of such a section, which is mapped at `address`. Sleds of events of a program's own, and
/// entries of unknown versions, are left out.
pub fn sleds(address: u64, section: &[u8]) -> impl Iterator<Item = Sled> {
    let entries = section.chunks_exact(LEN).enumerate();
    entries.filter_map(move |(index, entry)| sled(address.wrapping_add((index * LEN) as u64), entry))
}

fn sled(at: u64, entry: &[u8]) -> Option<Sled> {
    let (address, rest) = entry.split_first_chunk()?;
    let (function, rest) = rest.split_first_chunk()?;
    let [kind, is_always, version, ..] = rest else { return None };
    let (address, function) = (u64::from_le_bytes(*address), u64::from_le_bytes(*function));
    let (address, function) = match version {
        0 | 1 => (address, function),
        // Distances, each from its own field.
        2 => (at.wrapping_add(address), at.wrapping_add(8).wrapping_add(function)),
        _ => return None,
    };
    let kind = match kind {
        // The third is an entry that hands on its first argument as well: its sled is the same.
        0 | 3 => SledKind::Entry,
        1 => SledKind::Exit,
        2 => SledKind::TailCall,
        _ => return None,
    };
    Some(Sled { address, function, kind, is_always: *is_always != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn entry(address: i64, function: i64, kind: u8, version: u8) -> [u8; LEN] {
        let mut entry = [0; LEN];
        entry[..8].copy_from_slice(&address.to_le_bytes());
        entry[8..16].copy_from_slice(&function.to_le_bytes());
        (entry[16], entry[18]) = (kind, version);
        entry
    }

    #[test]
    fn distances_are_from_their_own_field() {
        let section = [entry(-0x1000, -0x1008, 0, 2), entry(-0x1000, -0x1028, 1, 2)].concat();
        let found: Vec<_> = sleds(0x5000, &section).collect();
        let first = Sled { address: 0x4000, function: 0x4000, kind: SledKind::Entry, is_always: false };
        let second = Sled { address: 0x4020, kind: SledKind::Exit, ..first };
        assert_eq!(found, [first, second]);
    }

    #[test]
    fn older_entries_have_addresses() {
        let found = sleds(0x5000, &entry(0x40, 0x30, 2, 0)).next().unwrap();
        assert_eq!((found.address, found.function, found.kind), (0x40, 0x30, SledKind::TailCall));
    }

    #[test]
    fn what_is_no_function_sled_is_left_out() {
        let section = [entry(1, 1, 4, 2), entry(1, 1, 5, 2), entry(1, 1, 0, 3)].concat();
        assert_eq!(sleds(0, &section).count(), 0);
        assert_eq!(sleds(0, &section[..31]).count(), 0);
    }
}
