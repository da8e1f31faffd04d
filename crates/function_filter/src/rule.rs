//! What one word of a write says.

use crate::compiled::MOST;
use crate::function_name::FunctionName;
use std::fmt;
use std::str::FromStr;
use std::string::{String, ToString};

/// Functions that are meant: by their names, and by the names of the files that they are in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionRule {
    /// A name or a pattern.
    pub pattern: String,
    /// A name or a pattern of files: of the program, or of a library. None for all.
    pub object: Option<String>,
}

/// A word that is no such rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRule;

impl FromStr for FunctionRule {
    type Err = BadRule;

    /// `PATTERN`, `PATTERN:mod:OBJECT`, `:mod:OBJECT`.
    fn from_str(text: &str) -> Result<FunctionRule, BadRule> {
        // Not `::mod::`, which is a namespace.
        let mut parts = text.match_indices(":mod:").map(|(at, mark)| (&text[..at], &text[at + mark.len()..]));
        let is_part = |(pattern, object): &(&str, &str)| !pattern.ends_with(':') && !object.starts_with(':');
        let (pattern, object) = match parts.find(is_part) {
            Some((pattern, object)) => {
                (pattern, Some(object.to_string()).filter(|object| !object.is_empty()))
            }
            None => (text, None),
        };
        let is_good = |text: &str| text.len() <= MOST && !text.contains(char::is_whitespace);
        let has_command = pattern.replace("::", "").contains(':');
        if text.is_empty() || has_command || !is_good(pattern) || !object.as_deref().is_none_or(is_good) {
            return Err(BadRule);
        }
        let pattern = if pattern.is_empty() { "*" } else { pattern };
        Ok(FunctionRule { pattern: pattern.to_string(), object })
    }
}

impl FunctionRule {
    /// Whether it means one name, wherever that is.
    pub fn is_name(&self) -> bool {
        self.object.is_none() && !self.pattern.contains(['*', '?', '[', '\\'])
    }

    /// Whether it means functions in some object that are called what a name says.
    pub(crate) fn fits_some(&self, name: &FunctionRule) -> bool {
        event_filter::glob(self.pattern.as_bytes(), name.pattern.as_bytes())
    }

    /// Whether it means a function.
    pub fn fits(&self, name: FunctionName<'_>, object: &[u8]) -> bool {
        name.is(|name| event_filter::glob(self.pattern.as_bytes(), name))
            && self.object.as_ref().is_none_or(|pattern| event_filter::glob(pattern.as_bytes(), object))
    }
}

impl fmt::Display for FunctionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)?;
        self.object.as_ref().map_or(Ok(()), |object| write!(f, ":mod:{object}"))
    }
}
