//! Which events are to be on when a program brings them.
//!
//! A program's own events are known from when it runs on. Who switches them on does so by a pattern, maybe
//! before that, so the patterns are kept: lines of `+SYSTEM:EVENT`, which is to be on, and `-SYSTEM:EVENT`,
//! which is not, or with one pattern for either name. The last one that fits counts.
//!
//! Who makes rules publishes them first and then switches the events that are known; who enters an event
//! enters it first and then looks at the rules. So whoever is the second sees what the first has done.

use crate::file::ControlFile;
use crate::pattern::selects;
use abi::control::{RULES, RULES_OFFSET};
use core::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use core::sync::atomic::fence;

/// How often rules are read again that change meanwhile.
const TRIES: u32 = 1000;

impl ControlFile {
    /// Replaces the rules. False, and nothing changed, when they are longer than [`RULES`].
    ///
    /// Only who has the session's lock does this. One that is killed over it has changed nothing.
    pub fn set_rules(&self, rules: &str) -> bool {
        let word = &self.header().rules;
        let version = (word.load(Acquire) >> 32).wrapping_add(1) & 0xffff_ffff;
        let written = rules.len() <= RULES && self.segment().write(area(version), rules.as_bytes()).is_some();
        if written {
            word.store(version << 32 | rules.len() as u64, Release);
            // Before the events are looked at.
            fence(SeqCst);
        }
        written
    }

    /// The rules, in `buffer`.
    pub fn rules<'a>(&self, buffer: &'a mut [u8; RULES]) -> &'a str {
        for _ in 0..TRIES {
            let word = self.header().rules.load(Acquire);
            self.copy_rules(word, buffer);
            if self.header().rules.load(Acquire) == word {
                return text(word, buffer);
            }
        }
        ""
    }

    /// What the rules say of an event; None when none fits.
    ///
    /// Async-signal-safe.
    pub fn wanted(&self, system: &str, name: &str) -> Option<bool> {
        said(self.rules(&mut [0; RULES]), system, name)
    }

    /// Switches an event on or off that was just entered, as the rules say. Where none fits it stays as it
    /// is.
    pub(crate) fn apply_rules(&self, id: u16, system: &str, name: &str) {
        let mut buffer = [0; RULES];
        for _ in 0..TRIES {
            // Behind the entry of the event.
            fence(SeqCst);
            let word = self.header().rules.load(Acquire);
            self.copy_rules(word, &mut buffer);
            if let Some(on) = said(text(word, &buffer), system, name) {
                self.enable(id, 0, on);
            }
            if self.header().rules.load(Acquire) == word {
                return;
            }
        }
    }

    fn copy_rules(&self, word: u64, buffer: &mut [u8; RULES]) {
        if let Some(buffer) = buffer.get_mut(..len(word)) {
            // The area is in the file: this can't fail.
            let _ = self.segment().read(area(word >> 32), buffer);
        }
    }
}

/// Where the rules of a version are.
fn area(version: u64) -> u64 {
    RULES_OFFSET + (version & 1) * RULES as u64
}

fn len(word: u64) -> usize {
    (word as u32 as usize).min(RULES)
}

fn text(word: u64, buffer: &[u8; RULES]) -> &str {
    core::str::from_utf8(buffer.get(..len(word)).unwrap_or_default()).unwrap_or_default()
}

/// What rules say of an event; None when none fits.
fn said(rules: &str, system: &str, name: &str) -> Option<bool> {
    let of_line = |line: &str| {
        let on = line.starts_with('+');
        let pattern = line.strip_prefix(['+', '-'])?;
        selects(pattern, system, name).then_some(on)
    };
    // Forwards: to search backwards for the ends of lines the standard library has code that may panic.
    rules.lines().fold(None, |before, line| of_line(line).or(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_fits_counts() {
        let rules = "+app:*\n-app:noise\n+retry*\n";
        assert_eq!(said(rules, "app", "request"), Some(true));
        assert_eq!(said(rules, "app", "noise"), Some(false));
        assert_eq!(said(rules, "other", "retry_start"), Some(true));
        assert_eq!(said(rules, "other", "noise"), None);
        assert_eq!(said("", "app", "request"), None);
        assert_eq!(said("garbage\n\n", "garbage", "garbage"), None);
    }
}
