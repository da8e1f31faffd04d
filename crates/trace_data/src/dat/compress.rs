//! Compressed pages, as version 7 has them.

use super::Error;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Read, Write};

/// Pages that are compressed together. More would compress little better, and readers hold a chunk in
/// memory for every CPU.
const CHUNK_PAGES: u32 = 64;

/// Compresses one CPU's pages, `length` bytes of them, and writes what the [`super::CpuSource`] of a
/// compressed file gives. Returns its length; nothing is written for a CPU without pages.
///
/// # Errors
///
/// Those of the reader and the writer, and pages that are fewer than announced.
pub fn compress(pages: impl Read, length: u64, page_size: u32, mut out: impl Write) -> Result<u64, Error> {
    let io = |source| Error::Io { what: "compressing pages", source };
    if length == 0 {
        return Ok(0);
    }
    let chunk = u64::from(page_size) * u64::from(CHUNK_PAGES);
    let mut pages = pages.take(length);
    let mut written = 4;
    out.write_all(&(length.div_ceil(chunk) as u32).to_le_bytes()).map_err(io)?;
    for start in (0..length).step_by(chunk as usize) {
        let mut bytes = vec![0; chunk.min(length - start) as usize];
        pages.read_exact(&mut bytes).map_err(io)?;
        let compressed = block(&bytes);
        out.write_all(&compressed).map_err(io)?;
        written += compressed.len() as u64;
    }
    Ok(written)
}

/// A block with its two lengths in front.
pub(super) fn block(bytes: &[u8]) -> Vec<u8> {
    let compressed = compress_to_vec(io::Cursor::new(bytes), CompressionLevel::Fastest);
    let [packed, length] = [compressed.len(), bytes.len()].map(|length| (length as u32).to_le_bytes());
    [&packed[..], &length, &compressed].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dat::section::decompress;

    #[test]
    fn a_block_can_be_decompressed() {
        let bytes: Vec<u8> = (0..70_000u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
        let block = block(&bytes);
        assert!(block.len() < bytes.len() / 2);
        assert_eq!(decompress(&block[8..], bytes.len() as u64, 0).unwrap(), bytes);
    }
}
