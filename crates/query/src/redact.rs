//! Strings that are hidden.

use crate::Error;
use crate::event_ids::select;
use session::Selection;
use std::str::FromStr;
use trace_data::event::EventTable;
use trace_data::format::{Field, Kind};
use trace_data::record::Record;

/// What is shown instead.
const INSTEAD: &[u8] = b"***";

/// Fields whose strings are not shown, `EVENT.FIELD`; or only those fitting a pattern, `EVENT.FIELD~PATTERN`.
#[derive(Debug, Clone)]
pub struct RedactRule {
    text: String,
    events: Selection,
    field: String,
    pattern: Option<String>,
}

impl FromStr for RedactRule {
    type Err = String;

    fn from_str(text: &str) -> Result<RedactRule, String> {
        let expected = || {
            format!(
                "expected EVENT.FIELD, like 'openat*.pathname', or EVENT.FIELD~PATTERN, like '*.*~*secret*', \
                 found {text:?}"
            )
        };
        let (place, pattern) = text.split_once('~').map_or((text, None), |(place, rest)| (place, Some(rest)));
        let (events, field) = place.rsplit_once('.').ok_or_else(expected)?;
        let events = events.parse().map_err(|_| expected())?;
        if field.is_empty() || pattern.is_some_and(str::is_empty) {
            return Err(expected());
        }
        let pattern = pattern.map(str::to_owned);
        Ok(RedactRule { text: text.to_owned(), events, field: field.to_owned(), pattern })
    }
}

/// Rules compiled for the events of a trace.
#[derive(Debug, Default)]
pub struct Redaction {
    /// The fields of each event, by its id.
    fields: Vec<Vec<HiddenField>>,
}

/// A field with strings that are not shown.
#[derive(Debug)]
struct HiddenField {
    field: Field,
    /// Which strings; all, without a pattern.
    pattern: Option<String>,
}

impl HiddenField {
    /// Whether the string in these bytes, up to a zero, is one of them.
    fn is_meant(&self, bytes: &[u8]) -> bool {
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        self.pattern.as_ref().is_none_or(|pattern| event_filter::glob(pattern.as_bytes(), text))
    }
}

impl Redaction {
    /// Compiles rules for the events of a trace.
    ///
    /// # Errors
    ///
    /// When an event is unknown, or a rule fits no field of strings.
    pub fn new(rules: &[RedactRule], events: &EventTable) -> Result<Redaction, Error> {
        let mut redaction = Redaction::default();
        for rule in rules {
            let ids = select(std::slice::from_ref(&rule.events), events)?;
            let mut is_used = false;
            for format in events.iter().map(|event| event.format()).filter(|format| ids.contains(&format.id))
            {
                let is_meant = |field: &&Field| {
                    event_filter::glob(rule.field.as_bytes(), field.name.as_bytes()) && is_text(field)
                };
                let id = usize::from(format.id);
                redaction.fields.resize_with(redaction.fields.len().max(id + 1), Vec::new);
                let before = redaction.fields[id].len();
                let hidden =
                    |field: &Field| HiddenField { field: field.clone(), pattern: rule.pattern.clone() };
                redaction.fields[id].extend(format.own_fields().iter().filter(is_meant).map(hidden));
                is_used |= redaction.fields[id].len() > before;
            }
            if !is_used {
                return Err(Error::NothingToRedact(rule.text.clone()));
            }
        }
        Ok(redaction)
    }

    /// The payload of a record without the hidden strings; in `space` if something had to be changed.
    pub fn apply<'a>(&self, record: &Record<'a>, space: &'a mut Vec<u8>) -> &'a [u8] {
        let payload = record.payload;
        let fields = self.fields.get(usize::from(record.id())).map_or(&[][..], Vec::as_slice);
        if fields.is_empty() {
            return payload;
        }
        space.clear();
        space.extend_from_slice(payload);
        for hidden in fields {
            // Where the bytes are in the copy is where they are in the payload.
            let bytes = hidden.field.bytes(payload).filter(|bytes| hidden.is_meant(bytes));
            let Some(bytes) = bytes else { continue };
            let start = bytes.as_ptr() as usize - payload.as_ptr() as usize;
            if let Some(bytes) = space.get_mut(start..start + bytes.len()) {
                hide(bytes);
            }
        }
        space
    }
}

fn is_text(field: &Field) -> bool {
    !matches!(field.kind, Kind::Integer) && field.element_type().is_some_and(|element| element.text)
}

/// Replaces a string and what comes after it by as much as fits. What was empty stays so.
fn hide(bytes: &mut [u8]) {
    if bytes.first().is_none_or(|first| *first == 0) {
        return bytes.fill(0);
    }
    bytes.fill(0);
    let size = bytes.len().saturating_sub(1).max(1).min(INSTEAD.len());
    bytes[..size].copy_from_slice(&INSTEAD[..size]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_string() {
        let hidden = |text: &[u8]| {
            let mut bytes = text.to_vec();
            hide(&mut bytes);
            bytes
        };
        assert_eq!(hidden(b"secret\0\0"), b"***\0\0\0\0\0");
        assert_eq!(hidden(b"ab\0c"), b"***\0");
        assert_eq!(hidden(b"a\0"), b"*\0");
        assert_eq!(hidden(b"a"), b"*");
        assert_eq!(hidden(b"\0rest"), b"\0\0\0\0\0");
        assert_eq!(hidden(b""), b"");
    }

    #[test]
    fn a_rule_has_an_event_and_a_field() {
        let rule = |text: &str| text.parse::<RedactRule>().map(|rule| rule.field).ok();
        assert_eq!(rule("libc:open*.path*").as_deref(), Some("path*"));
        assert_eq!(rule("*.*").as_deref(), Some("*"));
        assert_eq!((rule("open"), rule("open."), rule(".x")), (None, None, None));
        let pattern = |text: &str| text.parse::<RedactRule>().ok().and_then(|rule| rule.pattern);
        assert_eq!(pattern("open.path~*/.ssh/*").as_deref(), Some("*/.ssh/*"));
        assert_eq!(pattern("open.path~a~b.c").as_deref(), Some("a~b.c"));
        assert!("open.path~".parse::<RedactRule>().is_err());
    }
}
