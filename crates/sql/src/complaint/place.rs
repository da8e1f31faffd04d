//! Where in a query something is wrong.

use datafusion::common::Span;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use std::fmt::Write;

/// A part of a line. Lines and columns are counted from 1, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryPlace {
    line: u64,
    column: u64,
    /// The column after the last one.
    end: u64,
}

impl From<Span> for QueryPlace {
    fn from(span: Span) -> QueryPlace {
        let (line, column) = (span.start.line, span.start.column);
        QueryPlace { line, column, end: if span.end.line == line { span.end.column } else { column + 1 } }
    }
}

/// ` at Line: 1, Column: 8`, as the parser says it.
const PARSED: &str = " at Line: ";

/// The place at the end of what the parser says.
pub(super) fn parsed(text: &str) -> Option<QueryPlace> {
    let (_, place) = text.rsplit_once(PARSED)?;
    let (line, column) = place.split_once(", Column: ")?;
    let digits: String = column.chars().take_while(char::is_ascii_digit).collect();
    let column = digits.parse().ok()?;
    Some(QueryPlace { line: line.parse().ok()?, column, end: column + 1 })
}

/// What the parser says, without the place.
pub(super) fn without_parsed(text: &str) -> &str {
    match parsed(text) {
        Some(_) => text.rsplit_once(PARSED).map_or(text, |(text, _)| text),
        None => text,
    }
}

/// The place of a word that is there once. Of several nobody knows which one is meant.
pub(super) fn only_word(query: &str, word: &str) -> Option<QueryPlace> {
    let tokens = Tokenizer::new(&GenericDialect {}, query).tokenize_with_location().ok()?;
    let is_meant = |token: &&TokenWithSpan| match &token.token {
        Token::Word(it) => it.value.eq_ignore_ascii_case(word),
        _ => false,
    };
    let mut meant = tokens.iter().filter(is_meant);
    let (first, second) = (meant.next()?, meant.next());
    let (start, end) = (first.span.start, first.span.end);
    second.is_none().then_some(QueryPlace { line: start.line, column: start.column, end: end.column })
}

/// After the last character.
pub(super) fn end_of(query: &str) -> Option<QueryPlace> {
    let (index, line) = query.trim_end().lines().enumerate().last()?;
    let column = line.chars().count() as u64 + 1;
    Some(QueryPlace { line: index as u64 + 1, column, end: column + 1 })
}

/// Adds the line of the query with carets below the place.
pub(super) fn point(complaint: &mut String, query: &str, place: QueryPlace) {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(text) = query.lines().nth(number(place.line)) else { return };
    let column = number(place.column);
    let before: String = text.chars().take(column).map(|it| if it == '\t' { it } else { ' ' }).collect();
    let length = number(place.end).saturating_sub(column).clamp(1, text.chars().count().max(1));
    let _ = write!(complaint, "\n  {}\n  {before}{}", text.trim_end(), "^".repeat(length));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_below_the_line() {
        let said = "Expected: end, found: FORM at Line: 2, Column: 3";
        let mut text = without_parsed(said).to_owned();
        let place = QueryPlace { end: 7, ..parsed(said).unwrap() };
        point(&mut text, "SELECT 1\n  FORM x", place);
        assert_eq!(text, "Expected: end, found: FORM\n    FORM x\n    ^^^^");
    }

    #[test]
    fn words_are_found_by_the_parsers_rules() {
        let found = |query, word| only_word(query, word).map(|place| (place.line, place.column, place.end));
        assert_eq!(found("SELECT 'nam',\n é, \"nam\" FROM x -- nam", "nam"), Some((2, 5, 10)));
        assert_eq!(found("SELECT nam FROM x GROUP BY nam", "nam"), None);
        assert_eq!(found("SELECT 'nam", "nam"), None);
    }

    #[test]
    fn the_end_is_after_the_last_character() {
        let mut text = String::new();
        point(&mut text, "SELECT 1\n WHERE \n", end_of("SELECT 1\n WHERE \n").unwrap());
        assert_eq!(text, "\n   WHERE\n        ^");
    }
}
