//! Records as a stream of bytes.

use crate::position::BadPosition;
use crate::tracepoints::Tracepoints;
use abi::common;
use ring_buffer::{PageCopy, Walk};
use session::{Error, Instance, Lock};
use std::collections::VecDeque;
use std::sync::Arc;

/// The id of a record that says how many events were overwritten before they could be read: the id of no
/// tracepoint.
pub const LOST_ID: u16 = 0;

/// Its name, which no tracepoint can have.
pub const LOST_NAME: &str = "LOST EVENTS";

/// Its format: it has one argument.
pub const LOST_FORMAT: &str = "[LOST %llu EVENTS]";

/// Bytes before the payload of an event in a lane: the CPU.
const LANE_BYTES: usize = 8;

/// How often it is said again how far one has come, when somebody else comes in between.
const TRIES: u32 = 1000;

/// The most bytes that are ahead of what was consumed, whatever size the buffer has: positions have 32 bits.
const MOST: u64 = 1 << 30;

/// Where a record ends.
#[derive(Debug, Clone, Copy)]
struct RecordEnd {
    /// In the stream.
    position: u64,
    /// The number of the event after it.
    next_event: u64,
    /// How many events it says were lost.
    lost: u64,
}

/// The records of a block as a stream of bytes, packed one after the other. Positions are bytes since it was
/// opened.
///
/// Looking at records leaves them where they are. Up to as many bytes as the buffer has can be ahead of what
/// was consumed; then nothing more is read until some of it is.
#[derive(Debug)]
pub struct RecordStream {
    instance: Arc<Instance>,
    block: u32,
    _lock: Lock,
    tracepoints: Tracepoints,
    /// A page on its way.
    page: Vec<u8>,
    /// The number of the first event that was not consumed.
    start: u64,
    /// The number of the event after the last one that is packed here.
    next_event: u64,
    /// The position up to which all was consumed.
    consumed: u64,
    /// The records from there on.
    bytes: VecDeque<u8>,
    /// Their ends.
    ends: VecDeque<RecordEnd>,
    /// The position up to which all was read.
    read: u64,
}

impl RecordStream {
    /// That of a block of an instance: of a CPU, or of a lane, which follow the CPUs.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] while somebody else consumes events of that block, or of all.
    pub fn open(instance: Arc<Instance>, block: u32) -> Result<RecordStream, Error> {
        let lock = instance.lock_cpu_reader(block)?;
        let page = vec![0; instance.buffer().geometry().page_size as usize];
        Ok(RecordStream {
            instance,
            block,
            _lock: lock,
            tracepoints: Tracepoints::default(),
            page,
            start: 0,
            next_event: 0,
            consumed: 0,
            bytes: VecDeque::new(),
            ends: VecDeque::new(),
            read: 0,
        })
    }

    /// Bytes that the block's buffer has.
    pub fn size(&self) -> u64 {
        self.instance.buffer().capacity(self.block)
    }

    /// The position after the last record.
    pub fn produced(&mut self) -> u64 {
        self.look(u64::MAX);
        self.end()
    }

    /// The position of the first record that was not consumed.
    pub fn consumed(&mut self) -> u64 {
        self.follow();
        self.consumed
    }

    /// Reads up to `len` bytes, from where the last read ended. None when there are none now.
    pub fn read(&mut self, len: usize) -> Option<Vec<u8>> {
        self.look(self.read.saturating_add(len as u64));
        let start = (self.read - self.consumed) as usize;
        let end = self.bytes.len().min(start.saturating_add(len));
        if start >= self.bytes.len() {
            return None;
        }
        self.read = self.consumed + end as u64;
        let (first, second) = self.bytes.as_slices();
        let in_first = start.min(first.len())..end.min(first.len());
        let in_second = start.saturating_sub(first.len())..end.saturating_sub(first.len());
        Some([first.get(in_first)?, second.get(in_second)?].concat())
    }

    /// Whether there is something to be read.
    pub fn has_unread(&mut self) -> bool {
        self.look(self.read + 1);
        self.read < self.end()
    }

    /// Consumes all records before a position: the lower 32 bits of one.
    ///
    /// # Errors
    ///
    /// [`BadPosition`], and nothing was consumed.
    pub fn put_consumed(&mut self, position: u32) -> Result<(), BadPosition> {
        self.look(u64::MAX);
        let wanted = self.consumed + u64::from(position.wrapping_sub(self.consumed as u32));
        for _ in 0..TRIES {
            if wanted <= self.consumed {
                return Ok(());
            }
            if wanted > self.end() {
                return Err(BadPosition::Beyond);
            }
            let index = self.ends.binary_search_by_key(&wanted, |end| end.position);
            let index = index.map_err(|_| BadPosition::InRecord)?;
            let lost = self.ends.range(..=index).map(|end| end.lost).sum();
            let to = self.ends.get(index).map_or(self.start, |end| end.next_event);
            // Whoever else has consumed meanwhile is followed.
            let _ = self.instance.buffer().consume_to(self.block, self.start, to, lost);
            self.follow();
        }
        Err(BadPosition::Contended)
    }

    fn end(&self) -> u64 {
        self.consumed + self.bytes.len() as u64
    }

    /// Forgets the records that were consumed, here or elsewhere, or cleared.
    fn follow(&mut self) {
        let unread = self.instance.buffer().unread(self.block);
        let start = unread.map_or(u64::MAX, |unread| unread.start);
        while let Some(end) = self.ends.front().filter(|end| end.next_event <= start) {
            self.bytes.drain(..(end.position - self.consumed) as usize);
            self.consumed = end.position;
            self.ends.pop_front();
        }
        self.read = self.read.max(self.consumed);
        if let Some(unread) = unread {
            self.start = unread.start;
            self.next_event = self.next_event.max(unread.start);
        }
    }

    /// Packs more records, until a position is reached, or there are no more, or as many as may be ahead.
    fn look(&mut self, position: u64) {
        self.follow();
        let most = self.size().min(MOST);
        while self.end() < position && (self.bytes.len() as u64) < most {
            let buffer = self.instance.buffer();
            let Some(copy) = buffer.read(self.block, self.next_event, &mut self.page) else { return };
            self.pack(copy);
            self.next_event = copy.next_event();
        }
    }

    /// Packs the records in the page.
    fn pack(&mut self, copy: PageCopy) {
        let mut packed = Vec::with_capacity(self.page.len());
        if copy.lost > 0 {
            packed.extend_from_slice(&LOST_ID.to_le_bytes());
            packed.extend_from_slice(&copy.lost.to_le_bytes());
            self.add(&mut packed, copy.first_event, copy.lost);
        }
        let page = std::mem::take(&mut self.page);
        let is_lane = self.block >= self.instance.buffer().geometry().cpus;
        let lead = if is_lane { LANE_BYTES } else { 0 };
        for (number, event) in (copy.first_event..).zip(Walk::new(&page)) {
            let payload = page.get(event.payload + lead..event.payload + event.len).unwrap_or_default();
            let Some(word) = payload.first_chunk() else { continue };
            let id = common::event(u64::from_le_bytes(*word));
            if let Some(layout) = self.tracepoints.layout(self.instance.control(), id) {
                layout.pack(id, payload, &mut packed);
                self.add(&mut packed, number + 1, 0);
            }
        }
        self.page = page;
    }

    /// Adds a record.
    fn add(&mut self, packed: &mut Vec<u8>, next_event: u64, lost: u64) {
        self.bytes.extend(packed.drain(..));
        self.ends.push_back(RecordEnd { position: self.end(), next_event, lost });
    }
}
