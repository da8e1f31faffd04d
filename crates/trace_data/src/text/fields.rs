//! An event's fields one by one: the kernel's option `fields`.
//!
//! Source: `print_fields` in `kernel/trace/trace_output.c` of Linux 6.18.

use super::ftrace::symbol_with_offset;
use crate::bytes::until_nul;
use crate::event::Event;
use crate::format::{Field, Kind};
use crate::symbols::Symbols;
use std::io::Write;

/// Appends `NAME: FIELD=VALUE FIELD=VALUE...` and a line end. Of the kernel's own events in the system
/// `ftrace` it has no list of fields at hand.
pub(super) fn print(event: &Event, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    let format = event.format();
    // Writing into a vector can't fail.
    if format.system == "ftrace" {
        let _ = writeln!(out, "UNKNOWN TYPE {}", format.id);
        return;
    }
    out.extend_from_slice(format.name.as_bytes());
    out.push(b':');
    if format.own_fields().is_empty() {
        out.extend_from_slice(b"No fields found\n");
        return;
    }
    for field in format.own_fields() {
        let _ = write!(out, " {}=", field.name);
        match field.bytes(payload) {
            None => out.extend_from_slice(b"<OVERFLOW>"),
            Some(bytes) => value(field, bytes, symbols, out),
        }
    }
    out.push(b'\n');
}

fn value(field: &Field, bytes: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    let is_text = field.type_name.contains("char");
    match field.kind {
        Kind::DataLocation(_) | Kind::RelativeLocation(_) | Kind::Array(_) if is_text => {
            out.extend_from_slice(until_nul(bytes));
        }
        Kind::DataLocation(_) | Kind::RelativeLocation(_) => {
            for (index, byte) in bytes.iter().enumerate() {
                let _ = write!(out, "{}{byte:02x}", if index > 0 { "," } else { "" });
            }
        }
        // The kernel shows where the pointer is in its buffer, which says nothing.
        _ if ["char *", "const char *"].contains(&field.type_name.as_str()) => {
            let address = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let _ = match symbols.string(address) {
                Some(text) => write!(out, "(0x{address:016x}:{text})"),
                None => write!(out, "(0x{address:016x})"),
            };
        }
        _ => number(bytes, symbols, out),
    }
}

/// A number in hexadecimal, or the name that it has as an address, and in decimal.
fn number(bytes: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    if let Some(address) = bytes.try_into().ok().map(u64::from_le_bytes)
        && let Some(symbol) = symbols.symbol(address)
    {
        symbol_with_offset(symbol, out);
        let _ = write!(out, " ({})", address.cast_signed());
        return;
    }
    let _ = match *bytes {
        [byte @ b' '..=b'~'] => write!(out, "'{}'({byte})", char::from(byte)),
        [byte] => write!(out, "({byte})"),
        [a, b] => {
            let number = u16::from_le_bytes([a, b]);
            write!(out, "0x{number:x} ({number})")
        }
        [a, b, c, d] => {
            let number = u32::from_le_bytes([a, b, c, d]);
            write!(out, "0x{number:x} ({})", number.cast_signed())
        }
        _ => match bytes.try_into().map(u64::from_le_bytes) {
            Ok(number) => write!(out, "0x{number:x} ({})", number.cast_signed()),
            Err(_) => write!(out, "<INVALID-SIZE>"),
        },
    };
}
