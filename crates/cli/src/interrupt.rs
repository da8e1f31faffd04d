//! The signals that end a command which would go on.

use crate::failure::{Done, Failure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A flag that SIGHUP, SIGINT and SIGTERM set: to end what is under way well.
pub(crate) fn stop_flag() -> Done<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        flag::register(number, stop.clone()).map_err(Failure::failed)?;
    }
    Ok(stop)
}

/// The signal by which somebody interrupts a command that shows what comes: SIGINT or SIGTERM.
#[derive(Debug)]
pub(crate) struct InterruptSignal(Arc<AtomicUsize>);

impl InterruptSignal {
    /// Waits for one from now on.
    pub(crate) fn new() -> Done<InterruptSignal> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [SIGINT, SIGTERM] {
            flag::register_usize(number, signal.clone(), number as usize).map_err(Failure::failed)?;
        }
        Ok(InterruptSignal(signal))
    }

    /// Whether it has come.
    pub(crate) fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends this process by it if it has come, as a program that does nothing about it.
    pub(crate) fn end_by_it(&self) {
        if self.has_come() {
            let _ = emulate_default_handler(self.0.load(Ordering::Relaxed) as i32);
        }
    }
}
