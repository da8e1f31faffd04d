//! Looking a program over before it is used.

use crate::word::{Head, MAX_PATTERN, MAX_WORDS, Test, text_lengths};

/// Why words are no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defect {
    /// The word, counting from 0.
    pub word: usize,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl core::fmt::Display for Defect {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(out, "word {} of a filter's program: {}", self.word, self.reason)
    }
}

impl core::error::Error for Defect {}

/// Checks that words are a program as `Filter::compile` makes them: known tests with all their operands, and
/// jumps to later instructions. [`crate::evaluate`] needs no such check to be safe; a controller makes it
/// before it takes over what somebody else has written.
///
/// # Errors
///
/// The first word that is wrong.
pub fn verify(words: &[u64]) -> Result<(), Defect> {
    let mut at = 0;
    let mut is_ended = false;
    while at < words.len() {
        let defect = |reason| Defect { word: at, reason };
        if words.len() > MAX_WORDS {
            return Err(Defect { word: MAX_WORDS, reason: "too many" });
        }
        let head = Head::decode(words[at]).ok_or(defect("no known test"))?;
        let next = at + head.words();
        if next > words.len() {
            return Err(defect("its operands are missing"));
        }
        is_ended = head.test == Test::Outcome;
        if !is_ended {
            let value = words[at + 1];
            operands(head, value).map_err(defect)?;
            if !is_start(words, next, usize::from(head.target)) {
                return Err(defect("it jumps to where no later instruction is"));
            }
            if head.is_last()
                && [next, usize::from(head.target)].map(|at| outcome(words, at)) != [Some(1), Some(0)]
            {
                return Err(defect("it is not the last"));
            }
        } else if head.variant > 1 {
            return Err(defect("no outcome"));
        }
        at = next;
    }
    if is_ended { Ok(()) } else { Err(Defect { word: words.len(), reason: "an outcome is missing" }) }
}

/// Whether the variant and the operands fit the test.
fn operands(head: Head, value: u64) -> Result<(), &'static str> {
    match head.test {
        Test::Text => {
            head.place().ok_or("no known place of a string")?;
            let (_, pattern) = text_lengths(value);
            if pattern > MAX_PATTERN || usize::from(head.operands) != pattern.div_ceil(8) {
                return Err("a string's lengths don't fit");
            }
        }
        Test::Outcome | Test::Never => {}
        _ => drop(head.comparison().ok_or("no known comparison")?),
    }
    Ok(())
}

/// The outcome at a word, if there is one.
fn outcome(words: &[u64], at: usize) -> Option<u8> {
    let head = words.get(at).copied().and_then(Head::decode)?;
    (head.test == Test::Outcome).then_some(head.variant)
}

/// Whether an instruction starts at `target`, at or after `from`, where one starts.
fn is_start(words: &[u64], from: usize, target: usize) -> bool {
    let mut at = from;
    while at < target {
        let Some(head) = words.get(at).copied().and_then(Head::decode) else { return false };
        at += head.words();
    }
    at == target && at < words.len()
}
