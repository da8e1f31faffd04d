//! What is wrong with a query, and where.

use datafusion::common::DataFusionError;
use std::fmt::Write;

/// What is wrong, with the line of the query, and carets below the place where that is known.
pub fn complaint(query: &str, error: &DataFusionError) -> String {
    let diagnostic = error.diagnostic();
    let text = match diagnostic {
        Some(diagnostic) => diagnostic.message.clone(),
        None => message(error),
    };
    let span = diagnostic.and_then(|diagnostic| diagnostic.span);
    let place = match span {
        Some(span) => Some((span.start.line, span.start.column, span.end.line, span.end.column)),
        None => parsed_place(&text).map(|(line, column)| (line, column, line, column + 1)),
    };
    let mut complaint = without_place(&text).to_owned();
    if let Some((line, column, end_line, end)) = place {
        let end = if end_line == line { end } else { column + 1 };
        point(&mut complaint, query, line, column, end);
    }
    let hints = diagnostic.map(|diagnostic| {
        let notes = diagnostic.notes.iter().map(|note| note.message.as_str());
        notes.chain(diagnostic.helps.iter().map(|help| help.message.as_str())).collect::<Vec<_>>()
    });
    for hint in hints.into_iter().flatten() {
        // Writing into a string can't fail.
        let _ = write!(complaint, "\n  {hint}");
    }
    complaint
}

/// An error's own text, without what led to it.
pub fn message(error: &DataFusionError) -> String {
    match error.find_root() {
        DataFusionError::External(error) => error.to_string(),
        DataFusionError::ResourcesExhausted(text) => exhausted(text),
        DataFusionError::Plan(text) => text.clone(),
        DataFusionError::SQL(error, _) => {
            let text = error.to_string();
            text.trim_start_matches("sql parser error: ").to_owned()
        }
        other => other.strip_backtrace(),
    }
}

/// What to do where memory ends, and who has most of it.
fn exhausted(text: &str) -> String {
    let remedy = if text.contains("Join") {
        "a join keeps one of its tables in memory.\n  Raise --memory, or leave that table fewer rows and columns: \
         by WHERE, or by GROUP BY before the join"
    } else {
        "raise --memory"
    };
    let holders = text.lines().filter(|line| line.contains(" consumed ") && !line.contains("consumed 0.0 B"));
    let mut message = format!("the query needs more memory than it may have: {remedy}");
    for holder in holders {
        // Writing into a string can't fail.
        let _ = write!(message, "\n  {}", holder.trim().trim_end_matches([',', '.']));
    }
    message
}

/// Lines and columns are counted from 1.
fn point(complaint: &mut String, query: &str, line: u64, column: u64, end: u64) {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(text) = query.lines().nth(number(line)) else { return };
    let before: String =
        text.chars().take(number(column)).map(|it| if it == '\t' { it } else { ' ' }).collect();
    let length = number(end).saturating_sub(number(column)).clamp(1, text.chars().count().max(1));
    let _ = write!(complaint, "\n  {text}\n  {before}{}", "^".repeat(length));
}

/// ` at Line: 1, Column: 8`, as the parser says it.
const PLACE: &str = " at Line: ";

fn parsed_place(text: &str) -> Option<(u64, u64)> {
    let (_, place) = text.rsplit_once(PLACE)?;
    let (line, column) = place.split_once(", Column: ")?;
    let digits: String = column.chars().take_while(char::is_ascii_digit).collect();
    Some((line.parse().ok()?, digits.parse().ok()?))
}

fn without_place(text: &str) -> &str {
    match parsed_place(text) {
        Some(_) => text.rsplit_once(PLACE).map_or(text, |(text, _)| text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_below_the_line() {
        let mut text = without_place("Expected: end, found: FORM at Line: 2, Column: 3").to_owned();
        let (line, column) = parsed_place("Expected: end, found: FORM at Line: 2, Column: 3").unwrap();
        point(&mut text, "SELECT 1\n  FORM x", line, column, column + 4);
        assert_eq!(text, "Expected: end, found: FORM\n    FORM x\n    ^^^^");
    }
}
