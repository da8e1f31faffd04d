//! What threads that are just starting need to know, from their maker to their first instruction.
//!
//! Any number of threads may be made before the first of them runs, so there are as many places as are
//! wanted: some are there from the start, others are mapped where libc maps the thread's stack, each time
//! twice as many. None is unmapped. Free ones are a list, whose head counts how often it was changed: who was
//! interrupted while he took a place sees that it is no longer the first.
//!
//! # Safety
//!
//! A place belongs to who has taken it, then to the thread that it was given to, until that gives it back.

use crate::preload::memory::unlocked;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr::with_exposed_provenance;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use rustix::mm::{MapFlags, ProtFlags};
use shm::PAGE;
use trace_event::Parent;

/// A thread's first function, as programs hand it over.
pub(crate) type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What a thread is to run, and who has made it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) routine: Routine,
    pub(crate) argument: *mut c_void,
    pub(crate) parent: Parent,
}

/// A place for one.
pub(crate) struct StartSlot {
    /// Its own number.
    number: AtomicU32,
    /// The number of the free one after it, + 1; 0 for none.
    next: AtomicU32,
    content: UnsafeCell<Option<Start>>,
}

// SAFETY: what it contains is used by the thread that has taken the place, and by nobody else.
unsafe impl Sync for StartSlot {}

/// Places that are there from the start.
const FIRST: usize = 64;

#[unsafe(link_section = ".bss.lookback_large_starts")]
static PLACES: [StartSlot; FIRST] = [const {
    StartSlot { number: AtomicU32::new(0), next: AtomicU32::new(0), content: UnsafeCell::new(None) }
}; FIRST];

/// Where the others are: `FIRST` of them, then twice as many, and so on. 0 where there are none yet.
static CHUNKS: [AtomicUsize; 20] = [const { AtomicUsize::new(0) }; 20];

/// How many places have ever been in use.
static USED: AtomicU32 = AtomicU32::new(0);

/// The number of the first free one, + 1, of those that have been in use; how often this has changed in the
/// upper half.
static FREE: AtomicU64 = AtomicU64::new(0);

/// A place for a thread that is about to start. None where there is no memory for one.
///
/// Async-signal-safe. Makes at most two system calls, which libc makes for a thread, too.
pub(crate) fn take(start: Start) -> Option<&'static StartSlot> {
    let place = take_free().or_else(take_unused)?;
    // SAFETY: the place is ours.
    unsafe { place.content.get().write(Some(start)) };
    Some(place)
}

/// Gives a place back, and what was in it.
pub(crate) fn give_back(place: &StartSlot) -> Option<Start> {
    // SAFETY: the place is ours until it is in the list.
    let start = unsafe { place.content.get().read() };
    let mut head = FREE.load(Relaxed);
    loop {
        place.next.store(head as u32, Relaxed);
        let first = place.number.load(Relaxed) + 1;
        match FREE.compare_exchange_weak(head, changed(head, first), Release, Relaxed) {
            Ok(_) => return start,
            Err(now) => head = now,
        }
    }
}

/// The list's head when another place is the first.
fn changed(head: u64, first: u32) -> u64 {
    ((head >> 32).wrapping_add(1) << 32) | u64::from(first)
}

fn take_free() -> Option<&'static StartSlot> {
    let mut head = FREE.load(Acquire);
    loop {
        let place = place((head as u32).checked_sub(1)?)?;
        // Of no use if somebody else has taken the place meanwhile.
        let next = place.next.load(Relaxed);
        match FREE.compare_exchange_weak(head, changed(head, next), Acquire, Acquire) {
            Ok(_) => return Some(place),
            Err(now) => head = now,
        }
    }
}

/// A place that has not been in use. Its number is nobody else's, whether there is memory for it or not: then
/// it is tried again by who comes next.
fn take_unused() -> Option<&'static StartSlot> {
    let mut used = USED.load(Relaxed);
    loop {
        let place = place(used).or_else(|| map_for(used))?;
        match USED.compare_exchange_weak(used, used + 1, AcqRel, Relaxed) {
            Ok(_) => {
                place.number.store(used, Relaxed);
                return Some(place);
            }
            Err(now) => used = now,
        }
    }
}

/// Which chunk a place is in that is not one of the first, and which place there.
fn position(number: u32) -> Option<(usize, usize)> {
    let chunk = (number as usize / FIRST).checked_ilog2()? as usize;
    Some((chunk, number as usize - (FIRST << chunk)))
}

/// Places in a chunk.
const fn places_in(chunk: usize) -> usize {
    FIRST << chunk
}

/// A place, if it is there.
fn place(number: u32) -> Option<&'static StartSlot> {
    let Some((chunk, index)) = position(number) else { return PLACES.get(number as usize) };
    let address = CHUNKS.get(chunk)?.load(Acquire);
    // SAFETY: so many places lie there, all zero at first, which is a place; they stay.
    (address != 0).then(|| unsafe { &*with_exposed_provenance::<StartSlot>(address).add(index) })
}

/// Maps the chunk with a place. As libc maps a stack, so no filter of system calls minds.
fn map_for(number: u32) -> Option<&'static StartSlot> {
    let (chunk, _) = position(number)?;
    let word = CHUNKS.get(chunk)?;
    let len = places_in(chunk) * size_of::<StartSlot>();
    let (protection, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE | MapFlags::STACK);
    // SAFETY: the kernel chooses the address.
    let mapped = unsafe { rustix::mm::mmap_anonymous(core::ptr::null_mut(), len, protection, flags) };
    let mapped = mapped.ok()?;
    match word.compare_exchange(0, mapped.expose_provenance(), AcqRel, Relaxed) {
        Ok(_) => unlocked::keep_unlocked(mapped, len),
        // Another thread was quicker. SAFETY: nobody knows of these.
        Err(_) => drop(unsafe { rustix::mm::munmap(mapped, len) }),
    }
    place(number)
}

/// Where places were mapped.
pub(crate) fn mapped() -> impl Iterator<Item = Range<usize>> {
    let chunks = CHUNKS.iter().enumerate().map(|(chunk, start)| (start.load(Relaxed), places_in(chunk)));
    let there = chunks.filter(|(start, _)| *start != 0);
    there.map(|(start, places)| start..(start + places * size_of::<StartSlot>()).next_multiple_of(PAGE))
}
