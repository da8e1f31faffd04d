//! Packets compressed, many in one: by a thread of its own, as that takes as long as making them.

use super::wire::put_bytes;
use export::Error;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Fields of the file, and of a packet that has others in it.
const PACKET: u32 = 1;
const COMPRESSED_PACKETS: u32 = 50;

/// Chunks that wait to be compressed.
const WAITING: usize = 4;

/// Compresses chunks of packets, and hands them on in their order.
#[derive(Debug)]
pub(super) struct DeflateThread {
    /// None after the last one.
    chunks: Option<SyncSender<Vec<u8>>>,
    packets: Receiver<io::Result<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl DeflateThread {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<DeflateThread> {
        let (chunks, to_compress) = sync_channel(WAITING);
        let (compressed, packets) = channel();
        let thread = Builder::new().name("deflate".into()).spawn(move || run(&to_compress, &compressed))?;
        Ok(DeflateThread { chunks: Some(chunks), packets, thread })
    }

    /// Hands a chunk over, and writes what is compressed by now.
    pub(super) fn push(&mut self, chunk: Vec<u8>, out: &mut impl Write) -> Result<(), Error> {
        // It is there as long as it is not finished.
        let _ = self.chunks.as_ref().map(|chunks| chunks.send(chunk));
        while let Ok(packet) = self.packets.try_recv() {
            out.write_all(&packet?)?;
        }
        Ok(())
    }

    /// Writes all that is left.
    pub(super) fn finish(mut self, out: &mut impl Write) -> Result<(), Error> {
        self.chunks = None;
        for packet in &self.packets {
            out.write_all(&packet?)?;
        }
        match self.thread.join() {
            Ok(()) => Ok(()),
            Err(_) => Err(io::Error::other("a thread that compresses has failed").into()),
        }
    }
}

fn run(chunks: &Receiver<Vec<u8>>, packets: &Sender<io::Result<Vec<u8>>>) {
    for chunk in chunks {
        if packets.send(compressed(&chunk)).is_err() {
            return;
        }
    }
}

/// A packet that has those of a chunk in it.
fn compressed(chunk: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(chunk.len() / 4), Compression::fast());
    encoder.write_all(chunk)?;
    let (mut packet, mut bytes) = (Vec::new(), Vec::new());
    put_bytes(COMPRESSED_PACKETS, &encoder.finish()?, &mut packet);
    put_bytes(PACKET, &packet, &mut bytes);
    Ok(bytes)
}
