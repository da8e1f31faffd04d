//! Critical sections that a program declares itself.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

/// The recorder's function that counts a section: 1 where it begins, 0 where it ends. Async-signal-safe.
type Count = unsafe extern "C" fn(c_int);

/// That function, once the constructor has found it; null where there is no recorder.
static COUNT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Says which is the recorder's function, or null. Said by the constructor.
#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), expect(dead_code))]
pub(crate) fn use_function(function: *const c_void) {
    COUNT.store(function.cast_mut(), Relaxed);
}

#[inline(always)]
fn count(begins: c_int) {
    // SAFETY: null, or a function of this type.
    if let Some(count) = unsafe { transmute::<*mut c_void, Option<Count>>(COUNT.load(Relaxed)) } {
        // SAFETY: it may be called at any time.
        unsafe { count(begins) }
    }
}

/// A critical section of the calling thread, from when this is made until it is dropped: to the recorder it
/// is as a lock that the thread holds. Events count it, and the latency tracer `preemptoff` measures it.
///
/// For locks that the recorder can't see, as those of `std`, and for whatever else shouldn't take long.
///
/// Async-signal-safe: no allocation, no lock, no system call. Cost: a load and a branch where there is no
/// recorder, else some nanoseconds.
///
/// ```
/// # let queue = std::sync::Mutex::new(vec![1]);
/// let mut orders = queue.lock().unwrap();
/// let section = tracepoint::CriticalSection::enter();
/// orders.push(7);
/// drop(section);
/// ```
#[derive(Debug)]
#[must_use = "the section ends where this is dropped"]
pub struct CriticalSection {
    /// It belongs to the thread that has entered it.
    _thread: PhantomData<*const ()>,
}

impl CriticalSection {
    /// Begins one.
    #[inline(always)]
    pub fn enter() -> CriticalSection {
        count(1);
        CriticalSection { _thread: PhantomData }
    }
}

impl Drop for CriticalSection {
    #[inline(always)]
    fn drop(&mut self) {
        count(0);
    }
}
