//! Doing several stores so that they count all or not at all: `src/section.rs`.

use crate::bug::Bug;
use crate::ghost::Change;
use crate::layout::{Value, Word};
use crate::steps::{Ask, Outcome, Steps};

/// Someone who may change the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// A writer on its CPU.
    OnCpu,
    /// A lane's owner.
    Owner,
}

/// A word that has to be as it was seen, and the mistake of not looking.
pub type Guard = (Word, Value, Bug);

/// A store of a section.
pub type Store = (Word, Value);

/// The last store of a section, and what it stands for.
#[derive(Debug, Clone, Copy)]
pub struct Commit {
    /// Where.
    pub word: Word,
    /// What.
    pub low: Value,
    /// What goes into the word after it.
    pub high: Value,
    /// What it does.
    pub change: Change,
}

/// If every guard holds, does the stores in order, then the commit.
pub fn publish(
    steps: &mut Steps<'_, '_>,
    section: Section,
    guards: &[Guard],
    stores: &[Store],
    commit: Commit,
) -> Ask<Outcome> {
    match section {
        Section::OnCpu => steps.section(|steps| guarded(steps, guards, stores, commit)),
        Section::Owner => guarded(steps, guards, stores, commit),
    }
}

fn guarded(steps: &mut Steps<'_, '_>, guards: &[Guard], stores: &[Store], commit: Commit) -> Ask<Outcome> {
    for (word, expected, without) in guards {
        if !steps.has(*without) && !steps.equals(*word, *expected)? {
            return Ok(Outcome::Refused);
        }
    }
    steps.announce(commit.change);
    for (word, value) in stores {
        steps.store(*word, *value)?;
    }
    commit_pair(steps, commit.word, commit.low, commit.high)?;
    Ok(Outcome::Committed)
}

/// The commit: two words by one store.
pub fn commit_pair(steps: &mut Steps<'_, '_>, word: Word, low: Value, high: Value) -> Ask<()> {
    if steps.has(Bug::SplitCommit) && word == Word::TAIL {
        steps.store(word, low)?;
        return steps.store(word.next(), high);
    }
    steps.store_pair(word, low, high)
}
