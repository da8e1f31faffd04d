//! A consumer that looks at records where they lie.

use crate::layout::PackedLayout;
use crate::position::BadPosition;
use crate::record::PlacedRecord;
use crate::tracepoints::{LONGEST, Tracepoints};
use abi::atomic::AtomicU32;
use ring_buffer::{PlacedCursor, PlacedEvent, Unread};
use session::{Error, Instance, Lock, Pace};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Words before the payload of an event in a lane: the CPU.
const LANE_WORDS: usize = 2;

/// How often it is said again how far one has come, when somebody else comes in between.
const TRIES: u32 = 1000;

/// Consumes the records of a block where they lie, without copying them. Positions are numbers of events.
#[derive(Debug)]
pub struct Consumer {
    instance: Arc<Instance>,
    block: u32,
    _lock: Lock,
    tracepoints: Tracepoints,
    cursor: PlacedCursor,
    /// How many events were lost since the last record.
    lost: u64,
}

impl Consumer {
    /// The consumer of a block of an instance: of a CPU, or of a lane, which follow the CPUs.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] while somebody else consumes events of that block, or of all.
    pub fn open(instance: Arc<Instance>, block: u32) -> Result<Consumer, Error> {
        let lock = instance.lock_cpu_reader(block)?;
        let (tracepoints, cursor) = (Tracepoints::default(), PlacedCursor::default());
        Ok(Consumer { instance, block, _lock: lock, tracepoints, cursor, lost: 0 })
    }

    /// The instance whose events it consumes.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The next record. None when there is none now.
    ///
    /// Cost: some ns, and some 20 ns for each page.
    #[inline]
    pub fn next_record(&mut self) -> Option<PlacedRecord<'_>> {
        let (buffer, control) = (self.instance.buffer(), self.instance.control());
        let cpus = buffer.geometry().cpus;
        loop {
            let event = buffer.next_placed(self.block, &mut self.cursor)?;
            self.lost += event.lost;
            let (cpu, payload) = placed(self.block, cpus, &event);
            let id = payload.first().map_or(0, |word| word.load(Relaxed) as u16);
            if self.tracepoints.layout(control, id).is_some() {
                let lost = std::mem::take(&mut self.lost);
                let layout = self.tracepoints.layout(control, id)?;
                let PlacedEvent { number, time, .. } = event;
                return Some(PlacedRecord { number, time, lost, cpu, payload, layout });
            }
        }
    }

    /// The position after the last record that was looked at, and after the events that follow it and were
    /// passed over.
    pub fn position(&self) -> u64 {
        self.cursor.number()
    }

    /// Bytes that the block's buffer has.
    pub fn size(&self) -> u64 {
        self.instance.buffer().capacity(self.block)
    }

    /// The position after the last event.
    pub fn produced(&self) -> u64 {
        self.unread().map_or(self.position(), |unread| unread.end)
    }

    /// The position of the first event that was not consumed.
    pub fn consumed(&self) -> u64 {
        self.unread().map_or(self.position(), |unread| unread.start)
    }

    /// Consumes all events before a position. Gives the number of the oldest one that had not been
    /// overwritten before it was called: what was read of those before it doesn't count, and they count as
    /// overwritten.
    ///
    /// # Errors
    ///
    /// [`BadPosition::Beyond`] for a position after [`Consumer::produced`]; nothing was consumed.
    pub fn put_consumed(&mut self, position: u64) -> Result<u64, BadPosition> {
        for _ in 0..TRIES {
            let Some(Unread { start, oldest, end }) = self.unread() else {
                // Cleared, or kept as a snapshot: what was looked at is nobody's any more.
                return if position <= self.position() { Ok(0) } else { Err(BadPosition::Beyond) };
            };
            if position > end {
                return Err(BadPosition::Beyond);
            }
            let lost = oldest.min(position).saturating_sub(start);
            if self.instance.buffer().consume_to(self.block, start, position, lost).is_ok() {
                return Ok(oldest);
            }
        }
        Err(BadPosition::Contended)
    }

    fn unread(&self) -> Option<Unread> {
        self.instance.buffer().unread(self.block)
    }

    /// How records of the tracepoint with this id are packed. None where there is none.
    pub fn layout(&mut self, id: u16) -> Option<&PackedLayout> {
        self.tracepoints.layout(self.instance.control(), id)
    }

    /// The format of the tracepoint with this id. None where there is none.
    pub fn format(&self, id: u16) -> Option<String> {
        self.instance.control().declaration(id, &mut vec![0; LONGEST]).map(str::to_string)
    }

    /// Whether there is another record now.
    pub fn has_record(&mut self) -> bool {
        let (before, lost) = (self.cursor, self.lost);
        let has_record = self.next_record().is_some();
        if has_record {
            (self.cursor, self.lost) = (before, lost);
        }
        has_record
    }

    /// Waits until there is another record, or for that time. Whether there is one. Producers wake nobody: it
    /// is looked for records every 1 to 10 ms.
    ///
    /// # Errors
    ///
    /// `Interrupted` when a signal was handled.
    pub fn wait(&mut self, most: Option<Duration>) -> io::Result<bool> {
        Pace::default().wait(most, || self.has_record())
    }
}

/// The CPU of an event, and its payload from the common fields on.
#[inline]
fn placed<'a>(block: u32, cpus: u32, event: &PlacedEvent<'a>) -> (u32, &'a [AtomicU32]) {
    if block < cpus {
        return (block, event.payload);
    }
    let cpu = event.payload.first().map_or(0, |word| word.load(Relaxed));
    (cpu.min(cpus - 1), event.payload.get(LANE_WORDS..).unwrap_or_default())
}
