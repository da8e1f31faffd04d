//! The buffers that this process has mapped: what it needs of a session and nothing else.
//!
//! That of the first instance is mapped when the process attaches, as large as it was made; those of other
//! instances when the first event is wanted there; and all of one when it has grown. What has been mapped
//! stays: another thread, or what a handler has interrupted, may be using it.
//!
//! # Safety
//!
//! A place's writer is written only by who has made its state busy, and read only by way of `current`,
//! which is stored after it; after that nothing changes it.

use crate::shared::Shared;
use crate::thread;
use abi::instance::{INSTANCES, RECORDING};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32};
use ring_buffer::{Buffer, Geometry, Writer};

/// What this process has mapped of an instance's buffer.
struct WriterSlots {
    /// How many of the writers are there: none; one for what is in use as long as the buffer has not grown; a
    /// second one for all of it. [`BUSY`] is added while somebody makes the next.
    state: AtomicU32,
    /// The instance's state when one could not be made, + 1: it is not tried again for that instance.
    refused: AtomicU32,
    /// The last of the writers.
    current: AtomicPtr<Writer>,
    writers: [UnsafeCell<MaybeUninit<Writer>>; WRITERS as usize],
}

const WRITERS: u32 = 2;
const BUSY: u32 = 4;

// SAFETY: a cell is written once, by the thread that has set `BUSY`, before `made` says that it is there.
unsafe impl Sync for WriterSlots {}

/// The first instance's, which every process uses, apart from the others'.
static FIRST: WriterSlots = WriterSlots::new();

/// One for each instance after the first. After what every process touches, see `process`.
#[unsafe(link_section = ".bss.lookback_large_places")]
static OTHERS: [WriterSlots; INSTANCES - 1] = [const { WriterSlots::new() }; INSTANCES - 1];

fn place(instance: usize) -> Option<&'static WriterSlots> {
    match instance {
        RECORDING => Some(&FIRST),
        _ => OTHERS.get(instance - 1),
    }
}

/// Makes the first instance's writer the one for `buffer`: while the process attaches.
pub(crate) fn use_first(buffer: Buffer, may_call: fn() -> bool) -> &'static Writer {
    FIRST.state.store(BUSY, Relaxed);
    FIRST.put(0, Writer::new(buffer).asking(may_call))
}

/// The first instance's writer. Only once the process is attached.
#[inline(always)]
pub(crate) fn first() -> &'static Writer {
    // SAFETY: a writer is there since the process was attached.
    unsafe { &*FIRST.current.load(Acquire) }
}

impl Shared {
    /// The writer of an instance. Where its buffer has not been mapped yet, it is mapped if that can be
    /// done here and now; None, and an event counted that was wanted there, if not.
    ///
    /// Async-signal-safe.
    #[inline]
    pub(crate) fn writer_of(&self, instance: usize) -> Option<&'static Writer> {
        let place = place(instance)?;
        // SAFETY: null, or one of the writers, of which nothing changes any more.
        match unsafe { place.current.load(Acquire).as_ref() } {
            None => self.map_buffer(place, instance, 0),
            writer => writer,
        }
    }

    /// A writer that has all of an instance's buffer mapped, which has grown. None, and nothing counted,
    /// where it can't be mapped here and now.
    #[cold]
    #[inline(never)]
    pub(crate) fn writer_of_all(&self, instance: usize) -> Option<&'static Writer> {
        let place = place(instance)?;
        if place.state.load(Acquire) == WRITERS {
            // SAFETY: null, or one of the writers, of which nothing changes any more.
            return unsafe { place.current.load(Acquire).as_ref() };
        }
        self.try_to_map(place, instance, 1)
    }

    #[cold]
    #[inline(never)]
    fn map_buffer(&self, place: &'static WriterSlots, instance: usize, made: u32) -> Option<&'static Writer> {
        let writer = self.try_to_map(place, instance, made);
        if writer.is_none() {
            self.control.count_not_mapped(instance);
        }
        writer
    }

    /// Makes the writer after the first `made`. None where that is refused, or somebody else does it just
    /// now: a thread, or what this handler has interrupted.
    fn try_to_map(&self, place: &'static WriterSlots, instance: usize, made: u32) -> Option<&'static Writer> {
        let state = self.control.instance_state(instance)?.0.wrapping_add(1);
        let is_safe = (self.hooks.may_map)() && !thread::is_aside();
        if place.refused.load(Relaxed) == state || !is_safe {
            return None;
        }
        place.state.compare_exchange(made, made | BUSY, Acquire, Relaxed).ok()?;
        match self.open_buffer(instance, made > 0) {
            Some(writer) => Some(place.put(made, writer)),
            None => {
                place.refused.store(state, Relaxed);
                place.state.store(made, Release);
                None
            }
        }
    }

    /// A writer into an instance's buffer, if one of this session's is there; `whole` where it has grown.
    fn open_buffer(&self, instance: usize, whole: bool) -> Option<Writer> {
        if instance != RECORDING && !self.control.is_extended() {
            self.control.extend(self.control.map_more(self.layout.extension()?)?);
        }
        let part = if whole { self.layout.buffer(instance) } else { self.layout.mapped_buffer(instance) };
        let segment = self.control.map_more(part?)?;
        Geometry::of(&segment).ok().filter(|geometry| geometry.identity == self.session)?;
        Some(Writer::new(Buffer::new(segment).ok()?).asking(self.hooks.may_call))
    }
}

/// The addresses that this process has mapped of a session: the control area and the first instance's
/// buffer, the other instances' parts of the control area, their buffers.
pub(crate) fn mapped(shared: &Shared) -> impl Iterator<Item = Range<usize>> {
    let writers = (0..INSTANCES).filter_map(place).flat_map(|place| place.made());
    shared.control.mapped().chain(writers.map(|writer| writer.buffer().mapped()))
}

impl WriterSlots {
    const fn new() -> WriterSlots {
        WriterSlots {
            state: AtomicU32::new(0),
            refused: AtomicU32::new(0),
            current: AtomicPtr::new(null_mut()),
            writers: [const { UnsafeCell::new(MaybeUninit::uninit()) }; WRITERS as usize],
        }
    }

    /// Puts the writer after the first `made` in its place, for who has made the state busy.
    fn put(&'static self, made: u32, writer: Writer) -> &'static Writer {
        let [few, all] = &self.writers;
        let cell = if made == 0 { few } else { all };
        // SAFETY: busy, by us; nobody has been told of it.
        let writer = unsafe { (*cell.get()).write(writer) };
        self.current.store(writer, Release);
        self.state.store(made + 1, Release);
        writer
    }

    /// The writers that are there.
    fn made(&'static self) -> impl Iterator<Item = &'static Writer> {
        let made = self.state.load(Acquire) & (BUSY - 1);
        let cells = self.writers.iter().take(made as usize);
        // SAFETY: so many are there, and nothing changes them.
        cells.map(|cell| unsafe { (*cell.get()).assume_init_ref() })
    }
}
