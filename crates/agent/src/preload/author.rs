//! The events of the program's own, and of the libraries that it loads.

use crate::preload::attach;
use abi::site::Site;

/// Registers the sites between `start` and `end`. Called by the constructor of every object that has sites,
/// see [`abi::site`].
///
/// # Safety
///
/// What is there are pointers to sites, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn lookback_register(start: *const *const Site, end: *const *const Site) {
    // The constructor of a library may be quicker than ours.
    attach::start();
    let mut next = start;
    while next < end {
        // SAFETY: the caller's promise.
        unsafe {
            if !(*next).is_null() {
                trace_event::register(*next);
            }
            next = next.add(1);
        }
    }
}
