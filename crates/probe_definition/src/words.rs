//! The words of a definition.

use crate::bad_probe::{BadProbe, ProbeError};

/// A definition, word by word.
#[derive(Debug, Clone)]
pub(crate) struct DefinitionWords<'a>(Vec<&'a str>);

impl<'a> DefinitionWords<'a> {
    pub(crate) fn of(text: &'a str) -> DefinitionWords<'a> {
        DefinitionWords(text.split_ascii_whitespace().collect())
    }

    pub(crate) fn get(&self, index: usize) -> Option<&'a str> {
        self.0.get(index).copied()
    }

    /// Those after the first two.
    pub(crate) fn arguments(&self) -> &[&'a str] {
        self.0.get(2..).unwrap_or_default()
    }

    /// What is wrong at a byte of a word; of one that is missing, after the last.
    pub(crate) fn error(&self, error: ProbeError, index: usize, byte: usize) -> BadProbe {
        let command = self.0.join(" ");
        let at = match self.0.get(..index).filter(|_| index < self.0.len()) {
            Some(before) => before.iter().map(|word| word.len() + 1).sum::<usize>() + byte,
            None => command.len() + 1,
        };
        BadProbe { error, command, at }
    }
}
