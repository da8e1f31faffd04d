//! The signal of files that become too large.

use launch::is_ignored;
use signal_hook::consts::SIGXFSZ;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a file became larger than the limit allows.
static LIMIT_WAS_MET: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Has a write beyond the limit of a file's size (`ulimit -f`) fail, where the signal would end this process
/// without a word. It is handled and not ignored: programs that are started have its default action again.
pub(crate) fn outlive_file_limit() {
    let flag = LIMIT_WAS_MET.get_or_init(Arc::default);
    if !is_ignored(SIGXFSZ) {
        // Where it can't be had everything is as it would be without.
        let _ = signal_hook::flag::register(SIGXFSZ, flag.clone());
    }
}

/// Whether a file became too large since.
pub(crate) fn file_limit_was_met() -> bool {
    LIMIT_WAS_MET.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}
