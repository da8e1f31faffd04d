//! What is wrong with a query, and where.

mod place;
mod signature;

use datafusion::common::{DataFusionError, SchemaError};
use place::{QueryPlace, end_of, only_word, parsed, point, without_parsed};
use std::fmt::Write;

/// What is wrong, with the line of the query, and carets below the place where that is known.
pub fn complaint(query: &str, error: &DataFusionError) -> String {
    let diagnostic = error.diagnostic();
    let text = match diagnostic {
        Some(diagnostic) => diagnostic.message.clone(),
        None => message(error),
    };
    let span = diagnostic.and_then(|diagnostic| diagnostic.span).map(QueryPlace::from);
    let (what, more) = text.split_once('\n').unwrap_or((without_parsed(&text), ""));
    let mut complaint = what.to_owned();
    if let Some(place) = span.or_else(|| place_of(query, error, &text)) {
        point(&mut complaint, query, place);
    }
    if !more.is_empty() {
        // Writing into a string can't fail.
        let _ = write!(complaint, "\n{more}");
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
        DataFusionError::Plan(text) => signature::none_fits(text).unwrap_or_else(|| text.clone()),
        DataFusionError::SchemaError(error, _) => unknown_field(error),
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

/// A name that is no column's, without all that are.
fn unknown_field(error: &SchemaError) -> String {
    match (error, error.to_string().split_once(". Did you mean '")) {
        (SchemaError::FieldNotFound { field, .. }, Some((_, nearest))) => {
            let nearest = nearest.split('\'').next().unwrap_or_default();
            format!("column '{}' not found\n  possible column {nearest}", field.flat_name())
        }
        (SchemaError::FieldNotFound { field, .. }, None) => {
            format!("column '{}' not found", field.flat_name())
        }
        (other, _) => other.to_string(),
    }
}

/// Where it is wrong, as far as the engine's words tell.
fn place_of(query: &str, error: &DataFusionError, text: &str) -> Option<QueryPlace> {
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } => only_word(query, field.name()),
            _ => None,
        },
        DataFusionError::Plan(text) => only_word(query, signature::name(text)?),
        DataFusionError::SQL(..) if text.ends_with("found: EOF") => end_of(query),
        _ => parsed(text),
    }
}
