//! Choices of events, as people may type them.

use super::damage::damaged_text;
use super::random::Random;
use session::Selection;
use std::hint::black_box;

const SELECTION: &str = "libc:open*_[a-z]?";
const PIECES: &[&str] = &["*", "?", "[", "]", "[!a-z]", "[^-]", "a-", ":", "@", "libc", "é", "*a*a*a"];
const NAMES: &[&str] = &["openat_exit", "sched_process_fork", "read", "", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab"];

/// Parses a damaged choice and looks what it chooses.
pub fn run(random: &mut Random) {
    let Ok(selection) = damaged_text(SELECTION, PIECES, random).parse::<Selection>() else { return };
    for name in NAMES {
        black_box(selection.matches("libc", name, Some("file")));
        black_box(selection.matches(name, "read", None));
    }
}
