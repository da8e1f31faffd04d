//! Protocol Buffers by hand, for messages that are written for each event: what has a length is written once
//! its bytes are.

/// Appends a number: seven bits in a byte.
#[inline]
pub(super) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a field that is a number.
#[inline]
pub(super) fn put_number(field: u32, value: u64, out: &mut Vec<u8>) {
    put_varint(u64::from(field << 3), out);
    put_varint(value, out);
}

/// Appends a field of 8 bytes.
pub(super) fn put_fixed(field: u32, value: u64, out: &mut Vec<u8>) {
    put_varint(u64::from(field << 3 | 1), out);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a field that is a string or a message.
#[inline]
pub(super) fn put_bytes(field: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(u64::from(field << 3 | 2), out);
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perfetto::message::{PacketClock, ThreadDescriptor};
    use prost::Message;

    #[test]
    fn it_is_what_prost_writes() {
        for value in [0, 1, 127, 128, 300, u64::MAX] {
            let mut bytes = Vec::new();
            put_number(1, value & 0xffff, &mut bytes);
            put_number(2, value, &mut bytes);
            let clock = PacketClock::decode(bytes.as_slice()).unwrap();
            assert_eq!((u64::from(clock.id), clock.timestamp), (value & 0xffff, value));
        }
        let mut bytes = Vec::new();
        put_number(1, 7, &mut bytes);
        put_bytes(5, "a".repeat(200).as_bytes(), &mut bytes);
        let thread = ThreadDescriptor { pid: 7, tid: 0, thread_name: "a".repeat(200) };
        assert_eq!(bytes, thread.encode_to_vec());
    }
}
