//! A table that is filled once, and stays.

use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};
use rustix::mm::{MapFlags, ProtFlags};

/// Entries of which nothing but atomic fields changes once it is filled.
#[derive(Debug)]
pub(super) struct LastingTable<T: 'static> {
    /// Null until it is filled.
    start: AtomicPtr<T>,
    count: AtomicUsize,
}

impl<T: Sync> LastingTable<T> {
    /// Not filled yet.
    pub(super) const fn new() -> LastingTable<T> {
        LastingTable { start: AtomicPtr::new(core::ptr::null_mut()), count: AtomicUsize::new(0) }
    }

    /// Whether it is filled.
    pub(super) fn is_filled(&self) -> bool {
        !self.start.load(Relaxed).is_null()
    }

    /// Fills it, for one who has the turn, and only once: with entries of which there are no more than
    /// `most`, as far as `arrange`, which may change their order, says how many of the first ones to keep.
    /// None where there is no memory.
    // Release: pairs with the Acquire of `all`. Relaxed: published by that.
    pub(super) fn fill(
        &self,
        most: usize,
        entries: impl Iterator<Item = T>,
        arrange: impl FnOnce(&mut [T]) -> usize,
    ) -> Option<()> {
        let start: *mut T =
            if most == 0 { NonNull::dangling().as_ptr() } else { map(most * size_of::<T>())? };
        let mut filled = 0;
        for entry in entries.take(most) {
            // SAFETY: within the mapping, as no more than `most` are.
            unsafe { start.add(filled).write(entry) };
            filled += 1;
        }
        // SAFETY: so many were filled. Nobody else has them yet.
        let count = arrange(unsafe { core::slice::from_raw_parts_mut(start, filled) }).min(filled);
        self.count.store(count, Relaxed);
        self.start.store(start, Release);
        Some(())
    }

    /// All entries; none as long as it isn't filled.
    // Acquire: pairs with the Release of `fill`.
    pub(super) fn all(&self) -> &'static [T] {
        let start = self.start.load(Acquire);
        if start.is_null() {
            return &[];
        }
        // SAFETY: `fill` has filled so many there. They stay, and what changes of them is atomic.
        unsafe { core::slice::from_raw_parts(start, self.count.load(Relaxed)) }
    }
}

/// Memory for a table, for good.
fn map<T>(bytes: usize) -> Option<*mut T> {
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping, where the kernel likes.
    let start =
        unsafe { rustix::mm::mmap_anonymous(core::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE) };
    Some(start.ok()?.cast())
}
