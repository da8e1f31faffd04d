//! Writing events.

use crate::arch;
use crate::buffer::Buffer;
use crate::lane::current_cpu;
use crate::record::{Event, Head};
use crate::section::OnCpu;
use crate::sliced::Sliced;
use crate::steps::Step;
use abi::buffer::{Block, Clock, DropReason};
use abi::page::HEADER_SIZE;
use core::sync::atomic::Ordering::Relaxed;
use rseq::{Area, Outcome};

/// How often a writer tries before it gives up: enough for any burst of changes that others make, and an end
/// for whatever else keeps it from committing.
const TRIES: u32 = 64;

/// How many sections in a row are aborted before a writer gives up. A section takes some ten nanoseconds, so
/// who loses the CPU in each is stepped through by a debugger, and will not come to the end of any.
const ABORTS: u32 = 2;

/// What the sections need to know of the segment: a private copy, made once, that nobody else writes.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Target {
    /// The control word.
    pub(crate) control: *const u64,
    /// The segment's first byte, plus a page's header: position 0 of the page at offset 0.
    pub(crate) base: *mut u8,
    /// The last position at which a page may start: what follows it is all in the segment.
    pub(crate) limit: u64,
    /// The bits of a position that are within a page.
    pub(crate) page_mask: u64,
    /// Bytes of events that fit a page.
    pub(crate) capacity: u64,
}

/// What can be written: an event that lies together, or one whose end lies elsewhere.
pub(crate) trait Content: Copy {
    /// The numbers.
    fn head(&self) -> Head;

    /// The payload's words.
    fn words(&self) -> impl Iterator<Item = u64>;

    /// Writes it to the block of `cpu` with the stamp `time`, or the last event's where that is later.
    ///
    /// # Safety
    ///
    /// `area` is the calling thread's, `block` is that of `cpu` in the segment that `target` describes.
    unsafe fn append_at(
        self,
        area: Area,
        cpu: u32,
        block: *const Block,
        target: &Target,
        time: u64,
    ) -> Outcome;
}

impl Content for Event<'_> {
    fn head(&self) -> Head {
        Event::head(self)
    }

    fn words(&self) -> impl Iterator<Item = u64> {
        Event::words(self)
    }

    unsafe fn append_at(
        self,
        area: Area,
        cpu: u32,
        block: *const Block,
        target: &Target,
        time: u64,
    ) -> Outcome {
        // SAFETY: the caller's promise, handed on.
        unsafe { arch::append_at(area, cpu, block, target, self, time) }
    }
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub struct Thread {
    /// The calling thread's rseq area; None to write to a lane.
    pub area: Option<Area>,
    /// The thread and the pid namespace that it counts in, for whoever finds a lane that it has left
    /// behind. Never 0.
    pub identity: u64,
}

/// Why an event was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotWritten {
    /// Recording is off.
    Off,
    /// Recording is on, but the event had to be dropped. It has been counted.
    Dropped(DropReason),
    /// The buffer has grown, and the process has not mapped the memory where the event belongs. A writer that
    /// maps all of the buffer can write it. Nothing has been counted.
    NotMapped,
}

/// Writes events into a buffer. One serves all threads of a process.
///
/// Async-signal-safe: no allocation, no lock, no system call on the way of an event; a writer that is
/// interrupted by a handler that writes just starts over.
#[derive(Debug)]
pub struct Writer {
    target: Target,
    /// CPUs whose writers may take the short way; none when times come from a clock that has to be
    /// read by a call.
    quick_cpus: u32,
    /// Whether the calling thread may ask the kernel whether another one is alive.
    pub(crate) may_ask: fn() -> bool,
    pub(crate) buffer: Buffer,
}

// SAFETY: the pointers in `target` go into the segment, which is shared by its nature.
unsafe impl Send for Writer {}
// SAFETY: as above.
unsafe impl Sync for Writer {}

impl Writer {
    /// A writer for `buffer`.
    pub fn new(buffer: Buffer) -> Writer {
        let (geometry, segment) = (buffer.geometry(), buffer.segment());
        let target = Target {
            control: buffer.header().control.as_ptr(),
            base: segment.base().wrapping_add(HEADER_SIZE),
            limit: segment.len() as u64 - geometry.page_size,
            page_mask: geometry.page_size - 1,
            capacity: geometry.page_capacity(),
        };
        let quick_cpus = if geometry.clock == Clock::Tsc { geometry.cpus } else { 0 };
        Writer { target, quick_cpus, may_ask: || true, buffer }
    }

    /// The same for a process in which system calls may be made only where `may_ask` says so. Where it
    /// doesn't, a lane whose owner was killed is not taken over.
    pub fn asking(self, may_ask: fn() -> bool) -> Writer {
        Writer { may_ask, ..self }
    }

    /// Writes `event` to the buffer of the CPU that the thread is on, whole or not at all.
    ///
    /// Cost: about that of reading the time stamp counter.
    #[inline(always)]
    pub fn write(&self, thread: Thread, event: Event<'_>) -> Result<(), NotWritten> {
        if let Some(area) = thread.area {
            let cpu = area.raw_cpu();
            if cpu < self.quick_cpus {
                let block = self.buffer.block_address(cpu);
                // SAFETY: the area is the calling thread's, the block that of `cpu`.
                let outcome = unsafe { arch::append(area, cpu, block, &self.target, event) };
                if outcome == Outcome::Committed {
                    return Ok(());
                }
            }
        }
        self.write_slowly(thread, event)
    }

    /// The buffer that it writes to.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Writes an event that ends with a slice of memory, in the same way.
    ///
    /// Cost: about 30 ns, and what copying takes.
    pub fn write_sliced(&self, thread: Thread, event: &Sliced<'_>) -> Result<(), NotWritten> {
        self.write_slowly(thread, event)
    }

    /// Counts an event that no writer of the process could write, because it could not map the memory.
    pub fn count_not_mapped(&self, thread: Thread) {
        let cpu = thread.area.and_then(Area::cpu).unwrap_or_else(current_cpu);
        self.buffer.count_drop(cpu, DropReason::NotMapped);
    }

    /// Counts an event of which it can't be found out whose it is.
    pub fn count_unidentified(&self) {
        self.buffer.count_drop(current_cpu(), DropReason::Unidentified);
    }

    /// Has what an event on this CPU needs mapped before the first one comes.
    pub fn touch(&self, cpu: u32) {
        if cpu < self.buffer.geometry().cpus {
            self.buffer.segment().touch(self.buffer.geometry().block_offset(cpu));
        }
    }

    /// Writes after whatever has to be done first: adopt a change, go to the next page, record a gap.
    #[cold]
    #[inline(never)]
    fn write_slowly(&self, thread: Thread, event: impl Content) -> Result<(), NotWritten> {
        let Some(area) = thread.area else {
            return self.write_to_lane(thread, event);
        };
        let mut aborts = 0;
        for _ in 0..TRIES {
            let Some(cpu) = area.cpu().filter(|cpu| *cpu < self.buffer.geometry().cpus) else {
                break;
            };
            let Some(block) = self.buffer.block(cpu) else { break };
            let step = match self.buffer.prepare(block, &OnCpu { area, cpu }, event.head().room) {
                Step::Ready(time) => {
                    let time = self.buffer.event_time(time);
                    // SAFETY: as in `write`.
                    match unsafe { event.append_at(area, cpu, block, &self.target, time) } {
                        Outcome::Committed => return Ok(()),
                        outcome => outcome.into(),
                    }
                }
                step => step,
            };
            match step {
                Step::Ready(_) | Step::Again => aborts = 0,
                Step::Aborted if aborts + 1 < ABORTS => aborts += 1,
                Step::Aborted | Step::NoMemory => break,
                Step::NotMapped => return Err(NotWritten::NotMapped),
                Step::Off => return Err(NotWritten::Off),
                Step::Drop(reason) => {
                    self.buffer.count_drop(cpu, reason);
                    return Err(NotWritten::Dropped(reason));
                }
            }
        }
        // No rseq, no memory for this CPU, or a debugger that steps through sections.
        self.write_to_lane(thread, event)
    }
}

impl Buffer {
    /// Counts an event that was not written. A CPU that has no block is counted with the first.
    pub(crate) fn count_drop(&self, block: u32, reason: DropReason) {
        let block = self.block(block).or_else(|| self.block(0));
        if let Some(counter) = block.and_then(|block| block.dropped.get(reason as usize)) {
            counter.fetch_add(1, Relaxed);
        }
    }
}
