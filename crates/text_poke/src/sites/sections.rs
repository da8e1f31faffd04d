//! The sections of an object's file, by their names. Nothing of the file is believed.

use core::ffi::CStr;

/// A section that is mapped when the object is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedSection<'a> {
    /// Its name.
    pub name: &'a CStr,
    /// Its address, before what the object was moved by is added.
    pub address: u64,
    /// Its size in bytes.
    pub len: u64,
}

const HEADER_LEN: usize = 64;
const ALLOCATED: u64 = 2;

/// The mapped sections of the 64-bit ELF file `file`; none of what is no such file, or a damaged one.
pub fn sections(file: &[u8]) -> impl Iterator<Item = MappedSection<'_>> {
    let headers = if file.starts_with(b"\x7fELF\x02\x01") { headers(file) } else { None };
    let (headers, names) = headers.unwrap_or_default();
    headers.chunks_exact(HEADER_LEN).filter_map(move |header| {
        let is_mapped = word(header, 8)? & ALLOCATED != 0;
        let name = names.get(half(header, 0)? as usize..)?;
        let name = CStr::from_bytes_until_nul(name).ok().filter(|_| is_mapped)?;
        Some(MappedSection { name, address: word(header, 16)?, len: word(header, 32)? })
    })
}

/// The headers of all sections, and the text that their names are in.
fn headers(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = usize::try_from(word(file, 40)?).ok()?;
    let size = half(file, 58)? as u16 as usize;
    let (count, names) = (half(file, 60)? as u16 as usize, (half(file, 60)? >> 16) as usize);
    let headers = file.get(start..)?.get(..count * HEADER_LEN).filter(|_| size == HEADER_LEN)?;
    let header = headers.get(names * HEADER_LEN..)?;
    let (start, len) = (usize::try_from(word(header, 24)?).ok()?, usize::try_from(word(header, 32)?).ok()?);
    Some((headers, file.get(start..)?.get(..len)?))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|half| u32::from_le_bytes(*half))
}
