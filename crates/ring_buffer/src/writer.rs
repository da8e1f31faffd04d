//! Writing events.

use crate::arch::{self, TextEvent};
use crate::buffer::Buffer;
use crate::cpu::current_cpu;
use crate::not_written::NotWritten;
use crate::record::EncodedEvent;
use crate::section::OnCpu;
use crate::short_event::ShortEvent;
use crate::sliced::Sliced;
use crate::steps::Step;
use crate::target::Target;
use crate::thread::WriterThread;
use crate::writable::Writable;
use abi::buffer::{Block, Clock, DropReason};
use abi::page::HEADER_SIZE;
use rseq::{Area, Outcome};

/// How often a writer tries before it stops: enough for any burst of changes that others make, and an end for
/// whatever else keeps it from committing (R12).
const TRIES: u32 = 64;

/// How many sections in a row are aborted before a writer stops trying. A section takes some ten nanoseconds,
/// so a thread that loses the CPU in each is stepped through by a debugger, and will not come to the end of
/// any.
const ABORTS: u32 = 2;

/// Is told the CPU whose next page was begun, perhaps, and the thread that has written there; and how many
/// [ticks](crate::ticks) its event had taken until the fast path refused it, if it has a
/// [time that was read before](Writer::write_read).
pub type PageTurned = fn(u32, WriterThread, Option<u64>);

/// Writes events into a buffer. One serves all threads of a process.
///
/// Async-signal-safe: no allocation, no lock, no system call on the way of an event; a writer that is
/// interrupted by a handler that writes just starts over.
#[derive(Debug)]
pub struct Writer {
    target: Target,
    /// CPUs whose writers may take the fast path; none when times come from a clock that has to be
    /// read by a call.
    quick_cpus: u32,
    /// The block of the first CPU.
    blocks: *const Block,
    /// Whether the calling thread may ask the kernel whether another one is alive.
    may_ask: fn() -> bool,
    /// Who is told when an event was written that the fast path has refused.
    page_turned: Option<PageTurned>,
    buffer: Buffer,
}

// SAFETY: the pointers in `target` go into the segment, which is shared by its nature.
unsafe impl Send for Writer {}
// SAFETY: nothing in it changes; the segment that the pointers go into is shared by its nature.
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
        let blocks = buffer.block_address(0);
        Writer { target, quick_cpus, blocks, may_ask: || true, page_turned: None, buffer }
    }

    /// This writer for a process whose threads may have no areas, which says so: none takes the fast path
    /// where it hasn't.
    pub fn having_areas(self, has_areas: bool) -> Writer {
        Writer { quick_cpus: if has_areas { self.quick_cpus } else { 0 }, ..self }
    }

    /// This writer for a process in which system calls may be made only where `may_ask` says so. Where it
    /// doesn't, a lane whose owner was killed is not claimed.
    pub fn asking(self, may_ask: fn() -> bool) -> Writer {
        Writer { may_ask, ..self }
    }

    /// This writer, with one who is told after an event was written for which the page may have been turned.
    pub fn telling(self, page_turned: PageTurned) -> Writer {
        Writer { page_turned: Some(page_turned), ..self }
    }

    /// Writes `event` to the per-CPU buffer of the CPU that the thread is on, whole or not at all (R2).
    ///
    /// Cost: about that of reading the time stamp counter.
    #[inline(always)]
    pub fn write(&self, thread: WriterThread, event: EncodedEvent<'_>) -> Result<(), NotWritten> {
        self.write_by(thread, event, None, |area, cpu, block| {
            // SAFETY: the area is the calling thread's, the block that of `cpu`.
            unsafe { arch::append(area, cpu, block, &self.target, event) }
        })
    }

    /// [`Writer::write`] for one who has just read the [ticks](crate::ticks) of the time stamp counter: the
    /// event gets that time, if the buffer's times are ticks, and if the fast path writes it. Else the clock
    /// is read again.
    ///
    /// Cost: that of [`Writer::write`] without the reading.
    #[inline(always)]
    pub fn write_read(
        &self,
        thread: WriterThread,
        event: EncodedEvent<'_>,
        ticks: u64,
    ) -> Result<(), NotWritten> {
        self.write_by(thread, event, Some(ticks), |area, cpu, block| {
            // SAFETY: the area is the calling thread's, the block that of `cpu`.
            unsafe { arch::append_read(area, cpu, block, &self.target, event, ticks) }
        })
    }

    /// As [`Writer::write`], but only where the fast path can: whether it has. Nothing is called for it: code
    /// that is compiled without vector registers uses none but xmm0 and xmm1. The area is the calling
    /// thread's.
    ///
    /// Cost: that of [`Writer::write`].
    #[inline(always)]
    pub fn try_write(&self, area: Option<Area>, event: EncodedEvent<'_>) -> bool {
        let Some((area, cpu)) = self.quick_cpu(area) else { return false };
        // SAFETY: the area is the calling thread's, the block that of `cpu`.
        let outcome = unsafe { arch::append(area, cpu, self.block(cpu), &self.target, event) };
        outcome == Outcome::Committed
    }

    /// As [`Writer::try_write`], of an event in registers, which costs less; with `ticks`, as
    /// [`Writer::write_read`].
    #[inline(always)]
    pub fn try_write_short<const LEN: usize>(
        &self,
        area: Option<Area>,
        event: ShortEvent<LEN>,
        ticks: Option<u64>,
    ) -> bool {
        let Some((area, cpu)) = self.quick_cpu(area) else { return false };
        let block = self.block(cpu);
        // SAFETY: the area is the calling thread's, the block that of `cpu`.
        let outcome = unsafe { arch::append_in_registers(area, cpu, block, &self.target, event, ticks) };
        outcome == Outcome::Committed
    }

    /// As [`Writer::try_write`], of an event in registers that ends with a text, which costs less.
    #[inline(always)]
    pub fn try_write_text<const START: usize>(&self, area: Option<Area>, event: TextEvent<START>) -> bool {
        let Some((area, cpu)) = self.quick_cpu(area) else { return false };
        // SAFETY: the area is the calling thread's, the block that of `cpu`.
        let outcome = unsafe { arch::append_with_text(area, cpu, self.block(cpu), &self.target, event) };
        outcome == Outcome::Committed
    }

    /// As [`Writer::write_read`], likewise.
    #[inline(always)]
    pub fn try_write_read(&self, area: Option<Area>, event: EncodedEvent<'_>, ticks: u64) -> bool {
        let Some((area, cpu)) = self.quick_cpu(area) else { return false };
        let block = self.block(cpu);
        // SAFETY: the area is the calling thread's, the block that of `cpu`.
        let outcome = unsafe { arch::append_read(area, cpu, block, &self.target, event, ticks) };
        outcome == Outcome::Committed
    }

    /// The block of a CPU.
    #[inline(always)]
    fn block(&self, cpu: u32) -> *const Block {
        self.blocks.wrapping_add(cpu as usize)
    }

    /// The CPU that the calling thread is on, if the fast path is taken there.
    #[inline(always)]
    fn quick_cpu(&self, area: Option<Area>) -> Option<(Area, u32)> {
        let area = area?;
        let cpu = area.raw_cpu();
        (cpu < self.quick_cpus).then_some((area, cpu))
    }

    /// Writes `event`, which was begun at `begun` if that is known, by a section, `append`, or on the slow
    /// path.
    #[inline(always)]
    fn write_by(
        &self,
        thread: WriterThread,
        event: EncodedEvent<'_>,
        begun: Option<u64>,
        append: impl FnOnce(Area, u32, *const Block) -> Outcome,
    ) -> Result<(), NotWritten> {
        if let Some((area, cpu)) = self.quick_cpu(thread.area) {
            match append(area, cpu, self.block(cpu)) {
                Outcome::Committed => return Ok(()),
                Outcome::Refused => return self.write_last(thread, area, event, begun),
                Outcome::Aborted => {}
            }
        }
        self.write_slowly(thread, event, None)
    }

    /// Writes what the fast path refuses: often the last event of a page, after which there is less space
    /// than that path may touch.
    #[cold]
    #[inline(never)]
    fn write_last(
        &self,
        thread: WriterThread,
        area: Area,
        event: EncodedEvent<'_>,
        begun: Option<u64>,
    ) -> Result<(), NotWritten> {
        let taken = begun.map(|begun| arch::ticks().saturating_sub(begun));
        let cpu = area.raw_cpu();
        if cpu < self.quick_cpus {
            // SAFETY: the area is the calling thread's, the block that of `cpu`.
            let outcome = unsafe { arch::append_last(area, cpu, self.block(cpu), &self.target, event) };
            if outcome == Outcome::Committed {
                return Ok(());
            }
        }
        self.write_slowly(thread, event, taken)
    }

    /// The time now: [`Buffer::now`] of its buffer.
    pub fn now(&self) -> u64 {
        self.buffer.now()
    }

    /// The buffer that it writes to.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Writes an event that ends with a slice of memory to the per-CPU buffer of the CPU that the thread is
    /// on, whole or not at all.
    ///
    /// Cost: about 30 ns, and that of copying the slice.
    pub fn write_sliced(&self, thread: WriterThread, event: &Sliced<'_>) -> Result<(), NotWritten> {
        self.write_slowly(thread, event, None)
    }

    /// Counts an event that no writer of the process could write, because it could not map the memory.
    pub fn count_not_mapped(&self, thread: WriterThread) {
        let cpu = thread.area.and_then(Area::cpu).unwrap_or_else(current_cpu);
        self.buffer.count_drop(cpu, DropReason::NotMapped);
    }

    /// Counts an event whose thread can't be identified.
    pub fn count_unidentified(&self) {
        self.buffer.count_drop(current_cpu(), DropReason::Unidentified);
    }

    /// Maps the words that an event on this CPU needs before the first one comes.
    pub fn touch(&self, cpu: u32) {
        if cpu < self.buffer.geometry().cpus {
            self.buffer.segment().touch(self.buffer.geometry().block_offset(cpu));
        }
    }

    /// Writes after whatever has to be done first: adopt a change, go to the next page, record a gap. `taken`
    /// is what a [`PageTurned`] is told.
    #[cold]
    #[inline(never)]
    fn write_slowly(
        &self,
        thread: WriterThread,
        event: impl Writable,
        taken: Option<u64>,
    ) -> Result<(), NotWritten> {
        let Some(area) = thread.area else {
            return self.buffer.write_to_lane(thread, event, self.may_ask);
        };
        let mut aborts = 0;
        for _ in 0..TRIES {
            let Some(cpu) = area.cpu().filter(|cpu| *cpu < self.buffer.geometry().cpus) else {
                break;
            };
            let Some(block) = self.buffer.block(cpu) else { break };
            let step = match self.buffer.prepare(block, &OnCpu { area, cpu }, event.head().size()) {
                Step::Ready(time) => {
                    let time = self.buffer.event_time(time);
                    // SAFETY: the area is the calling thread's, the block that of `cpu`.
                    match unsafe { event.append_at(area, cpu, block, &self.target, time) } {
                        Outcome::Committed => {
                            if let Some(page_turned) = self.page_turned {
                                page_turned(cpu, thread, taken);
                            }
                            return Ok(());
                        }
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
        self.buffer.write_to_lane(thread, event, self.may_ask)
    }
}
