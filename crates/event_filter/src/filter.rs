//! A filter, compiled.

use crate::error::{Error, ErrorKind};
use crate::field::FilterField;
use crate::word::{MAX_TEXT, MAX_WORDS};
use crate::{bracket, code, expression};
use alloc::vec::Vec;

/// A filter for the records of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// Compiles a text for an event with these fields. Blanks after it don't count.
    ///
    /// # Errors
    ///
    /// What is wrong, and where, as the kernel has it; [`ErrorKind::Other`] for a text that is longer than
    /// [`MAX_TEXT`], empty or without a term where one is expected.
    pub fn compile(text: &str, fields: &[FilterField<'_>]) -> Result<Filter, Error> {
        let text = text.trim_ascii_end();
        if text.len() > MAX_TEXT {
            return Err(ErrorKind::Other.at(0));
        }
        bracket::check(text.as_bytes())?;
        let words = code::emit(&expression::parse(text, fields)?);
        if words.len() > MAX_WORDS {
            return Err(ErrorKind::Other.at(0));
        }
        Ok(Filter { words })
    }

    /// The program.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}
