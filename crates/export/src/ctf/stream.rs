//! A CPU's events in packets.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use trace_data::page::Missed;

/// First word of every packet.
const MAGIC: u32 = 0xc1fc_1fc1;
/// Bytes of events after which a packet ends.
const PACKET: usize = 64 * 1024;

/// The file of a CPU.
#[derive(Debug)]
pub(super) struct CtfStream {
    file: BufWriter<File>,
    cpu: u32,
    /// The events of the packet that is not written yet.
    events: Vec<u8>,
    /// When that begins, and its last event so far.
    begin: u64,
    end: u64,
    /// Events that were lost, up to now.
    discarded: u64,
    size: u64,
}

impl CtfStream {
    /// Creates a CPU's file. The trace begins at `time`, so that what is lost before the first event is lost
    /// after something.
    pub(super) fn create(path: &Path, cpu: u32, time: u64) -> io::Result<CtfStream> {
        let file = BufWriter::new(File::create_new(path)?);
        Ok(CtfStream { file, cpu, events: Vec::new(), begin: time, end: time, discarded: 0, size: 0 })
    }

    /// Events were lost before `time`. A packet without any says so: readers know of losses that they lie
    /// between the ends of two packets.
    pub(super) fn lose(&mut self, time: u64, lost: Missed) -> io::Result<()> {
        if lost == Missed::None {
            return Ok(());
        }
        self.write_packet()?;
        self.discarded = self.discarded.saturating_add(lost.count());
        (self.begin, self.end) = (self.end, time.max(self.end));
        self.write_packet()
    }

    /// Starts an event. Its context and its fields are to be appended. Readers read no further where times go
    /// back, as they may after a damaged page: such an event has the time of the one before.
    pub(super) fn start_event(&mut self, id: u16, time: u64) -> &mut Vec<u8> {
        let time = time.max(self.end);
        if self.events.is_empty() {
            self.begin = time;
        }
        self.end = time;
        self.events.extend_from_slice(&id.to_le_bytes());
        self.events.extend_from_slice(&time.to_le_bytes());
        &mut self.events
    }

    /// An event is complete.
    pub(super) fn end_event(&mut self) -> io::Result<()> {
        if self.events.len() >= PACKET { self.write_packet() } else { Ok(()) }
    }

    /// Writes the packet's header, its context and its events: as the metadata says.
    fn write_packet(&mut self) -> io::Result<()> {
        const HEAD: usize = 2 * 4 + 5 * 8 + 4;
        let bits = 8 * (HEAD + self.events.len()) as u64;
        let mut head = Vec::with_capacity(HEAD);
        [MAGIC, 0].iter().for_each(|word| head.extend_from_slice(&word.to_le_bytes()));
        let context = [self.begin, self.end, bits, bits, self.discarded];
        context.iter().for_each(|word| head.extend_from_slice(&word.to_le_bytes()));
        head.extend_from_slice(&self.cpu.to_le_bytes());
        self.file.write_all(&head)?;
        self.file.write_all(&self.events)?;
        self.size += bits / 8;
        self.events.clear();
        Ok(())
    }

    /// Writes what is left. The bytes of the file.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        if !self.events.is_empty() {
            self.write_packet()?;
        }
        self.file.flush()?;
        Ok(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_go_back_and_losses_are_packets() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stream_0");
        let mut stream = CtfStream::create(&path, 0, 10).unwrap();
        for (time, lost) in [(10, Missed::None), (30, Missed::None), (20, Missed::Count(7))] {
            stream.lose(time, lost).unwrap();
            stream.start_event(1, time);
            stream.end_event().unwrap();
        }
        stream.finish().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let (mut rest, mut packets) = (bytes.as_slice(), Vec::new());
        while !rest.is_empty() {
            let word = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().unwrap());
            packets.push((word(8), word(16), word(40)));
            rest = &rest[word(24) as usize / 8..];
        }
        assert_eq!(packets, [(10, 30, 0), (30, 30, 7), (30, 30, 7)]);
    }
}
