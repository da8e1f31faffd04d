//! The process that runs the cases. Another one watches it: it may crash.

use super::case::Cases;
use crate::Error;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

/// Bytes that a worker may map: many times what the inputs take.
const MEMORY: u64 = 1 << 30;

/// Where and why the last panic was.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs the cases from `first` on, or those of a target, until it is ended. Says on standard output which
/// case comes next, and which has panicked.
pub fn run(seed: u64, first: u64, target: Option<&str>, directory: &Path) -> Result<(), Error> {
    limit_memory()?;
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string().replace('\n', " ");
        }
    }));
    let cases = Cases::new(seed, directory)?;
    let is_wanted = |number: &u64| target.is_none_or(|target| target == Cases::target(*number));
    for number in (first..).filter(is_wanted) {
        say(&format!("case {number}"))?;
        if catch_unwind(AssertUnwindSafe(|| cases.run(number))).is_err() {
            let last = PANIC.lock().map(|last| last.clone()).unwrap_or_default();
            say(&format!("panic {last}"))?;
        }
    }
    Ok(())
}

/// Makes what takes memory without bound fail soon.
pub fn limit_memory() -> Result<(), Error> {
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    setrlimit(Resource::As, limit).map_err(|error| format!("setrlimit: {error}"))
}

fn say(line: &str) -> Result<(), Error> {
    // One write for each line: what comes next may end the process.
    std::io::stdout()
        .write_all(format!("{line}\n").as_bytes())
        .map_err(|error| format!("standard output: {error}"))
}
