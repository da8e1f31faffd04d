//! How a segment starts: whose it is, and where its events start.

use trace_data::bytes::{u32_at, u64_at};

/// Version of the form of segments.
pub(crate) const VERSION: u32 = 1;

/// What the first entry of a segment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentStart {
    /// The session's number, which no other has.
    pub(crate) identity: u64,
    /// Bytes of the session's file.
    pub(crate) file_size: u64,
    /// The instance; empty for the default one.
    pub(crate) instance: String,
    /// The number of each block's next event.
    pub(crate) positions: Vec<u64>,
}

impl SegmentStart {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.instance.len() as u32).to_le_bytes());
        bytes.extend(self.identity.to_le_bytes());
        bytes.extend(self.file_size.to_le_bytes());
        self.positions.iter().for_each(|position| bytes.extend(position.to_le_bytes()));
        bytes.extend(self.instance.bytes());
        bytes
    }

    /// None where the bytes are of another version, or make no sense.
    pub(crate) fn of(bytes: &[u8]) -> Option<SegmentStart> {
        let (head, rest) = bytes.split_first_chunk::<24>()?;
        let (word32, word64) = (|offset| u32_at(head, offset), |offset| u64_at(head, offset));
        let (positions, name) = rest.split_at_checked(rest.len().checked_sub(word32(4)? as usize)?)?;
        if word32(0)? != VERSION {
            return None;
        }
        Some(SegmentStart {
            identity: word64(8)?,
            file_size: word64(16)?,
            instance: String::from_utf8(name.to_vec()).ok()?,
            positions: positions.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was() {
        let start = SegmentStart {
            identity: 5,
            file_size: 1 << 40,
            instance: "rare".to_owned(),
            positions: vec![0, 7, 9],
        };
        let bytes = start.to_bytes();
        assert_eq!(SegmentStart::of(&bytes), Some(start));
        assert_eq!(SegmentStart::of(&bytes[..20]), None);
        let mut other = bytes.clone();
        other[0] += 1;
        assert_eq!(SegmentStart::of(&other), None, "another version");
        other.clone_from(&bytes);
        other[4] = 200;
        assert_eq!(SegmentStart::of(&other), None, "a longer name than there are bytes");
    }
}
