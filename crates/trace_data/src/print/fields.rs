//! An event's fields one by one, for where there is no print format that can be evaluated.

use crate::digits::hex;
use crate::format::{Field, Format};
use std::io::Write;

/// Appends ` name=value` for each of the event's own fields, as libtraceevent does for an event
/// that it failed to parse: text as such, other arrays byte by byte, pointers and unsigned `long`s
/// in hexadecimal.
pub(crate) fn print_fields(format: &Format, payload: &[u8], out: &mut Vec<u8>) {
    for field in format.own_fields() {
        out.push(b' ');
        out.extend_from_slice(field.name.as_bytes());
        out.push(b'=');
        if field.type_name.ends_with(']') {
            array(field, payload, out);
        } else {
            number(field, payload, out);
        }
    }
}

fn array(field: &Field, payload: &[u8], out: &mut Vec<u8>) {
    let bytes = field.bytes(payload).unwrap_or_default();
    let text = crate::bytes::until_nul(bytes);
    let is_text = field.element_type().is_some_and(|element| element.text);
    if is_text && text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'..=b'\r')) {
        return out.extend_from_slice(text);
    }
    out.extend_from_slice(b"ARRAY[");
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b", ");
        }
        hex(u64::from(*byte), 2, out);
    }
    out.push(b']');
}

fn number(field: &Field, payload: &[u8], out: &mut Vec<u8>) {
    let value = field.raw(payload, field.signed).unwrap_or(0);
    let long = field.type_name.contains("long");
    if field.is_pointer() || (long && !field.signed) {
        return super::evaluate::prefixed_hex(value, out);
    }
    // Writing into a vector can't fail.
    let _ = match (field.signed, field.size) {
        (true, 2) => write!(out, "{:2}", value.cast_signed()),
        (true, _) => write!(out, "{}", value.cast_signed()),
        (false, _) => write!(out, "{value}"),
    };
}
