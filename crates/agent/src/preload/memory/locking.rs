//! mlockall(2): the program's memory is locked, ours is not.
//!
//! What the kernel does would take all memory that the session's buffers may ever have, lock it for good,
//! and count it against the program's limit, as it counts all that is mapped. So what is mapped now is
//! locked piece by piece, all but ours, and only what comes is left to the kernel. Ours is not locked when
//! it comes, either: it is mapped as a copy of what is there.
//!
//! Where that can't be done (there is no `/proc`, or a filter may be there) the kernel does it all.
//!
//! # Safety
//!
//! As in `limits.rs`.

use crate::preload::memory::unlocked::LOCKS_FUTURE;
use crate::preload::object::image;
use crate::preload::process::sandbox;
use crate::preload::thread::starts;
use crate::preload::wrapper::frame::{CallFrame, CallHooks};
use crate::preload::wrapper::real::real;
use core::ffi::c_void;
use core::mem::transmute;
use core::ops::{ControlFlow, Range};
use core::sync::atomic::Ordering::Relaxed;
use libc::{MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT};
use rustix::mm::{MapFlags, MlockAllFlags, MlockFlags, ProtFlags};
use rustix::process::{Resource, getrlimit};
use trace_event::{is_aside, session};

/// mlockall(2).
pub(crate) const HOOKS: CallHooks = CallHooks { before, after: |_| () };

unsafe fn before(frame: &mut CallFrame) {
    if session().is_some() && !is_aside() && !sandbox::may_be_there() {
        frame.call_instead(lock_all as *const () as usize);
    }
}

unsafe extern "C" fn lock_all(flags: i32) -> i32 {
    // SAFETY: the function has this type.
    let real: unsafe extern "C" fn(i32) -> i32 = unsafe { transmute(real!(c"mlockall")) };
    let is_known = flags & !(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
    if flags & MCL_CURRENT == 0 || !is_known || !is_allowed() {
        // SAFETY: the program's own call. Nothing that is there is locked by it.
        let result = unsafe { real(flags) };
        if result == 0 {
            LOCKS_FUTURE.store(true, Relaxed);
        }
        return result;
    }
    let on_fault = flags & MCL_ONFAULT != 0;
    lock_future(flags & MCL_FUTURE != 0, on_fault);
    let pages = if on_fault { MlockFlags::ONFAULT } else { MlockFlags::empty() };
    let _ = for_each_own(&mut |range| {
        // A part that can't be read can't be filled, and is locked nevertheless: mlockall(2) says nothing
        // of it. SAFETY: locking changes no contents.
        let _ = unsafe { rustix::mm::mlock_with(pointer(range.start), range.len(), pages) };
    });
    0
}

/// Has what is mapped from now on locked, or not. First: another thread may map something meanwhile.
fn lock_future(locks: bool, on_fault: bool) {
    let on_fault = if on_fault { MlockAllFlags::ONFAULT } else { MlockAllFlags::empty() };
    let before = LOCKS_FUTURE.swap(locks, Relaxed);
    let _ = match (before, locks) {
        (_, true) => rustix::mm::mlockall(MlockAllFlags::FUTURE | on_fault),
        // What was locked is locked again.
        (true, false) => rustix::mm::munlockall(),
        (false, false) => Ok(()),
    };
}

/// Whether the program may lock so much: as the kernel decides it, without what is ours. Where it may not,
/// or that can't be found out, the kernel is asked to lock all.
fn is_allowed() -> bool {
    let mut bytes = 0;
    if for_each_own(&mut |range| bytes += range.len() as u64).is_none() {
        return false;
    }
    match getrlimit(Resource::Memlock).current {
        None => true,
        Some(limit) => limit > 0 && bytes <= limit || may_lock_more_than(limit),
    }
}

/// Whether the process has the right to lock more than its limit: it tries to, with addresses that have no
/// memory.
fn may_lock_more_than(limit: u64) -> bool {
    let Some(len) = usize::try_from(limit).ok().and_then(|limit| limit.checked_add(1)) else { return false };
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::LOCKED;
    // SAFETY: the kernel chooses the address; nobody gets to know it.
    unsafe {
        let mapped = rustix::mm::mmap_anonymous(core::ptr::null_mut(), len, ProtFlags::empty(), flags);
        mapped.is_ok_and(|address| rustix::mm::munmap(address, len).is_ok())
    }
}

/// Calls `each` with all that is mapped and not ours. None where that can't be found out.
fn for_each_own(each: &mut dyn FnMut(Range<usize>)) -> Option<()> {
    let session = session()?;
    let ours = || session.mapped().chain([image::span()]).chain(starts::mapped());
    let mut line = Line::default();
    let mut is_any = false;
    let look = |piece: &[u8]| {
        for mapped in piece.iter().filter_map(|byte| line.push(*byte)) {
            is_any = true;
            for_each_left(
                mapped,
                &|from| ours().filter(|own| own.end > from).min_by_key(|own| own.start),
                each,
            );
        }
        ControlFlow::Continue(())
    };
    shm::read_pieces(c"/proc/self/maps", look).ok().filter(|()| is_any)
}

/// Calls `each` with what is left of a range without those of which `next` gives the first that ends after
/// an address.
fn for_each_left(
    range: Range<usize>,
    next: &dyn Fn(usize) -> Option<Range<usize>>,
    each: &mut dyn FnMut(Range<usize>),
) {
    let mut from = range.start;
    while from < range.end {
        let own = next(from).unwrap_or(range.end..range.end);
        let left = from..own.start.max(from).min(range.end);
        from = own.end.max(from);
        if !left.is_empty() {
            each(left);
        }
        if own.start >= range.end {
            break;
        }
    }
}

/// A line of `/proc/self/maps`, of which the addresses at its start matter.
#[derive(Default)]
struct Line {
    start: usize,
    end: usize,
    /// How many of the two have been read.
    read: usize,
}

impl Line {
    /// Takes the next byte, and gives the addresses when the line ends; but not those of the kernel's half,
    /// which no limit counts.
    fn push(&mut self, byte: u8) -> Option<Range<usize>> {
        const KERNEL: usize = 1 << 63;
        let digit = match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        match (byte, digit, self.read) {
            (b'\n', ..) => {
                let line = core::mem::take(self);
                return Some(line.start..line.end).filter(|range| range.end < KERNEL);
            }
            (_, Some(digit), 0) => self.start = self.start << 4 | usize::from(digit),
            (_, Some(digit), 1) => self.end = self.end << 4 | usize::from(digit),
            (_, None, 0 | 1) => self.read += 1,
            _ => {}
        }
        None
    }
}

/// The address as a pointer to hand to the kernel.
fn pointer(address: usize) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(address)
}
