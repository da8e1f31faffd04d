//! Addresses of networks and the like: the extensions of `%p` that print an array.

use super::conversion::Kind;
use super::evaluate::Evaluator;
use super::expression::Expression;
use super::template::Value;
use crate::digits::{decimal, hex};
use std::io::Write;
use std::net::Ipv6Addr;

/// `AF_INET` and `AF_INET6`.
const INTERNET_4: [u8; 2] = 2_u16.to_le_bytes();
const INTERNET_6: [u8; 2] = 10_u16.to_le_bytes();

impl Evaluator<'_> {
    /// Appends the address that the value's argument, an array, holds. What is too short for its
    /// kind is called invalid, as libtraceevent does.
    pub(super) fn address(&self, value: &Value, out: &mut Vec<u8>) {
        let mut argument = &value.argument;
        while let Expression::Cast(_, inner) = argument {
            argument = inner;
        }
        let bytes = match argument {
            Expression::Field(field) | Expression::DynamicArray(field) => self.bytes(*field),
            _ => return self.pointer(self.number(&value.argument), out),
        };
        match value.conversion.kind {
            Kind::Mac { separator, reversed } => mac(bytes, separator, reversed, out),
            Kind::Internet4 { zeros, reversed } => match bytes.first_chunk() {
                Some(address) => internet4(*address, zeros, reversed, out),
                None => out.extend_from_slice(b"INVALIDIPv4"),
            },
            Kind::Internet6 { colons, compressed } => match bytes.first_chunk() {
                Some(address) => internet6(*address, colons, compressed, out),
                None => out.extend_from_slice(b"INVALIDIPv6"),
            },
            Kind::SocketAddress { port, compressed } => socket_address(bytes, port, compressed, out),
            Kind::Uuid { little_endian, upper } => uuid(bytes, little_endian, upper, out),
            _ => {}
        }
    }
}

fn mac(bytes: &[u8], separator: Option<u8>, reversed: bool, out: &mut Vec<u8>) {
    let Some(address) = bytes.first_chunk::<6>() else {
        return out.extend_from_slice(b"INVALIDMAC");
    };
    for index in 0..6 {
        if let Some(separator) = separator.filter(|_| index > 0) {
            out.push(separator);
        }
        hex(u64::from(address[if reversed { 5 - index } else { index }]), 2, out);
    }
}

fn internet4(mut address: [u8; 4], zeros: bool, reversed: bool, out: &mut Vec<u8>) {
    if reversed {
        address.reverse();
    }
    for (index, byte) in address.into_iter().enumerate() {
        if index > 0 {
            out.push(b'.');
        }
        decimal(u64::from(byte), if zeros { 3 } else { 0 }, b'0', out);
    }
}

fn internet6(address: [u8; 16], colons: bool, compressed: bool, out: &mut Vec<u8>) {
    if compressed {
        // Writing into a vector can't fail.
        let _ = write!(out, "{}", Ipv6Addr::from(address));
        return;
    }
    for (index, pair) in address.chunks_exact(2).enumerate() {
        if colons && index > 0 {
            out.push(b':');
        }
        pair.iter().for_each(|byte| hex(u64::from(*byte), 2, out));
    }
}

/// A `struct sockaddr_in` or `sockaddr_in6`; nothing for another family.
fn socket_address(bytes: &[u8], port: bool, compressed: bool, out: &mut Vec<u8>) {
    let Some((family, rest)) = bytes.split_first_chunk::<2>() else {
        return;
    };
    let number = rest.first_chunk().map_or(0, |bytes| u64::from(u16::from_be_bytes(*bytes)));
    match *family {
        INTERNET_4 if bytes.len() < 16 => out.extend_from_slice(b"INVALIDIPv4"),
        INTERNET_6 if bytes.len() < 28 => out.extend_from_slice(b"INVALIDIPv6"),
        INTERNET_4 => {
            internet4([bytes[4], bytes[5], bytes[6], bytes[7]], false, false, out);
        }
        INTERNET_6 => {
            if port {
                out.push(b'[');
            }
            let mut address = [0; 16];
            address.copy_from_slice(&bytes[8..24]);
            internet6(address, true, compressed, out);
            if port {
                out.push(b']');
            }
        }
        _ => return,
    }
    let valid = bytes.len() >= if *family == INTERNET_4 { 16 } else { 28 };
    if port && valid {
        out.push(b':');
        decimal(number, 0, b' ', out);
    }
}

fn uuid(bytes: &[u8], little_endian: bool, upper: bool, out: &mut Vec<u8>) {
    const LITTLE_ENDIAN: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let Some(uuid) = bytes.first_chunk::<16>() else {
        return out.extend_from_slice(b"INVALIDUUID");
    };
    let start = out.len();
    for index in 0..16 {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        hex(u64::from(uuid[if little_endian { LITTLE_ENDIAN[index] } else { index }]), 2, out);
    }
    if upper {
        out[start..].make_ascii_uppercase();
    }
}
