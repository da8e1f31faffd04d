//! Rules about errors of calls: `libc:connect > 5/s`.

use event_trigger::{ErrorRate, RatePeriod};
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// That more errors of a call than so many in a period take a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorRule {
    /// The call's name, as libc has it.
    pub call: String,
    /// How many errors are too many.
    pub rate: ErrorRate,
}

/// What is wrong with a rule, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}\n{:at$}^\nexpected {expected}, as in 'libc:connect > 5/s'", "")]
pub struct BadErrorRule {
    /// The rule.
    pub text: String,
    /// Below which character of it the mark is to stand.
    pub at: usize,
    /// What should be there.
    pub expected: String,
}

impl FromStr for ErrorRule {
    type Err = BadErrorRule;

    fn from_str(text: &str) -> Result<ErrorRule, BadErrorRule> {
        let mut rest = RuleText { text, at: 0 };
        rest.skip("libc:");
        let call = rest.word(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let call = call.ok_or_else(|| rest.expected("libc:CALL"))?.to_owned();
        rest.blanks();
        rest.skip(">").then_some(()).ok_or_else(|| rest.expected(">"))?;
        rest.blanks();
        let (start, digits) = (rest.at, rest.word(|letter| letter.is_ascii_digit()));
        let limit = digits.and_then(|digits| digits.parse().ok());
        let limit = limit.ok_or_else(|| RuleText { text, at: start }.expected("a number from 0 to 65535"))?;
        rest.skip("/").then_some(()).ok_or_else(|| rest.expected("/s, /m or /h"))?;
        let period = RatePeriod::ALL.into_iter().find(|period| rest.skip(period.letter()));
        let period = period.ok_or_else(|| rest.expected("s, m or h: a second, a minute or an hour"))?;
        rest.blanks();
        if rest.at < text.len() {
            return Err(rest.expected("nothing more"));
        }
        Ok(ErrorRule { call, rate: ErrorRate { limit, period } })
    }
}

impl Display for ErrorRule {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let ErrorRule { call, rate: ErrorRate { limit, period } } = self;
        write!(f, "libc:{call} > {limit}/{}", period.letter())
    }
}

/// A rule's text, read up to a place.
struct RuleText<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> RuleText<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, what: &str) -> bool {
        let is_there = self.rest().starts_with(what);
        self.at += if is_there { what.len() } else { 0 };
        is_there
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> Option<&'a str> {
        let rest = self.rest();
        let word = rest.get(..rest.find(|letter| !belongs(letter)).unwrap_or(rest.len()))?;
        self.at += word.len();
        (!word.is_empty()).then_some(word)
    }

    fn expected(&self, what: &str) -> BadErrorRule {
        let before = self.text.get(..self.at).unwrap_or_default().chars().count();
        BadErrorRule { text: self.text.to_owned(), at: before, expected: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_shown_as_they_are_read() {
        for text in ["libc:connect > 5/s", "libc:open > 0/m", "libc:getaddrinfo > 65535/h"] {
            assert_eq!(text.parse::<ErrorRule>().unwrap().to_string(), text);
        }
        assert_eq!("connect>5/s ".parse::<ErrorRule>().unwrap().to_string(), "libc:connect > 5/s");
    }

    #[test]
    fn a_mark_says_what_is_wrong() {
        for (bad, mark) in [
            ("", "^ libc:CALL"),
            ("libc: > 5/s", "     ^ libc:CALL"),
            ("libc:connect", "            ^ >"),
            ("libc:connect >= 5/s", "              ^ a number"),
            ("libc:connect > many/s", "               ^ a number"),
            ("libc:connect > 65536/s", "               ^ a number"),
            ("libc:connect > 5", "                ^ /s, /m or /h"),
            ("libc:connect > 5/d", "                 ^ s, m or h"),
            ("libc:connect > 5/s or so", "                   ^ nothing more"),
            ("sched:x > 5/s", "     ^ >"),
        ] {
            let said = bad.parse::<ErrorRule>().unwrap_err().to_string();
            let (place, expected) = mark.split_once("^ ").unwrap();
            assert!(said.starts_with(&format!("{bad}\n{place}^\nexpected {expected}")), "{said}");
        }
    }
}
