//! The writers into the buffers that this process has mapped.
//!
//! # Safety
//!
//! A writer is stored only by the thread that has made its state busy, and read only through `current`,
//! which is stored after it; after that nothing changes it until all are freed, which nobody uses any more.

use abi::instance::{INSTANCES, RECORDING};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32};
use ring_buffer::{Buffer, Writer};

/// What this process has mapped of an instance's buffer.
pub(crate) struct WriterSlots {
    /// How many of the writers are there: none; one for what is in use as long as the buffer has not grown; a
    /// second one for all of it. [`BUSY`] is added while somebody makes the next.
    pub(crate) state: AtomicU32,
    /// The instance's state when one could not be made, + 1: it is not tried again for that instance.
    pub(crate) refused: AtomicU32,
    /// The last of the writers.
    pub(crate) current: AtomicPtr<Writer>,
    writers: [UnsafeCell<MaybeUninit<Writer>>; WRITERS as usize],
}

pub(crate) const WRITERS: u32 = 2;
pub(crate) const BUSY: u32 = 4;

// SAFETY: a cell is written by the thread that has set `BUSY`, before `made` says that it is there.
unsafe impl Sync for WriterSlots {}

/// The first instance's, which every process uses, apart from the others'.
static FIRST: WriterSlots = WriterSlots::new();

/// One for each instance after the first. After what every process touches, see `process`.
#[unsafe(link_section = ".bss.lookback_large_places")]
static OTHERS: [WriterSlots; INSTANCES - 1] = [const { WriterSlots::new() }; INSTANCES - 1];

/// Those of an instance.
pub(crate) fn slots(instance: usize) -> Option<&'static WriterSlots> {
    match instance {
        RECORDING => Some(&FIRST),
        _ => OTHERS.get(instance - 1),
    }
}

/// Makes the first instance's writer the one for `buffer`: while the process attaches.
pub(crate) fn use_first(buffer: Buffer, make: impl FnOnce(Writer) -> Writer) -> &'static Writer {
    FIRST.state.store(BUSY, Relaxed);
    FIRST.put(0, make(Writer::new(buffer)))
}

/// The first instance's writer. Only once the process is attached.
#[inline(always)]
pub(crate) fn first() -> &'static Writer {
    // SAFETY: a writer is there since the process was attached.
    unsafe { &*FIRST.current.load(Acquire) }
}

/// Unmaps all buffers: there are no writers then.
///
/// # Safety
///
/// Nobody uses a writer, or comes to use one meanwhile.
pub(crate) unsafe fn free() {
    // SAFETY: the caller's promise.
    (0..INSTANCES).filter_map(slots).for_each(|slots| unsafe { slots.free() });
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

    /// Stores the writer after the first `made`; only for the thread that has made the state busy.
    pub(crate) fn put(&'static self, made: u32, writer: Writer) -> &'static Writer {
        let [few, all] = &self.writers;
        let cell = if made == 0 { few } else { all };
        // SAFETY: busy, by us; nobody has its address.
        let writer = unsafe { (*cell.get()).write(writer) };
        self.current.store(writer, Release);
        self.state.store(made + 1, Release);
        writer
    }

    /// Drops the writers.
    ///
    /// # Safety
    ///
    /// As for [`free`].
    unsafe fn free(&'static self) {
        let made = self.state.load(Acquire) & (BUSY - 1);
        self.current.store(null_mut(), Relaxed);
        for cell in self.writers.iter().take(made as usize) {
            // SAFETY: so many are there, and nobody uses them.
            unsafe { (*cell.get()).assume_init_drop() };
        }
        self.refused.store(0, Relaxed);
        self.state.store(0, Release);
    }

    /// The writers that are there.
    pub(crate) fn made(&'static self) -> impl Iterator<Item = &'static Writer> {
        let made = self.state.load(Acquire) & (BUSY - 1);
        let cells = self.writers.iter().take(made as usize);
        // SAFETY: so many are there, and nothing changes them.
        cells.map(|cell| unsafe { (*cell.get()).assume_init_ref() })
    }
}
