//! Snapshots that a program takes.

use core::ffi::c_void;
use core::mem::transmute;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

/// The recorder's function that takes a snapshot, for a reason: so many bytes of text. Async-signal-safe.
type TakeSnapshot = unsafe extern "C" fn(*const u8, usize);

/// That function, once the constructor has found it; null where there is no recorder.
static TAKE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Says which is the recorder's function, or null. Said by the constructor: in a signal handler, where a
/// snapshot may be wanted, it can't be looked up.
#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), expect(dead_code))]
pub(crate) fn use_function(function: *const c_void) {
    TAKE.store(function.cast_mut(), Relaxed);
}

/// Takes a snapshot: what the session's default instance has recorded is kept, and recording goes on. The
/// reason is shown with it; 96 bytes of it are kept.
///
/// Nothing happens in a program that is not recorded, and in a session without memory for snapshots, which
/// counts it as refused. Other instances are left alone. Async-signal-safe: no allocation, no lock, no
/// system call. Cost: a load and a branch where there is no recorder, else less than a microsecond.
pub fn take_snapshot(reason: &str) {
    // SAFETY: null, or a function of this type.
    let take = unsafe { transmute::<*mut c_void, Option<TakeSnapshot>>(TAKE.load(Relaxed)) };
    if let Some(take) = take {
        // SAFETY: a text.
        unsafe { take(reason.as_ptr(), reason.len()) }
    }
}

/// Takes a snapshot, for a reason that is shown with it: what the session's default instance has recorded is
/// kept, and recording goes on.
///
/// See [`take_snapshot`](crate::take_snapshot).
///
/// ```
/// # let queue = [0; 3];
/// if queue.len() > 2 {
///     tracepoint::snapshot!("the queue is full");
/// }
/// ```
#[macro_export]
macro_rules! snapshot {
    ($reason:expr $(,)?) => {
        $crate::take_snapshot($reason)
    };
}
