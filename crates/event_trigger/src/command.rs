//! The text of a trigger: `traceoff:3 if ret < 0`, and `!` before it to remove one.
//!
//! Source: `trigger_process_regex`, `event_trigger_separate_filter` and `event_trigger_parse_num` in
//! `kernel/trace/trace_events_trigger.c`, compared with Linux 6.18.

use crate::action::{ACTIONS, Action};
use crate::integer::{BadInteger, parse_integer};
use core::fmt::{self, Display, Formatter};

/// What a text asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Command<'a> {
    /// Whether the trigger is removed.
    pub removes: bool,
    /// What it does.
    pub action: &'static Action,
    /// The system and name of the event to which it does that, for an action that has a target.
    pub target: Option<(&'a str, &'a str)>,
    /// How often; None for as often as it likes. To be ignored if the trigger is removed.
    pub count: Result<Option<u64>, BadTrigger>,
    /// When, by a filter. To be ignored if the trigger is removed.
    pub filter: Result<Option<&'a str>, BadTrigger>,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTrigger {
    /// No action has that name.
    NoSuchTrigger,
    /// An action that needs a target has none, or an event that doesn't exist.
    NoEvent,
    /// The count is no integer.
    BadCount,
    /// The count is too large.
    CountTooLarge,
    /// Something else than a filter follows.
    NoFilter,
}

impl Display for BadTrigger {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            BadTrigger::NoSuchTrigger => {
                f.write_str("expected one of")?;
                ACTIONS.iter().try_for_each(|action| write!(f, " {}", action.name))
            }
            BadTrigger::NoEvent => f.write_str("expected SYSTEM:EVENT of an existing event after it"),
            BadTrigger::BadCount => f.write_str("expected a number after the colon"),
            BadTrigger::CountTooLarge => f.write_str("expected a number below 2^48"),
            BadTrigger::NoFilter => f.write_str("expected 'if FILTER' after it, or nothing"),
        }
    }
}

impl core::error::Error for BadTrigger {}

impl<'a> Command<'a> {
    /// What a text without blanks at its ends asks for.
    pub fn parse(text: &'a str) -> Result<Command<'a>, BadTrigger> {
        let (name, rest) = match text.find([':', ' ', '\t']) {
            Some(end) => (&text[..end], text[end + 1..].trim_start_matches(is_blank)),
            None => (text, ""),
        };
        let (removes, name) = name.strip_prefix('!').map_or((false, name), |name| (true, name));
        let action = Action::named(name).ok_or(BadTrigger::NoSuchTrigger)?;
        let has_parameter = action.has_target || rest.starts_with(|first: char| first.is_ascii_digit());
        let (parameter, filter) = match rest.split_once([' ', '\t']) {
            _ if !has_parameter => (None, rest),
            Some((parameter, filter)) => (Some(parameter), filter.trim_start_matches(is_blank)),
            None => (Some(rest), ""),
        };
        let mut parts = parameter.unwrap_or_default().split(':');
        let target = match action.has_target {
            true => Some(parts.next().zip(parts.next()).ok_or(BadTrigger::NoEvent)?),
            false => None,
        };
        let number = if parameter.is_some() { parts.next() } else { None };
        let (count, filter) = (number.map_or(Ok(None), count), condition(filter));
        Ok(Command { removes, action, target, count, filter })
    }
}

/// The kernel's `isspace`, as far as texts have it.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t'..='\r')
}

/// What follows the `if`.
fn condition(text: &str) -> Result<Option<&str>, BadTrigger> {
    if text.is_empty() {
        return Ok(None);
    }
    let filter = text.strip_prefix("if").and_then(|rest| rest.strip_prefix([' ', '\t']));
    filter.map(Some).ok_or(BadTrigger::NoFilter)
}

/// How often; the highest number of all is as often as it likes.
fn count(text: &str) -> Result<Option<u64>, BadTrigger> {
    match parse_integer(text) {
        Ok(u64::MAX) => Ok(None),
        Ok(count) if count <= abi::control::Counter::MOST => Ok(Some(count)),
        Ok(_) | Err(BadInteger::TooLarge) => Err(BadTrigger::CountTooLarge),
        Err(BadInteger::NoInteger) => Err(BadTrigger::BadCount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What switches recording off.
    fn traceoff(text: &str) -> Command<'_> {
        let command = Command::parse(text).unwrap();
        assert_eq!((command.action.name, command.removes), ("traceoff", false), "{text}");
        command
    }

    #[test]
    fn a_count_and_a_filter_may_follow() {
        let parts = |text| {
            let command = traceoff(text);
            (command.count.unwrap(), command.filter.unwrap())
        };
        for text in ["traceoff", "traceoff:", "traceoff:18446744073709551615"] {
            assert_eq!(parts(text), (None, None), "{text}");
        }
        let eights =
            ["traceoff:8", "traceoff:010", "traceoff:0x8", "traceoff: 8", "traceoff:8:1", "traceoff 8"];
        for text in eights {
            assert_eq!(parts(text), (Some(8), None), "{text}");
        }
        assert_eq!(parts("traceoff:0"), (Some(0), None));
        assert_eq!(parts("traceoff if ip == 1"), (None, Some("ip == 1")));
        assert_eq!(parts("traceoff:if ip == 1"), (None, Some("ip == 1")));
        assert_eq!(parts("traceoff:3  if   ip == 1"), (Some(3), Some("  ip == 1")));
    }

    #[test]
    fn what_is_wrong_is_reported() {
        for text in ["traceoff:unlimited", "traceoff:-1", "traceoff :3", "traceoff:3 x", "traceoff if"] {
            assert_eq!(traceoff(text).filter, Err(BadTrigger::NoFilter), "{text}");
        }
        for text in ["traceoff:3x", "traceoff:0x", "traceoff:08"] {
            assert_eq!(traceoff(text).count, Err(BadTrigger::BadCount), "{text}");
        }
        for text in ["traceoff:99999999999999999999999", "traceoff:281474976710656"] {
            assert_eq!(traceoff(text).count, Err(BadTrigger::CountTooLarge), "{text}");
        }
        for text in ["", "!", "Traceoff", "!traceoffx", "hist:keys=ip", "traceofff"] {
            assert_eq!(Command::parse(text), Err(BadTrigger::NoSuchTrigger), "{text}");
        }
        for text in ["enable_event", "enable_event:", "!disable_event:sched", "enable_event if x"] {
            assert_eq!(Command::parse(text), Err(BadTrigger::NoEvent), "{text}");
        }
    }

    #[test]
    fn an_event_stands_before_the_count() {
        let parse = |text| Command::parse(text).unwrap();
        let command = parse("enable_event:sched:sched_switch:4 if ip==1");
        assert_eq!(command.action.name, "enable_event");
        assert_eq!(command.target, Some(("sched", "sched_switch")));
        assert_eq!((command.count, command.filter), (Ok(Some(4)), Ok(Some("ip==1"))));
        let command = parse("!disable_event libc:open:nonsense garbage");
        assert_eq!((command.action.name, command.removes), ("disable_event", true));
        assert_eq!(command.target, Some(("libc", "open")));
        assert_eq!(parse("enable_event:a:b:").count, Err(BadTrigger::BadCount));
        assert_eq!(parse("enable_event:a:b 3").filter, Err(BadTrigger::NoFilter));
        assert_eq!(parse("enable_event:a:").target, Some(("a", "")));
    }
}
