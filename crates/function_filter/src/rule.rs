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
    /// A name or a pattern of files: of the program, or of a library; with `!` before it of all others. None
    /// for all.
    pub object: Option<String>,
}

/// A word that is no such rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadRule;

impl FromStr for FunctionRule {
    type Err = BadRule;

    /// `PATTERN`, `PATTERN:mod:OBJECT`, `:mod:OBJECT`.
    fn from_str(text: &str) -> Result<FunctionRule, BadRule> {
        if !text.contains(':') {
            return FunctionRule::of_all_objects(text);
        }
        // Not `::mod::`, which is a namespace.
        let mut parts = text.match_indices(":mod:").map(|(at, mark)| (&text[..at], &text[at + mark.len()..]));
        let is_part = |(pattern, object): &(&str, &str)| !pattern.ends_with(':') && !object.starts_with(':');
        let (pattern, object) = match parts.find(is_part) {
            Some((pattern, object)) => {
                (pattern, Some(object.to_string()).filter(|object| !object.is_empty() && object != "!"))
            }
            None => (text, None),
        };
        let has_command = pattern.replace("::", "").contains(':');
        if has_command || !object.as_deref().is_none_or(is_part_text) {
            return Err(BadRule);
        }
        let pattern = if pattern.is_empty() { "*" } else { pattern };
        Ok(FunctionRule { object, ..FunctionRule::of_all_objects(pattern)? })
    }
}

/// Whether it may be a name or a pattern.
fn is_part_text(text: &str) -> bool {
    text.len() <= MOST && !text.contains(char::is_whitespace)
}

impl FunctionRule {
    fn of_all_objects(pattern: &str) -> Result<FunctionRule, BadRule> {
        let is_good = !pattern.is_empty() && is_part_text(pattern);
        if is_good { Ok(FunctionRule { pattern: pattern.to_string(), object: None }) } else { Err(BadRule) }
    }

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
        name.is(|name| event_filter::glob(self.pattern.as_bytes(), name)) && self.fits_object(object)
    }

    /// Whether it means functions of an object.
    pub fn fits_object(&self, object: &[u8]) -> bool {
        self.object_pattern()
            .is_none_or(|(pattern, is_other)| event_filter::glob(pattern.as_bytes(), object) != is_other)
    }

    /// The pattern of objects, and whether it stands for all others.
    pub(crate) fn object_pattern(&self) -> Option<(&str, bool)> {
        let object = self.object.as_deref()?;
        Some(object.strip_prefix('!').map_or((object, false), |object| (object, true)))
    }
}

impl fmt::Display for FunctionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.object {
            None => f.write_str(&self.pattern),
            // As the kernel shows it.
            Some(object) if self.pattern == "*" => write!(f, ":mod:{object}"),
            Some(object) => write!(f, "{}:mod:{object}", self.pattern),
        }
    }
}
