//! Places that a program's author has marked for tracers: USDT, as of SystemTap's `sys/sdt.h`.
//!
//! Each is a nop in the code, and a note that says where it is, what it is called, and where its arguments
//! are then.

use crate::object_file::ObjectFile;

/// A place that a note of `.note.stapsdt` describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsdtSite<'a> {
    /// Where its nop is, in the file's own addresses.
    pub address: u64,
    /// Where the word is that says how many trace it; 0 for none.
    pub semaphore: u64,
    /// Who has named it.
    pub provider: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Where its arguments are, in the assembler's words: `-4@%eax 8@-8(%rbp)`.
    pub arguments: &'a [u8],
}

/// The owner of such notes, and their type.
const OWNER: &[u8] = b"stapsdt\0";
const TYPE: u32 = 3;

impl<'a> ObjectFile<'a> {
    /// Its places for USDT, in the order of their notes.
    pub fn usdt_sites(&self) -> impl Iterator<Item = UsdtSite<'a>> + use<'a> {
        let base = self.section_address(".stapsdt.base");
        let mut rest = self.section_data(".note.stapsdt");
        core::iter::from_fn(move || {
            let (note, next) = Note::first(rest)?;
            rest = next;
            Some(note)
        })
        .filter_map(move |note| note.site(base))
    }
}

/// A note.
struct Note<'a> {
    owner: &'a [u8],
    kind: u32,
    description: &'a [u8],
}

impl<'a> Note<'a> {
    /// The first one, and what follows it. None at the end, and for what is damaged.
    fn first(bytes: &'a [u8]) -> Option<(Note<'a>, &'a [u8])> {
        let word = |index: usize| {
            let word = bytes.get(4 * index..4 * index + 4)?;
            Some(u32::from_le_bytes(word.try_into().ok()?))
        };
        let (owner_len, len, kind) = (word(0)? as usize, word(1)? as usize, word(2)?);
        let rest = bytes.get(12..)?;
        let owner = rest.get(..owner_len)?;
        let rest = rest.get(owner_len.checked_next_multiple_of(4)?..)?;
        let description = rest.get(..len)?;
        // The last one may be without what fills it up.
        let next = rest.get(len.checked_next_multiple_of(4)?..).unwrap_or_default();
        Some((Note { owner, kind, description }, next))
    }

    /// The place that it describes; the linker may have moved the section `.stapsdt.base`, which is at
    /// `base`, and the place with it.
    fn site(&self, base: Option<u64>) -> Option<UsdtSite<'a>> {
        if self.owner != OWNER || self.kind != TYPE {
            return None;
        }
        let (addresses, texts) = self.description.split_at_checked(24)?;
        let (addresses, _) = addresses.as_chunks::<8>();
        let [address, told, semaphore] = addresses.first_chunk::<3>()?.map(u64::from_le_bytes);
        let moved = base.filter(|_| told != 0).map_or(0, |base| base.wrapping_sub(told));
        let mut texts = texts.split(|byte| *byte == 0);
        let (provider, name, arguments) = (texts.next()?, texts.next()?, texts.next()?);
        let semaphore = if semaphore == 0 { 0 } else { semaphore.wrapping_add(moved) };
        Some(UsdtSite { address: address.wrapping_add(moved), semaphore, provider, name, arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn note(owner: &[u8], kind: u32, description: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [owner.len() as u32, description.len() as u32, kind] {
            note.extend(word.to_le_bytes());
        }
        for part in [owner, description] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    fn description(addresses: [u64; 3], texts: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<u8> = addresses.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(texts);
        bytes
    }

    #[test]
    fn places_are_read_and_others_notes_left_out() {
        let mut bytes = note(b"GNU\0", 3, b"something");
        bytes.extend(note(OWNER, TYPE, &description([0x100, 0x1000, 0x20], b"shop\0pay\0-4@%eax\0")));
        bytes.extend(note(OWNER, TYPE, &description([0x200, 0x1000, 0], b"shop\0end\0\0")));
        let (first, rest) = Note::first(&bytes).unwrap();
        assert_eq!(first.site(None), None);
        let (second, rest) = Note::first(rest).unwrap();
        let expected = UsdtSite {
            address: 0x180,
            semaphore: 0xa0,
            provider: b"shop",
            name: b"pay",
            arguments: b"-4@%eax",
        };
        assert_eq!(second.site(Some(0x1080)), Some(expected));
        let (third, rest) = Note::first(rest).unwrap();
        let third = third.site(None).unwrap();
        assert_eq!((third.address, third.semaphore, third.arguments), (0x200, 0, &b""[..]));
        assert!(rest.is_empty());
        for len in 0..bytes.len() {
            let mut rest = bytes.get(..len).unwrap();
            while let Some((note, next)) = Note::first(rest) {
                let _ = note.site(Some(1));
                rest = next;
            }
        }
    }
}
