//! The names of events and their groups.

use crate::bad_probe::ProbeError;

/// Bytes of a name, and one: the kernel's `MAX_EVENT_NAME_LEN`.
pub(crate) const MOST: usize = 64;

/// The group of events without one.
pub(crate) const GROUP: &str = "uprobes";

/// A group and an event, as far as they are given.
type GivenNames<'a> = (Option<&'a str>, Option<&'a str>);

/// The group and the event of `[GRP/]EVENT`, or `GRP/`; or what is wrong, and at which byte.
pub(crate) fn parse(text: &str) -> Result<GivenNames<'_>, (ProbeError, usize)> {
    let slash = text.find('/').or_else(|| text.find('.'));
    let (group, event, at) = match slash {
        Some(at) => (text.get(..at), text.get(at + 1..).unwrap_or_default(), at + 1),
        None => (None, text, 0),
    };
    match group {
        Some("") => return Err((ProbeError::NoGroupName, 0)),
        Some(group) if group.len() + 1 > MOST => return Err((ProbeError::GroupTooLong, 0)),
        Some(group) if !is_name(group, "_-") => return Err((ProbeError::BadGroupName, 0)),
        _ => {}
    }
    match event {
        "" if group.is_some() => Ok((group, None)),
        "" => Err((ProbeError::NoEventName, at)),
        event if event.len() >= MOST => Err((ProbeError::EventTooLong, at)),
        event if !is_c_name(event) => Err((ProbeError::BadEventName, at)),
        event => Ok((group, Some(event))),
    }
}

/// Whether C would take it for a name.
pub(crate) fn is_c_name(text: &str) -> bool {
    is_name(text, "_")
}

/// Whether it begins with a letter or `_`, and has no other characters than digits and these after it.
fn is_name(text: &str, others: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
}
