//! The memory that libc has registered for the calling thread.

use crate::arch;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Layout of `struct rseq`, as far as it is used.
#[derive(Debug)]
#[repr(C, align(32))]
struct Registration {
    cpu_id_start: AtomicU32,
    cpu_id: AtomicU32,
    section: AtomicU64,
}

/// The calling thread's registration. It belongs to the thread: an `Area` is of no use in another.
#[derive(Debug, Clone, Copy)]
pub struct Area(*mut Registration);

impl Area {
    /// The calling thread's area; None where libc is too old to have one. Cost: three loads.
    #[inline(always)]
    pub fn current() -> Option<Area> {
        arch::thread_area().map(|address| Area(address.cast()))
    }

    /// Distance of the area from the thread pointer, the same in all threads of a process.
    ///
    /// A caller that keeps it saves the look-up: see [`Area::at`].
    pub fn offset() -> Option<isize> {
        arch::area_offset()
    }

    /// The calling thread's area, `offset` bytes after the thread pointer. Cost: one load.
    ///
    /// # Safety
    ///
    /// `offset` comes from [`Area::offset`] in this process, or 32 bytes there are readable and what
    /// is at offset 4 of them is never used as a CPU.
    #[inline(always)]
    pub unsafe fn at(offset: isize) -> Area {
        Area(arch::at_thread_pointer(offset).cast())
    }

    /// The CPU that the thread is on at this moment; None when the thread is not registered.
    #[inline(always)]
    pub fn cpu(self) -> Option<u32> {
        let cpu = self.raw_cpu();
        // The kernel's "uninitialized" and "registration failed" are -1 and -2.
        (cpu <= i32::MAX as u32).then_some(cpu)
    }

    /// The CPU that the thread is on at this moment, without a check: anything from 2^31 up when the thread
    /// is not registered.
    ///
    /// `cpu_id` is taken, not `cpu_id_start`, because google-tcmalloc uses the latter for itself.
    #[inline(always)]
    pub fn raw_cpu(self) -> u32 {
        // SAFETY: the area is the calling thread's own and lives as long as the thread.
        unsafe { (*self.0).cpu_id.load(Ordering::Relaxed) }
    }

    /// Forgets the section that was entered last.
    ///
    /// Sections do this when they commit. Who leaves one by another way should, too: a stale pointer
    /// costs about 30 ns at each context switch that follows, and is wrong once the code is unmapped.
    #[inline(always)]
    pub fn leave(self) {
        // SAFETY: the area is the calling thread's own and lives as long as the thread.
        unsafe { (*self.0).section.store(0, Ordering::Relaxed) }
    }

    /// Address of the area, for sections.
    #[inline(always)]
    pub fn address(self) -> *mut u8 {
        self.0.cast()
    }
}
