//! Records with made-up contents.

use trace_data::format::{Field, Format, Kind};
use trace_data::page::PageBuilder;

/// Numbers that look random and are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number that is small, or of few bits, as often as it is anything.
    pub fn varied(&mut self) -> u64 {
        let number = self.next();
        match self.next() % 6 {
            0 => number % 4,
            1 => number % 300,
            2 => 1 << (number % 40),
            3 => (number % 16).wrapping_neg(),
            4 => number & self.next() & self.next(),
            _ => number,
        }
    }

    pub fn text(&mut self, longest: usize) -> Vec<u8> {
        let length = self.next() as usize % longest.max(1);
        (0..length).map(|_| b"abcdefgh_-/ 0123"[self.next() as usize % 16]).collect()
    }
}

/// A record of `format`, its fields filled with numbers and texts.
pub fn record(format: &Format, numbers: &mut Numbers) -> Vec<u8> {
    let fixed = format.fields.iter().map(|field| field.offset + field.size).max().unwrap_or(8);
    let mut payload = vec![0; fixed.next_multiple_of(4)];
    payload[..2].copy_from_slice(&format.id.to_le_bytes());
    payload[4..8].copy_from_slice(&77_i32.to_le_bytes());
    for field in format.own_fields() {
        match field.kind {
            Kind::Integer => {
                let mut number = numbers.varied();
                if is_length(&field.name) {
                    number %= 3;
                }
                if is_divisor(&field.name, &format.print_fmt) {
                    number |= 0x0101_0101_0101_0101;
                }
                let bytes = number.to_le_bytes();
                for at in 0..field.size {
                    payload[field.offset + at] = bytes[at % 8];
                }
            }
            Kind::Array(element) if field.size == 0 => {
                let text = if element.text { numbers.text(20) } else { vec![7; 24] };
                payload.truncate(field.offset.max(8));
                payload.extend(text);
                payload.push(0);
                payload.resize(payload.len().next_multiple_of(4), 0);
            }
            Kind::Array(element) => {
                let end = field.offset + field.size;
                let text = element.text.then(|| numbers.text(field.size));
                for (at, byte) in payload[field.offset..end].iter_mut().enumerate() {
                    *byte = match &text {
                        Some(text) => text.get(at).copied().unwrap_or(0),
                        None => numbers.varied() as u8,
                    };
                }
            }
            Kind::DataLocation(_) => locate(field, 0, &mut payload, numbers),
            Kind::RelativeLocation(_) => {
                locate(field, field.offset + field.size, &mut payload, numbers);
            }
        }
    }
    payload
}

/// Whether a field may be the length of another: trace-cmd believes any and reads on.
fn is_length(name: &str) -> bool {
    ["len", "size", "count", "nr", "num"].iter().any(|part| name.contains(part))
}

/// Whether the print format divides by the field: trace-cmd does, by 0 as well.
fn is_divisor(name: &str, print_fmt: &str) -> bool {
    ["/", "%"].iter().any(|sign| {
        let field = format!("REC->{name}");
        print_fmt.match_indices(&field).any(|(at, _)| print_fmt[..at].trim_end().ends_with(sign))
    })
}

fn locate(field: &Field, base: usize, payload: &mut Vec<u8>, numbers: &mut Numbers) {
    let element = field.element_type().unwrap();
    let bytes = if element.text {
        let mut text = numbers.text(20);
        text.push(0);
        text
    } else {
        (0..8 * (1 + numbers.next() % 3)).map(|_| numbers.varied() as u8).collect()
    };
    let start = payload.len();
    let word = ((bytes.len() as u32) << 16) | (start - base) as u32;
    payload[field.offset..field.offset + 4].copy_from_slice(&word.to_le_bytes());
    payload.extend(bytes);
    payload.resize(payload.len().next_multiple_of(4), 0);
}

/// Pages of 4096 bytes with these events.
pub fn pages<'a>(events: impl Iterator<Item = (u64, &'a [u8])>) -> Vec<u8> {
    let mut builder = PageBuilder::new(4096);
    let mut pages = Vec::new();
    for (time, payload) in events {
        if !builder.push(time, payload) {
            pages.extend_from_slice(builder.finish(None));
            assert!(builder.push(time, payload));
        }
    }
    if !builder.is_empty() {
        pages.extend_from_slice(builder.finish(None));
    }
    pages
}
