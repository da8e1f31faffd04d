//! Which events are meant, and what is recorded of them: `EVENT`, or `EVENT if FILTER`.

use crate::{BadSelection, Selection};
use std::str::FromStr;

/// A choice of events, maybe with a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilteredSelection {
    /// The events.
    pub selection: Selection,
    /// The filter's text, in the kernel's grammar.
    pub filter: Option<String>,
}

/// Why a text is neither of the two.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFilteredSelection {
    /// What should be a selection is none.
    #[error(transparent)]
    Selection(#[from] BadSelection),
    /// There is nothing after the `if`.
    #[error("{text:?} has no filter: expected EVENT if FILTER, like 'read_exit if ret < 0'")]
    NoFilter {
        /// The text.
        text: String,
    },
}

impl FromStr for FilteredSelection {
    type Err = BadFilteredSelection;

    fn from_str(text: &str) -> Result<FilteredSelection, BadFilteredSelection> {
        let Some((selection, rest)) = text.split_once(char::is_whitespace) else {
            return Ok(FilteredSelection { selection: text.parse()?, filter: None });
        };
        // An event's name has no blanks.
        let Some(filter) = rest.trim_start().strip_prefix("if").map(str::trim) else {
            return Err(text.parse::<Selection>().err().map_or_else(|| no_filter(text), Into::into));
        };
        if filter.is_empty() {
            return Err(no_filter(text));
        }
        Ok(FilteredSelection { selection: selection.parse()?, filter: Some(filter.to_string()) })
    }
}

fn no_filter(text: &str) -> BadFilteredSelection {
    BadFilteredSelection::NoFilter { text: text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_stands_after_if() {
        let parts = |text: &str| {
            let found: FilteredSelection = text.parse().ok()?;
            Some((found.selection.text().to_string(), found.filter))
        };
        let of =
            |selection: &str, filter: Option<&str>| Some((selection.to_string(), filter.map(str::to_string)));
        assert_eq!(parts("read"), of("read", None));
        assert_eq!(parts("libc:read_exit if ret < 0"), of("libc:read_exit", Some("ret < 0")));
        assert_eq!(parts("@net  if  (error != 0) "), of("@net", Some("(error != 0)")));
        assert_eq!(parts("*_exit if!(ret == 0)"), of("*_exit", Some("!(ret == 0)")));
        for bad in ["", "read if", "read ret < 0", "read, write if ret < 0", "if ret < 0"] {
            assert_eq!(parts(bad), None, "{bad:?}");
        }
    }
}
