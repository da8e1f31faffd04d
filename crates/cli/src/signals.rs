//! Signals of this process: which it was started to ignore, and that of files which become too large.

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

/// Whether this process ignores a signal: from its start, since it has none ignored itself.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored & 1 << (signal - 1) != 0
}
