//! Where a probe is: the second word of its definition.

use crate::bad_probe::ProbeError;
use crate::integer::unsigned;
use crate::probed_files::{NoFile, NoSymbol, ProbedFiles};

/// The end of a place that means returns.
const RETURN: &str = "%return";

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedPlace {
    /// The path of the file, as it was written.
    pub path: String,
    /// The offset in it.
    pub offset: u64,
    /// The offset of its reference counter, 0 for none.
    pub reference_counter: u64,
    /// Whether it says that returns are meant.
    pub is_return: bool,
    /// The symbol by which the place was written, and how many bytes after it.
    pub symbol: Option<(String, u64)>,
}

impl DefinedPlace {
    /// What a word says; or what is wrong, and at which byte of it.
    pub(crate) fn parse(word: &str, files: &dyn ProbedFiles) -> Result<DefinedPlace, (ProbeError, usize)> {
        let (path, place) = split(word, files).ok_or((ProbeError::NoDefinition, 0))?;
        files.check(path).map_err(|why| match why {
            NoFile::NotFound => (ProbeError::FileNotFound, 0),
            NoFile::NotRegular => (ProbeError::NoRegularFile, 0),
        })?;
        let at = path.len() + 1;
        let (place, reference_counter) =
            split_reference(place).map_err(|(error, byte)| (error, at + byte))?;
        let (place, is_return) = match place.find('%').map(|percent| (percent, place.split_at(percent))) {
            Some((_, (place, RETURN))) => (place, true),
            Some((percent, _)) => return Err((ProbeError::BadSuffix, at + percent)),
            None => (place, false),
        };
        let (offset, symbol) = match place.starts_with(|first: char| first.is_ascii_digit()) {
            true => (unsigned(place, 0).ok_or((ProbeError::BadOffset, at))?, None),
            false => {
                let (symbol, offset) = split_symbol(place).ok_or((ProbeError::BadSymbol, at))?;
                let found = files.place(path, symbol, offset).map_err(|why| match why {
                    NoSymbol::NotFound => (ProbeError::BadSymbol, at),
                    NoSymbol::Ambiguous => (ProbeError::AmbiguousSymbol, at),
                })?;
                (found, Some((symbol.to_string(), offset)))
            }
        };
        Ok(DefinedPlace { path: path.to_string(), offset, reference_counter, is_return, symbol })
    }
}

/// The path, and what follows it. A path may have colons, and so may the names of C++ and Rust.
fn split<'a>(word: &'a str, files: &dyn ProbedFiles) -> Option<(&'a str, &'a str)> {
    let last = word.rsplit_once(':').filter(|(path, place)| path.contains('/') && !place.is_empty())?;
    if last.1.starts_with(|first: char| first.is_ascii_digit()) {
        return Some(last);
    }
    let splits = word.match_indices(':').filter_map(|(at, _)| Some((word.get(..at)?, word.get(at + 1..)?)));
    let mut symbols = splits.filter(|(path, place)| path.contains('/') && is_symbol(place));
    let first = symbols.next()?;
    let existing = std::iter::once(first).chain(symbols).find(|(path, _)| files.check(path).is_ok());
    Some(existing.unwrap_or(first))
}

/// Whether it may be a symbol's name.
fn is_symbol(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || "_<.$".contains(first))
}

/// A symbol, and how many bytes after it.
fn split_symbol(place: &str) -> Option<(&str, u64)> {
    match place.split_once('+') {
        Some((symbol, offset)) => Some((symbol, unsigned(offset, 0).filter(|_| !offset.starts_with('+'))?)),
        None => Some((place, 0)),
    }
}

/// A place and its reference counter; or what is wrong, and at which byte.
fn split_reference(text: &str) -> Result<(&str, u64), (ProbeError, usize)> {
    let Some((place, rest)) = text.split_once('(') else { return Ok((text, 0)) };
    let start = place.len() + 1;
    let (number, suffix) = rest.split_once(')').ok_or((ProbeError::ReferenceOpen, text.len()))?;
    if !suffix.is_empty() {
        return Err((ProbeError::ReferenceSuffix, start + number.len() + 1));
    }
    Ok((place, unsigned(number, 0).ok_or((ProbeError::BadReference, start))?))
}
