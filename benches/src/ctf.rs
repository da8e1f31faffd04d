//! Files of the Common Trace Format, as LTTng-UST writes them: only how large their packets are.

use std::path::Path;

/// First word of every packet.
const MAGIC: u32 = 0xc1fc_1fc1;
/// Where LTTng's packets have the bits that are in use, header included, those of the packet all in all, and
/// the number of events that found no space.
const CONTENT_SIZE: usize = 48;
const PACKET_SIZE: usize = 56;
const DISCARDED: usize = 72;

/// Bytes that the packets of all streams in a directory, and in those in it, have in use. An error when there
/// is something else, or when events were discarded.
pub fn content_bytes(directory: &Path) -> Result<u64, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "index" {
            bytes += content_bytes(&path)?;
        } else if name.starts_with("channel_") {
            let stream = std::fs::read(&path).map_err(failed)?;
            bytes += stream_bytes(&stream).ok_or_else(|| format!("{name}: not LTTng's packets"))?;
        }
    }
    Ok(bytes)
}

/// The bytes of the events of one stream. None when it is no stream of packets, or has lost events.
fn stream_bytes(mut stream: &[u8]) -> Option<u64> {
    let word = |packet: &[u8], at: usize| Some(u64::from_le_bytes(*packet.get(at..)?.first_chunk()?));
    let mut bytes = 0;
    while !stream.is_empty() {
        let is_packet = stream.first_chunk().is_some_and(|magic| u32::from_le_bytes(*magic) == MAGIC);
        let (content, size) = (word(stream, CONTENT_SIZE)? / 8, word(stream, PACKET_SIZE)? / 8);
        if !is_packet || content > size || size == 0 || word(stream, DISCARDED)? != 0 {
            return None;
        }
        bytes += content;
        stream = stream.get(size as usize..)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(content: u64, size: u64, discarded: u64) -> Vec<u8> {
        let mut packet = vec![0; size as usize];
        packet[..4].copy_from_slice(&MAGIC.to_le_bytes());
        for (at, value) in [(CONTENT_SIZE, content * 8), (PACKET_SIZE, size * 8), (DISCARDED, discarded)] {
            packet[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        packet
    }

    #[test]
    fn packets_are_added_up() {
        let stream = [packet(100, 4096, 0), packet(4096, 4096, 0)].concat();
        assert_eq!(stream_bytes(&stream), Some(4196));
        assert_eq!(stream_bytes(&[]), Some(0));
        assert_eq!(stream_bytes(&packet(100, 4096, 1)), None);
        assert_eq!(stream_bytes(&stream[..5000]), None);
        assert_eq!(stream_bytes(&[0; 4096]), None);
    }
}
