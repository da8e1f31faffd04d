//! Addresses of networks and the like: the extensions of `%p` that print an array.

use super::conversion::ConversionKind;
use super::evaluate::{Evaluator, Value};
use crate::digits::hex;
use std::io::Write;
use std::net::Ipv6Addr;

/// `AF_INET` and `AF_INET6`.
const INTERNET_4: [u8; 2] = 2_u16.to_le_bytes();
const INTERNET_6: [u8; 2] = 10_u16.to_le_bytes();

impl Evaluator<'_> {
    /// Appends the address that the value's argument, an array, holds. What is too short for its
    /// kind is called invalid, as libtraceevent does.
    pub(super) fn address(&self, value: &Value, out: &mut Vec<u8>) {
        let Some(bytes) = value.argument.array().map(|field| self.bytes(field)) else {
            return self.pointer(self.number(&value.argument), out);
        };
        match value.conversion.kind {
            ConversionKind::Mac { separator, reversed } => mac(bytes, separator, reversed, out),
            ConversionKind::Internet4 { zeros, reversed } => match bytes.first_chunk() {
                Some(address) => internet4(*address, zeros, reversed, out),
                None => out.extend_from_slice(b"INVALIDIPv4"),
            },
            ConversionKind::Internet6 { colons, compressed } => match bytes.first_chunk() {
                Some(address) => internet6(*address, colons, compressed, out),
                None => out.extend_from_slice(b"INVALIDIPv6"),
            },
            ConversionKind::SocketAddress { port, compressed } => {
                socket_address(bytes, port, compressed, out)
            }
            ConversionKind::Uuid { little_endian, upper } => uuid(bytes, little_endian, upper, out),
            _ => {}
        }
    }
}

fn mac(bytes: &[u8], separator: Option<u8>, reversed: bool, out: &mut Vec<u8>) {
    let Some(address) = bytes.first_chunk::<6>() else {
        return out.extend_from_slice(b"INVALIDMAC");
    };
    for index in 0..6 {
        out.extend(separator.filter(|_| index > 0));
        hex(u64::from(address[if reversed { 5 - index } else { index }]), 2, out);
    }
}

fn internet4(mut address: [u8; 4], zeros: bool, reversed: bool, out: &mut Vec<u8>) {
    if reversed {
        address.reverse();
    }
    let [a, b, c, d] = address;
    // Writing into a vector can't fail.
    let _ = match zeros {
        true => write!(out, "{a:03}.{b:03}.{c:03}.{d:03}"),
        false => write!(out, "{a}.{b}.{c}.{d}"),
    };
}

fn internet6(address: [u8; 16], colons: bool, compressed: bool, out: &mut Vec<u8>) {
    if compressed {
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
    let number = rest.first_chunk().map_or(0, |bytes| u16::from_be_bytes(*bytes));
    match *family {
        INTERNET_4 if bytes.len() < 16 => return out.extend_from_slice(b"INVALIDIPv4"),
        INTERNET_6 if bytes.len() < 28 => return out.extend_from_slice(b"INVALIDIPv6"),
        INTERNET_4 => internet4([bytes[4], bytes[5], bytes[6], bytes[7]], false, false, out),
        INTERNET_6 => {
            let mut address = [0; 16];
            address.copy_from_slice(&bytes[8..24]);
            out.extend(port.then_some(b'['));
            internet6(address, true, compressed, out);
            out.extend(port.then_some(b']'));
        }
        _ => return,
    }
    if port {
        let _ = write!(out, ":{number}");
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
