//! JournalEntries of a segment: what each is, and its bytes.
//!
//! ```text
//! offset 0   u32 magic
//! offset 4   u32 checksum   CRC-32 of all that follows
//! offset 8   u32 length     bytes of the payload
//! offset 12  u32 kind
//! offset 16  u64 number     of the entry in its run
//! offset 24  u64 place      as the kind says
//! offset 32  payload, with zeros up to a multiple of 8
//! ```
//!
//! All numbers are little-endian. An entry counts if its checksum is right. After damage the next one is
//! found by its magic.

use trace_data::bytes::{u32_at, u64_at};

/// First word of an entry.
const MAGIC: u32 = u32::from_le_bytes(*b"lbJ\x01");

/// Bytes before the payload.
pub(crate) const HEADER: usize = 32;

/// Where the bytes start that the checksum is of.
const CHECKED: usize = 8;

/// The most bytes of a payload: more than any page has.
pub(crate) const MOST: usize = 1 << 20;

/// What an entry has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// The first of a segment, a [`SegmentStart`](crate::start::SegmentStart).
    Start = 1,
    /// Bytes of the session's file, at `place`.
    Description = 2,
    /// Events of a block, from number `place` on, a [`JournalPiece`](crate::piece::JournalPiece).
    Pages = 3,
    /// Readings of the clocks: all that had come until then is before it.
    SyncPoint = 4,
}

impl EntryKind {
    const ALL: [EntryKind; 4] =
        [EntryKind::Start, EntryKind::Description, EntryKind::Pages, EntryKind::SyncPoint];
}

/// An entry whose checksum is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalEntry<'a> {
    pub(crate) kind: EntryKind,
    pub(crate) number: u64,
    pub(crate) place: u64,
    pub(crate) payload: &'a [u8],
}

impl<'a> JournalEntry<'a> {
    /// Bytes that it takes.
    pub(crate) fn size(&self) -> usize {
        HEADER + self.payload.len().next_multiple_of(8)
    }

    /// Appends its bytes.
    pub(crate) fn append_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(MAGIC.to_le_bytes());
        out.extend([0; 4]);
        out.extend((self.payload.len() as u32).to_le_bytes());
        out.extend((self.kind as u32).to_le_bytes());
        out.extend(self.number.to_le_bytes());
        out.extend(self.place.to_le_bytes());
        out.extend(self.payload);
        out.resize(start + self.size(), 0);
        let checksum = crc32fast::hash(out.get(start + CHECKED..).unwrap_or(&[]));
        if let Some(word) = out.get_mut(start + 4..).and_then(|rest| rest.first_chunk_mut()) {
            *word = checksum.to_le_bytes();
        }
    }

    /// The entry at the start of `bytes`, if a whole one is there.
    pub(crate) fn first(bytes: &'a [u8]) -> Option<JournalEntry<'a>> {
        let (word32, word64) = (|offset| u32_at(bytes, offset), |offset| u64_at(bytes, offset));
        let len = word32(8).map(|len| len as usize).filter(|len| *len <= MOST)?;
        if word32(0)? != MAGIC {
            return None;
        }
        let checked = bytes.get(CHECKED..HEADER + len.next_multiple_of(8))?;
        if crc32fast::hash(checked) != word32(4)? {
            return None;
        }
        let kind = word32(12)?;
        Some(JournalEntry {
            kind: EntryKind::ALL.into_iter().find(|known| *known as u32 == kind)?,
            number: word64(16)?,
            place: word64(24)?,
            payload: bytes.get(HEADER..HEADER + len)?,
        })
    }
}

/// The entries of a segment, in their order, and how many bytes are damaged before each.
#[derive(Debug)]
pub(crate) struct JournalEntries<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> JournalEntries<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> JournalEntries<'a> {
        JournalEntries { bytes, offset: 0 }
    }
}

/// What was found next in a segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FoundEntry<'a> {
    /// An entry, and where it starts.
    Entry(usize, JournalEntry<'a>),
    /// So many bytes that are none.
    Damage(usize),
}

impl<'a> Iterator for JournalEntries<'a> {
    type Item = FoundEntry<'a>;

    fn next(&mut self) -> Option<FoundEntry<'a>> {
        let rest = self.bytes.get(self.offset..).filter(|rest| !rest.is_empty())?;
        if let Some(entry) = JournalEntry::first(rest) {
            let at = self.offset;
            self.offset += entry.size();
            return Some(FoundEntry::Entry(at, entry));
        }
        let is_entry =
            |from: &usize| rest.get(*from..).is_some_and(|rest| JournalEntry::first(rest).is_some());
        // What was damaged may have become longer or shorter, so an entry can be anywhere.
        let magics = rest.windows(4).enumerate().skip(1).filter(|(_, bytes)| *bytes == MAGIC.to_le_bytes());
        let damaged = magics.map(|(at, _)| at).find(is_entry).unwrap_or(rest.len());
        self.offset += damaged;
        Some(FoundEntry::Damage(damaged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64, payload: &[u8]) -> JournalEntry<'_> {
        JournalEntry { kind: EntryKind::Pages, number, place: number * 10, payload }
    }

    fn bytes(entries: &[JournalEntry<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        entries.iter().for_each(|entry| entry.append_to(&mut bytes));
        bytes
    }

    fn numbers(bytes: &[u8]) -> (Vec<u64>, usize) {
        let (mut numbers, mut damaged) = (Vec::new(), 0);
        for found in JournalEntries::of(bytes) {
            match found {
                FoundEntry::Entry(_, entry) => numbers.push(entry.number),
                FoundEntry::Damage(len) => damaged += len,
            }
        }
        (numbers, damaged)
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let written = [entry(1, b"some"), entry(2, b""), entry(3, &[7; 5000])];
        let bytes = bytes(&written);
        let found: Vec<_> = JournalEntries::of(&bytes).collect();
        let expected = [(0, written[0]), (40, written[1]), (72, written[2])];
        assert_eq!(found, expected.map(|(at, entry)| FoundEntry::Entry(at, entry)));
    }

    #[test]
    fn what_is_damaged_is_left_out_and_the_rest_is_there() {
        let whole = bytes(&[entry(1, b"one"), entry(2, &[b'2'; 900]), entry(3, b"three")]);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            let (found, bytes) = numbers(&damaged);
            assert_eq!(found.len(), 2, "{at}");
            assert!(bytes >= 40, "{at}");
            let mut cut = whole.clone();
            cut.remove(at);
            assert_eq!(numbers(&cut).0.len(), 2, "{at}");
        }
    }

    #[test]
    fn what_ends_early_ends() {
        let whole = bytes(&[entry(1, b"one"), entry(2, &[b'2'; 100])]);
        for len in 0..whole.len() {
            let (numbers, damaged) = numbers(&whole[..len]);
            let expected = usize::from(len >= 40);
            assert_eq!((numbers.len(), damaged), (expected, len - 40 * expected));
        }
    }
}
