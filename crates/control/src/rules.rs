//! Which events are to be on when a program brings them.
//!
//! A program's own events are known from when it runs on. Who switches them on does so by a pattern, maybe
//! before that, so the patterns are kept: lines of `+SYSTEM:EVENT`, which is to be on, and `-SYSTEM:EVENT`,
//! which is not, or with one pattern for either name. The last one that fits counts. A line for another
//! instance than the first has its number and a blank after the sign.
//!
//! Who makes rules publishes them first and then switches the events that are known; who enters an event
//! enters it first and then looks at the rules. So whoever is the second sees what the first has done.

use crate::area::ControlArea;
use crate::pattern::selects;
use abi::control::{RULES, RULES_OFFSET};
use abi::instance::INSTANCES;
use core::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use core::sync::atomic::fence;

/// How often rules are read again that change meanwhile.
const TRIES: u32 = 1000;

impl ControlArea {
    /// Replaces the rules. False, and nothing changed, when they are longer than [`RULES`].
    ///
    /// Only who has the session's lock does this. One that is killed over it has changed nothing.
    // Acquire: pairs with the Release of the last call. Release: pairs with the
    // Acquire of `rules` and `apply_rules`: who sees the version sees its text. The SeqCst fence pairs with
    // that of `apply_rules`: of the rules and an event that is entered, one is seen by the other.
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
    // Acquire: pairs with the Release of `set_rules`; the text is good if the word is the same after it was
    // copied.
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

    /// What the rules say of an event, for each instance; None when none fits.
    ///
    /// Async-signal-safe.
    pub fn wanted(&self, system: &str, name: &str) -> [Option<bool>; INSTANCES] {
        said(self.rules(&mut [0; RULES]), system, name)
    }

    /// Switches an event on or off that was just entered, as the rules say. Where none fits it stays as it
    /// is.
    // SeqCst fence: pairs with that of `set_rules`. Acquire: pairs with the Release of `set_rules`, before
    // and after the text is copied.
    pub(crate) fn apply_rules(&self, id: u16, system: &str, name: &str) {
        let mut buffer = [0; RULES];
        for _ in 0..TRIES {
            // After the entry of the event.
            fence(SeqCst);
            let word = self.header().rules.load(Acquire);
            self.copy_rules(word, &mut buffer);
            for (instance, said) in said(text(word, &buffer), system, name).into_iter().enumerate() {
                if let Some(on) = said {
                    self.turn(id, instance, on);
                }
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

/// What rules say of an event, for each instance; None when none fits.
fn said(rules: &str, system: &str, name: &str) -> [Option<bool>; INSTANCES] {
    let mut said = [None; INSTANCES];
    // Forwards: to search backwards for the ends of lines the standard library has code that may panic.
    for line in rules.lines() {
        let Some(rule) = Rule::parse(line) else { continue };
        if let Some(said) = said.get_mut(rule.instance).filter(|_| selects(rule.pattern, system, name)) {
            *said = Some(rule.on);
        }
    }
    said
}

/// A line of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule<'a> {
    /// Whether events are to be on.
    pub on: bool,
    /// In which instance.
    pub instance: usize,
    /// Which events.
    pub pattern: &'a str,
}

impl<'a> Rule<'a> {
    /// A line, if it is a rule.
    pub fn parse(line: &'a str) -> Option<Rule<'a>> {
        let on = line.starts_with('+');
        let rest = line.strip_prefix(['+', '-'])?;
        let (instance, pattern) = match number(rest) {
            Some((number, pattern)) => (number, pattern),
            None => (0, rest),
        };
        Some(Rule { on, instance, pattern })
    }
}

/// The number at the start of a text that has one, and what follows the blank after it.
fn number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    let (len, number) = digits.fold((0, 0_usize), |(len, number), digit| {
        (len + 1, number.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
    });
    Some((number, text.get(len..)?.strip_prefix(' ').filter(|_| len > 0)?))
}

impl core::fmt::Display for Rule<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.on { "+" } else { "-" })?;
        match self.instance {
            0 => f.write_str(self.pattern),
            instance => write!(f, "{instance} {}", self.pattern),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn the_last_rule_that_fits_counts() {
        let rules = "+app:*\n-app:noise\n+retry*\n";
        let first = |system, name| said(rules, system, name)[0];
        assert_eq!(first("app", "request"), Some(true));
        assert_eq!(first("app", "noise"), Some(false));
        assert_eq!(first("other", "retry_start"), Some(true));
        assert_eq!(first("other", "noise"), None);
        assert_eq!(said("", "app", "request"), [None; INSTANCES]);
        assert_eq!(said("garbage\n\n", "garbage", "garbage"), [None; INSTANCES]);
    }

    #[test]
    fn instances_have_rules_of_their_own() {
        let said =
            said("+app:*\n-2 app:*\n+3 app:noise\n+9 7 app:*\n+65 app:*\n+66 app:*\n", "app", "request");
        let found: Vec<(usize, bool)> =
            said.into_iter().enumerate().filter_map(|(index, on)| Some((index, on?))).collect();
        assert_eq!(found, [(0, true), (2, false), (65, true)]);
        for line in ["+app:*", "-1 app:*", "+65 4", "+4"] {
            assert_eq!(Rule::parse(line).unwrap().to_string(), line);
        }
    }
}
