//! How the arguments of a tracepoint lie in its event, and how they are packed into a record.
//!
//! A record is what ktrace has written: the id, 16 bits, and then the arguments as the call has them, without
//! space between them. Numbers have the size that the format says; a text is there by itself, with its zero
//! byte. A dump follows its length, an int, if that is an argument; else it is as long as the format says.

use abi::common;
use printf_format::{ArgumentRole, Converted, FormatAmount, FormatConversion, FormatPiece, FormatString};

/// An argument: where it lies in the payload, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackedArgument {
    /// A number of so many bytes.
    Number { offset: usize, size: usize },
    /// How long the text or dump is whose place lies here: as recorded.
    Length { place: usize },
    /// A text, whose place lies here.
    Text { place: usize },
    /// A dump; of so many bytes, where the format says how many.
    Dump { place: usize, count: Option<u16> },
}

/// How records of a format are packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedLayout {
    parts: Vec<PackedArgument>,
}

/// Bytes of the place of a text or dump: its offset and its length, 16 bits each.
const PLACE: usize = 4;

impl PackedLayout {
    /// That of a format. None of one that no tracepoint has.
    pub fn of(format: &str) -> Option<PackedLayout> {
        let (mut parts, mut end) = (Vec::new(), common::SIZE);
        for piece in FormatString::new(format).pieces() {
            match piece {
                FormatPiece::Text(_) => {}
                FormatPiece::Conversion(conversion) => add(&conversion, &mut parts, &mut end),
                FormatPiece::Unsupported(_) => return None,
            }
        }
        Some(PackedLayout { parts })
    }

    /// Appends a record: the id, and the arguments in this payload of an event. What a damaged payload
    /// doesn't have is 0, so that the record has its length.
    pub fn pack(&self, id: u16, payload: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&id.to_le_bytes());
        for part in &self.parts {
            match *part {
                PackedArgument::Number { offset, size } => {
                    put(payload.get(offset..).unwrap_or_default(), size, out)
                }
                PackedArgument::Length { place } => {
                    let len = placed(payload, place).len() as i32;
                    out.extend_from_slice(&len.to_le_bytes());
                }
                PackedArgument::Text { place } => {
                    out.extend_from_slice(placed_text(payload, place));
                    out.push(0);
                }
                PackedArgument::Dump { place, count: None } => out.extend_from_slice(placed(payload, place)),
                PackedArgument::Dump { place, count: Some(count) } => {
                    put(placed(payload, place), usize::from(count), out);
                }
            }
        }
    }
}

fn add(conversion: &FormatConversion<'_>, parts: &mut Vec<PackedArgument>, end: &mut usize) {
    let mut next = |size: usize| {
        let offset = end.next_multiple_of(size);
        *end = offset + size;
        offset
    };
    for argument in conversion.arguments() {
        let part = match (argument, conversion.kind) {
            (ArgumentRole::Nothing, _) => continue,
            (ArgumentRole::Column, _) => PackedArgument::Number { offset: next(4), size: 4 },
            // It has no place of its own: the next argument's says it.
            (ArgumentRole::Length, _) => PackedArgument::Length { place: 0 },
            // What it has of its own is how long the dump was to be.
            (ArgumentRole::Count, _) => {
                next(4);
                PackedArgument::Length { place: 0 }
            }
            (ArgumentRole::Value, Converted::Text) => PackedArgument::Text { place: next(PLACE) },
            (ArgumentRole::Value, Converted::Bytes { .. }) => PackedArgument::Dump {
                place: next(PLACE),
                count: match conversion.width {
                    FormatAmount::Fixed(count) => Some(count),
                    _ => None,
                },
            },
            (ArgumentRole::Value, _) => {
                let size = usize::from(conversion.size);
                PackedArgument::Number { offset: next(size), size }
            }
        };
        if let (
            PackedArgument::Text { place } | PackedArgument::Dump { place, .. },
            Some(PackedArgument::Length { place: of }),
        ) = (part, parts.last_mut())
        {
            *of = place;
        }
        parts.push(part);
    }
}

/// Appends the first bytes, and zeros for those that there are not.
fn put(bytes: &[u8], len: usize, out: &mut Vec<u8>) {
    let kept = bytes.get(..len).unwrap_or(bytes);
    out.extend_from_slice(kept);
    out.resize(out.len() + len - kept.len(), 0);
}

/// What lies where the payload says at an offset.
fn placed(payload: &[u8], place: usize) -> &[u8] {
    let word =
        payload.get(place..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word));
    let start = (word & 0xffff) as usize;
    payload.get(start..start + (word >> 16) as usize).unwrap_or_default()
}

/// The text there, without its zero byte.
fn placed_text(payload: &[u8], place: usize) -> &[u8] {
    placed(payload, place).split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(format: &str, fields: &[u8]) -> Vec<u8> {
        let payload = [&[0; 8], fields].concat();
        let mut record = Vec::new();
        PackedLayout::of(format).unwrap().pack(0x7001, &payload, &mut record);
        assert_eq!(record[..2], [1, 0x70]);
        record.split_off(2)
    }

    #[test]
    fn numbers_lie_aligned_and_are_packed() {
        let fields = [1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5];
        let expected = [1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 5];
        assert_eq!(
            packed("%hhd %hu %*d is %%", &fields[..12])[..11],
            [&expected[..7], &[4, 0, 0, 0]].concat()
        );
        assert_eq!(packed("%hhd %hu %x %lx %c", &fields), expected);
    }

    #[test]
    fn texts_are_there_by_themselves() {
        // The places of two texts, which begin at 16 and 19 of the payload.
        let fields = b"\x10\0\x03\0\x13\0\x05\0ab\0text\0";
        assert_eq!(packed("%s and %s", fields), b"ab\0text\0");
        assert_eq!(packed("%.*s and %s", fields), b"\x03\0\0\0ab\0text\0");
        assert_eq!(packed("%s", &[]), b"\0", "a payload without it");
        assert_eq!(packed("%s", b"\x10\0\xff\xff"), b"\0");
    }

    #[test]
    fn dumps_follow_their_length() {
        let fields = b"\x0c\0\x03\0abc";
        // It was to have 5.
        assert_eq!(packed("%*ph", b"\x05\0\0\0\x10\0\x03\0abc"), b"\x03\0\0\0abc");
        assert_eq!(packed("%5ph", fields), b"abc\0\0");
        assert_eq!(packed("%2phN", fields), b"ab");
    }

    #[test]
    fn what_no_tracepoint_has_is_no_layout() {
        assert_eq!(PackedLayout::of("%f"), None);
    }
}
