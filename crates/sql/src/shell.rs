//! The shell: lines with history and completion, queries that end with a semicolon.

use crate::asking::{AnswerStyle, ask};
use crate::database::Database;
use crate::failure::SqlFailure;
use crate::functions;
use crate::say::{note, say};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::block_in_place;

/// Words that are completed besides tables, columns and functions.
const KEYWORDS: [&str; 22] = [
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "LIMIT",
    "HAVING",
    "JOIN",
    "LEFT JOIN",
    "ON",
    "AND",
    "OR",
    "NOT",
    "IS NULL",
    "DISTINCT",
    "count(*)",
    "sum(",
    "max(",
    "min(",
    "avg(",
    "DESCRIBE",
    "SHOW TABLES",
];

/// Completes words, and knows where a query ends.
struct SqlHelper {
    words: BTreeSet<String>,
}

impl Completer for SqlHelper {
    type Candidate = String;

    fn complete(&self, line: &str, place: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..place).unwrap_or_default();
        let start = before
            .rfind(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '.')))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let begun = before[start..].to_lowercase();
        let fits = |word: &&String| !begun.is_empty() && word.to_lowercase().starts_with(&begun);
        Ok((start, self.words.iter().filter(fits).cloned().collect()))
    }
}

impl Validator for SqlHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match is_whole(context.input()) {
            true => ValidationResult::Valid(None),
            false => ValidationResult::Incomplete,
        })
    }
}

impl Hinter for SqlHelper {
    type Hint = String;
}

impl Highlighter for SqlHelper {}

impl Helper for SqlHelper {}

/// Whether what was typed is done.
fn is_whole(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.ends_with(';') || is_end(text) || text == "help"
}

fn is_end(text: &str) -> bool {
    matches!(text, "quit" | "exit" | "\\q")
}

/// Reads queries until the end of input, and answers each.
pub async fn run(database: &Arc<Database>, style: AnswerStyle) -> Result<(), SqlFailure> {
    let config = Config::builder().completion_type(CompletionType::List).max_history_size(1000);
    let config = config.map_err(SqlFailure::failed)?.auto_add_history(true).build();
    let mut editor = Editor::<SqlHelper, DefaultHistory>::with_config(config).map_err(SqlFailure::failed)?;
    editor.set_helper(Some(SqlHelper { words: words(database) }));
    let history = history();
    if let Some(path) = &history {
        // There is none at first.
        let _ = editor.load_history(path);
        let _ = path.parent().map(std::fs::create_dir_all);
    }
    note!("lookback: SHOW TABLES; DESCRIBE slices; help and quit do as they say");
    let mut is_history_lost = false;
    loop {
        let line = block_in_place(|| editor.readline("sql> "));
        if let (Ok(_), Some(path)) = (&line, &history)
            && let Err(error) = editor.append_history(path)
            && !is_history_lost
        {
            is_history_lost = true;
            note!("lookback: {}: {error}: lines are not kept", path.display());
        }
        match line {
            Ok(line) if is_end(line.trim()) => break,
            Ok(line) if line.trim() == "help" => say!("{HELP}"),
            Ok(line) => answer(database, line.trim().trim_end_matches(';'), style).await?,
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(SqlFailure::failed(error)),
        }
    }
    Ok(())
}

const HELP: &str = "\
A query ends with a semicolon, and may have several lines. Tab completes.
  SHOW TABLES;          the tables
  DESCRIBE slices;      the columns of one
  EXPLAIN SELECT ...;   how a query is run
  quit                  or Control-D
Control-C ends a query, and drops a line.";

/// Answers a query, until Control-C.
async fn answer(database: &Arc<Database>, query: &str, style: AnswerStyle) -> Result<(), SqlFailure> {
    if query.is_empty() {
        return Ok(());
    }
    let mut interrupts = signal(SignalKind::interrupt())?;
    // A task of its own: what computes long without a pause must not keep the shell from hearing of it.
    let (database, query) = (Arc::clone(database), query.to_owned());
    let mut asked = tokio::spawn(async move { ask(&database, &query, style).await });
    tokio::select! {
        done = &mut asked => match done {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => say!("lookback: {failure}"),
            Err(error) => say!("lookback: the engine has failed: {error}"),
        },
        _ = interrupts.recv() => {
            asked.abort();
            say!("interrupted");
        }
    }
    Ok(())
}

/// What is completed.
fn words(database: &Database) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
    words.extend(functions::NAMES.map(|name| format!("{name}(")));
    words.extend(database.names());
    words
}

/// Where lines are kept.
fn history() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("lookback/sql_history"))
}
