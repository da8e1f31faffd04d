//! The line of a call.

use crate::duration::duration;
use crate::report::times::LineTimes;
use std::io::{self, Write};
use trace_data::info::TraceInfo;

/// A call, or another event.
pub(super) struct CallLine {
    /// Thread and CPU.
    pub(super) place: String,
    pub(super) time: u64,
    /// How many other calls it is in.
    pub(super) depth: usize,
    pub(super) name: String,
    /// Names and values of the arguments; of another event the text.
    pub(super) arguments: Vec<(String, String)>,
    /// What follows the arguments; None while the call goes on.
    pub(super) end: Option<String>,
    pub(super) is_chosen: bool,
}

impl CallLine {
    /// Adds what is known of a call at its end: an argument that pointed somewhere has what was there.
    pub(super) fn finish(&mut self, fields: &[(String, String)], end: String) {
        for (name, value) in fields.iter().filter(|(name, _)| !is_outcome(name)) {
            match self.arguments.iter_mut().find(|(known, _)| known == name) {
                Some(argument) => argument.1.clone_from(value),
                None => self.arguments.push((name.clone(), value.clone())),
            }
        }
        self.end = Some(end);
    }

    pub(super) fn print(
        &self,
        out: &mut impl Write,
        times: &mut LineTimes,
        trace: &TraceInfo<'_>,
    ) -> io::Result<()> {
        if !self.is_chosen {
            return Ok(());
        }
        let (columns, indent) = (times.width(), 2 * self.depth);
        write!(out, "{} {:>columns$}: {:indent$}", self.place, times.text(self.time, trace), "")?;
        let end = self.end.as_deref().unwrap_or_default();
        if end.starts_with(": ") {
            return writeln!(out, "{}{end}", self.name);
        }
        let arguments = self.arguments.iter().filter(|(name, _)| name != "caller");
        let arguments: Vec<String> = arguments.map(|(name, value)| format!("{name}={value}")).collect();
        match self.name.starts_with('<') && arguments.is_empty() {
            true => writeln!(out, "{}{end}", self.name),
            false => writeln!(out, "{}({}){end}", self.name, arguments.join(", ")),
        }
    }
}

/// Whether a field of an exit is of the call's outcome.
fn is_outcome(name: &str) -> bool {
    matches!(name, "ret" | "error" | "duration")
}

/// The result, the error and how long it took.
pub(super) fn outcome(fields: &[(String, String)], length: Option<u64>) -> String {
    let value =
        |wanted: &str| fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let mut end = value("ret").map_or_else(String::new, |ret| format!(" = {ret}"));
    if let Some(error) = value("error").filter(|error| *error != "0") {
        end = format!("{end} {error}");
    }
    length.map_or(end.clone(), |length| format!("{end} <{}>", duration(length)))
}

/// Splits `name=value name=value`, with these names, at the names. Strings may have anything in them.
pub(super) fn split<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let names: Vec<&str> = names.collect();
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut next, mut is_quoted, mut is_escaped) = (names.iter().peekable(), false, false);
    let mut is_start = true;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if is_start
            && !is_quoted
            && let Some(name) = next.peek()
            && let Some(value) = rest.strip_prefix(**name).and_then(|rest| rest.strip_prefix('='))
        {
            let name = (**name).to_owned();
            next.next();
            let string = if value.starts_with('"') { string_length(value, next.clone()) } else { 0 };
            found.push((name, value[..string].to_owned()));
            (rest, is_start) = (&value[string..], false);
            continue;
        }
        is_quoted ^= letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_start = letter == ' ';
        if let Some((_, value)) = found.last_mut() {
            value.push(letter);
        }
        rest = &rest[letter.len_utf8()..];
    }
    found.iter_mut().for_each(|(_, value)| value.truncate(value.trim_end().len()));
    found
}

/// How long the string is that a text begins with: up to the quote before a field of one of these names, or
/// to the last one. Quotes within it are as they were.
fn string_length<'a>(text: &str, mut names: impl Iterator<Item = &'a &'a str>) -> usize {
    let before_name = names.find_map(|name| text.rfind(&format!("\" {name}=")));
    before_name.or_else(|| text.rfind('"')).map_or(0, |quote| quote + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_the_next_name_starts() {
        let text = r#"path="a mode=1 \" b" mode=0644 flags=A|B caller=f+0x1 (a.c:3)"#;
        let found = split(text, ["path", "mode", "flags", "caller"].into_iter());
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, [r#""a mode=1 \" b""#, "0644", "A|B", "f+0x1 (a.c:3)"]);
        assert_eq!(split("other text", ["path"].into_iter()), []);
        let hostile = r#"ret=-1 path="a'; --\n"<b>" duration=5 x" duration=18"#;
        let found = split(hostile, ["ret", "path", "duration"].into_iter());
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["-1", r#""a'; --\n"<b>" duration=5 x""#, "18"]);
    }
}
