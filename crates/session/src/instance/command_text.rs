//! What a word with a command asks for, as `set_ftrace_filter` takes it.

use super::function_command::CommandKind;
use crate::Error;
use event_trigger::{Action, BadInteger, BadTrigger, Effect, parse_integer};
use function_filter::FunctionRule;

/// What a word with a command asks for: `FUNC:traceoff:3`, `FUNC:enable_event:SYSTEM:EVENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandText {
    pub(super) text: String,
    pub(super) functions: FunctionRule,
    pub(super) action: &'static Action,
    pub(super) event: Option<(String, String)>,
    count: Option<String>,
}

impl CommandText {
    /// Parses a word without the `!` that may stand before it. None for a word without a command.
    ///
    /// Source: `ftrace_process_regex` in `kernel/trace/ftrace.c` of Linux 6.18.
    pub fn parse(word: &str) -> Option<Result<CommandText, Error>> {
        let (pattern, command) = word.split_at(command_starts(word)?);
        let command = command.strip_prefix(':').unwrap_or_default();
        if command.split(':').next() == Some("mod") {
            return None;
        }
        let parsed = CommandText::parse_parts(word, pattern, command);
        Some(parsed.map_err(|reason| Error::BadTrigger { text: word.to_string(), reason }))
    }

    fn parse_parts(word: &str, pattern: &str, command: &str) -> Result<CommandText, BadTrigger> {
        let functions = pattern.parse().map_err(|_| BadTrigger::NoSuchTrigger)?;
        let (name, rest) = command.split_once(':').map_or((command, None), |(name, rest)| (name, Some(rest)));
        let action = Action::of_functions(name).ok_or(BadTrigger::NoSuchTrigger)?;
        let (event, rest) = match (action.has_target, rest) {
            (false, rest) => (None, rest),
            (true, None) => return Err(BadTrigger::NoEvent),
            (true, Some(rest)) => {
                let (system, rest) = rest.split_once(':').ok_or(BadTrigger::NoEvent)?;
                let (name, rest) =
                    rest.split_once(':').map_or((rest, None), |(name, rest)| (name, Some(rest)));
                (Some((system.to_string(), name.to_string())), rest)
            }
        };
        let count = rest.map(|rest| rest.split(':').next().unwrap_or_default().to_string());
        Ok(CommandText { text: word.to_string(), functions, action, event, count })
    }

    /// The functions that are meant.
    pub fn functions(&self) -> &FunctionRule {
        &self.functions
    }

    pub(super) fn kind(&self) -> CommandKind {
        CommandKind { action: self.action, is_counted: self.acts_once() || self.count.is_some() }
    }

    /// Whether it acts once, whatever it is given.
    fn acts_once(&self) -> bool {
        self.action.effect == Effect::Dump
    }

    /// How often; None for as often as it likes. An empty count is that, too, unless an event stands before.
    pub(super) fn count(&self) -> Result<Option<u64>, BadTrigger> {
        let given = self.given_count()?;
        Ok(if self.acts_once() { Some(1) } else { given })
    }

    fn given_count(&self) -> Result<Option<u64>, BadTrigger> {
        match self.count.as_deref() {
            None => Ok(None),
            Some("") if self.event.is_none() => Ok(None),
            Some(count) => match parse_integer(count) {
                Ok(count) if count <= abi::control::Counter::MOST => Ok(Some(count)),
                Ok(_) | Err(BadInteger::TooLarge) => Err(BadTrigger::CountTooLarge),
                Err(BadInteger::NoInteger) => Err(BadTrigger::BadCount),
            },
        }
    }

    pub(super) fn bad(&self, reason: BadTrigger) -> Error {
        Error::BadTrigger { text: self.text.clone(), reason }
    }
}

/// Where the colon before a command is: one that is none of a pair, which names of functions have.
fn command_starts(word: &str) -> Option<usize> {
    let colon = |index: usize| word.as_bytes().get(index) == Some(&b':');
    (0..word.len())
        .find(|index| colon(*index) && !colon(index + 1) && !index.checked_sub(1).is_some_and(colon))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(word: &str) -> CommandText {
        CommandText::parse(word).unwrap().unwrap()
    }

    #[test]
    fn the_function_stands_before_the_command() {
        let command = parse("core::fmt::write:traceoff:3");
        assert_eq!(command.functions.pattern, "core::fmt::write");
        assert_eq!((command.action.name, command.count()), ("traceoff", Ok(Some(3))));
        let command = parse("a*:enable_event:sched:sched_switch");
        assert_eq!(command.event, Some(("sched".to_string(), "sched_switch".to_string())));
        assert_eq!((parse("f:dump").count(), parse("f:dump:7").count()), (Ok(Some(1)), Ok(Some(1))));
        assert_eq!(parse("f:dump").kind(), parse("f:dump:7").kind());
        assert!(command.count.is_none() && parse("f:traceoff:").count == Some(String::new()));
        for word in ["f", "core::fmt::write", "f:mod:libm", ":mod:libm", "a::*"] {
            assert_eq!(CommandText::parse(word).map(|_| ()), None, "{word}");
        }
        for word in ["f:", ":traceoff", "f:nosuch", "f:enable_event", "f:enable_event:sched", "f:hist:x"] {
            assert!(CommandText::parse(word).unwrap().is_err(), "{word}");
        }
        assert_eq!(parse("f:traceoff:x").count(), Err(BadTrigger::BadCount));
        assert_eq!(parse("f:enable_event:a:b:").count(), Err(BadTrigger::BadCount));
        assert_eq!(parse("f:stacktrace:99999999999999999999").count(), Err(BadTrigger::CountTooLarge));
    }
}
