//! The errors that take snapshots, as text.

use abi::control::ErrorSet;
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// A set of errors as it is given and shown: names with commas between them, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorList(pub ErrorSet);

impl FromStr for ErrorList {
    type Err = String;

    fn from_str(text: &str) -> Result<ErrorList, String> {
        if text == "none" {
            return Ok(ErrorList(ErrorSet::NONE));
        }
        let of_name = |name: &str| {
            let found = ErrorSet::NAMES.into_iter().find(|(known, _)| *known == name);
            found.map(|(_, error)| error).ok_or_else(|| {
                let names = ErrorSet::NAMES.map(|(known, _)| known).join(", ");
                format!("no error is called {name:?}: expected none, or some of {names}, with commas")
            })
        };
        let mut all = text.split(',').map(of_name);
        all.try_fold(ErrorSet::NONE, |set, error| Ok(set.with(error?))).map(ErrorList)
    }
}

impl Display for ErrorList {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let chosen = ErrorSet::NAMES.into_iter().filter(|(_, error)| self.0.has_any(*error));
        let names: Vec<&str> = chosen.map(|(name, _)| name).collect();
        f.write_str(&if names.is_empty() { "none".to_owned() } else { names.join(",") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_shown() {
        for text in ["none", "signal", "signal,panic,abort,assert,terminate,exit,kill"] {
            assert_eq!(text.parse::<ErrorList>().unwrap().to_string(), text);
        }
        for bad in ["", "signal,", "none,signal", "segv"] {
            let said = bad.parse::<ErrorList>().unwrap_err();
            assert!(said.contains("expected none, or some of signal, panic, "), "{said}");
        }
    }
}
