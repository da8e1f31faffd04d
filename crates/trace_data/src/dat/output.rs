//! Numbers, strings and texts as they are written.

use crate::bytes::until_nul;

pub(super) fn sized32(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

pub(super) fn sized64(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

/// A name, up to its NUL: what follows one would be taken for the next thing.
pub(super) fn string(text: &str) -> Vec<u8> {
    [until_nul(text.as_bytes()), &[0]].concat()
}

pub(super) fn option(number: u16, data: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes()[..], &(data.len() as u32).to_le_bytes(), data].concat()
}
