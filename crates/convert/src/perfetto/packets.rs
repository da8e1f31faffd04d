//! Packets on their way into a file: each with its time, which counts from the one before.

use super::deflate::DeflateThread;
use super::message::*;
use super::wire::{put_bytes, put_number};
use export::Error;
use prost::Message;
use std::io::Write;
use trace_data::info::TraceInfo;

/// Perfetto's numbers of clocks.
const REALTIME: u32 = 1;
const MONOTONIC: u32 = 3;
const BOOTTIME: u32 = 6;
/// That of the packets: it counts from the one before.
const INCREMENTAL: u32 = 64;

/// A packet's flag: what those before it refer to is forgotten.
const STATE_CLEARED: u32 = 1;

/// The number of the sequence that all packets are of.
const SEQUENCE: u32 = 1;

/// Fields of packets, and that of the file which has them.
const PACKET: u32 = 1;
const TIMESTAMP: u32 = 8;
const SEQUENCE_ID: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED_DATA: u32 = 12;
const CLOCK_ID: u32 = 58;

/// Bytes of packets that are compressed together.
const CHUNK: usize = 256 * 1024;

/// Writes packets.
#[derive(Debug)]
pub(super) struct PacketWriter<W> {
    out: W,
    /// Packets that are not compressed yet.
    bytes: Vec<u8>,
    /// Started with the first chunk.
    deflate: Option<DeflateThread>,
    packet: Vec<u8>,
    /// The time of the last packet; none before the first.
    time: Option<u64>,
}

/// A track event, and the strings that it brings.
#[derive(Debug)]
pub(super) struct TrackEventBytes<'a> {
    pub(super) event: &'a [u8],
    /// They are taken.
    pub(super) interned: &'a mut Vec<u8>,
}

impl<W: Write> PacketWriter<W> {
    pub(super) fn new(out: W) -> PacketWriter<W> {
        PacketWriter { out, bytes: Vec::new(), deflate: None, packet: Vec::new(), time: None }
    }

    /// Writes what all clocks show, before anything that has a time.
    pub(super) fn start(&mut self, time: u64, trace: &TraceInfo<'_>) -> Result<(), Error> {
        if self.time.is_some() {
            return Ok(());
        }
        let clock = |id, timestamp| PacketClock { id, timestamp, is_incremental: None };
        let mut clocks = vec![
            clock(MONOTONIC, time),
            clock(BOOTTIME, time),
            PacketClock { id: INCREMENTAL, timestamp: time, is_incremental: Some(true) },
        ];
        clocks.extend(trace.real_time(time).map(|real| clock(REALTIME, real)));
        self.time = Some(time);
        self.push(
            TracePacket {
                sequence_flags: Some(STATE_CLEARED),
                clock_snapshot: Some(ClockSnapshot { clocks, primary_trace_clock: MONOTONIC }),
                trace_packet_defaults: Some(TracePacketDefaults { timestamp_clock_id: INCREMENTAL }),
                ..TracePacket::default()
            },
            None,
        )
    }

    /// Adds a packet.
    pub(super) fn push(&mut self, mut packet: TracePacket, time: Option<u64>) -> Result<(), Error> {
        packet.trusted_packet_sequence_id = SEQUENCE;
        if let Some(time) = time {
            (packet.timestamp, packet.timestamp_clock_id) = self.timestamp(time);
        }
        put_bytes(PACKET, &packet.encode_to_vec(), &mut self.bytes);
        self.write_if(CHUNK)
    }

    /// Adds a packet with a track event.
    pub(super) fn push_event(&mut self, encoded: TrackEventBytes<'_>, time: u64) -> Result<(), Error> {
        let (timestamp, clock) = self.timestamp(time);
        let packet = &mut self.packet;
        packet.clear();
        put_number(TIMESTAMP, timestamp.unwrap_or_default(), packet);
        put_number(SEQUENCE_ID, SEQUENCE.into(), packet);
        if let Some(clock) = clock {
            put_number(CLOCK_ID, clock.into(), packet);
        }
        if !encoded.interned.is_empty() {
            put_bytes(INTERNED_DATA, encoded.interned, packet);
            encoded.interned.clear();
        }
        put_bytes(TRACK_EVENT, encoded.event, packet);
        put_bytes(PACKET, packet, &mut self.bytes);
        self.write_if(CHUNK)
    }

    /// A time as a packet has it. One that lies before the last is of a clock of its own.
    fn timestamp(&mut self, time: u64) -> (Option<u64>, Option<u32>) {
        match time.checked_sub(self.time.unwrap_or(time)) {
            Some(passed) => {
                self.time = Some(time);
                (Some(passed), None)
            }
            None => (Some(time), Some(MONOTONIC)),
        }
    }

    fn write_if(&mut self, size: usize) -> Result<(), Error> {
        if self.bytes.len() < size {
            return Ok(());
        }
        let next = Vec::with_capacity(CHUNK + CHUNK / 8);
        let chunk = std::mem::replace(&mut self.bytes, next);
        let deflate = match &mut self.deflate {
            Some(deflate) => deflate,
            none => none.insert(DeflateThread::start()?),
        };
        deflate.push(chunk, &mut self.out)
    }

    /// Writes what is left.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.write_if(0)?;
        if let Some(deflate) = self.deflate.take() {
            deflate.finish(&mut self.out)?;
        }
        Ok(self.out.flush()?)
    }
}
