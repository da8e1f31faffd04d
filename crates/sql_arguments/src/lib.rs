//! What `lookback-sql` understands: for itself, and for `lookback sql`, which runs it, has its help and
//! completes its options.
//!
//! What this crate is not: it asks nothing, and knows no engine, so that the command need not have one.
//!
//! ```
//! use clap::Parser;
//! use sql_arguments::{AnswerForm, SqlArguments};
//!
//! #[derive(Parser)]
//! struct Words {
//!     #[command(flatten)]
//!     sql: SqlArguments,
//! }
//!
//! let words = Words::parse_from(["lookback-sql", "--csv", "a.dat", "SELECT name FROM slices"]);
//! let (files, query) = words.sql.files_and_query();
//! assert_eq!((files, query.as_deref()), (vec!["a.dat".into()], Some("SELECT name FROM slices")));
//! assert_eq!(words.sql.form(), AnswerForm::Csv);
//! ```
#![forbid(unsafe_code)]

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Ask a trace in SQL.
///
/// A trace.dat file is read as it is; so is what `lookback convert` has made of it, FILE.parquet or a
/// directory of such files. Without a query it is a shell. Queries read, and change nothing.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Tables:
  events   ts cpu tid pid comm system name ret error path fd size caller args
  slices   id ts dur self running runnable blocked cpu tid pid comm system name
           depth parent ret error path fd size caller holder stack args ending
           calls, functions and spans
  states   ts dur tid cpu state waker: where the trace has switches (-e @switch)
  stacks   id frames: where the trace has stacks (--stacktrace)
  threads  tid pid comm
  losses   ts dur cpu n
  meta     key value
  Times and lengths are nanoseconds of the trace's clock. With several files,
  names are those of the first; each has a schema of its own: good.slices,
  bad.slices.

Functions, besides those of DataFusion:
  pct(dur, 0.99)                     percentile, an aggregate
  errno_name(error)                  ENOENT
  flag_names(name, 'flags', number)  O_RDWR|O_CLOEXEC
  arg(args, 'mode')                  an argument that has no column of its own
  folded(frames)                     main;work;read
  lost_in(ts, ts + dur)              how many events are missing there
  intersect('slices', 'SELECT ...')  where a thread's intervals overlap: a table
  who_waits_for(tid, from, to)       who waited for a thread, as a table

Examples:
  lookback sql trace.dat 'SELECT name, count(*), sum(dur) FROM slices GROUP BY 1
                          ORDER BY 3 DESC'
  lookback sql trace.dat                       a shell
  lookback sql --ask                           questions that have names
  lookback sql --ask slow-files trace.dat
  lookback sql --csv trace.dat < queries.sql
  lookback sql good.dat bad.dat 'SELECT name FROM bad.slices EXCEPT
                                 SELECT name FROM good.slices'")]
pub struct SqlArguments {
    /// The traces; trace.dat without one. The last argument is a query if it has a blank and is no file
    #[arg(value_name = "FILE")]
    pub words: Vec<PathBuf>,

    /// Ask a question that has a name; without NAME, show all
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub ask: Option<String>,

    /// Print a question's query instead of its answer
    #[arg(long, requires = "ask")]
    pub show_query: bool,

    /// Print CSV
    #[arg(long, group = "form")]
    pub csv: bool,

    /// Print a JSON object for each row
    #[arg(long, group = "form")]
    pub json: bool,

    /// Write Arrow's stream format, for other programs
    #[arg(long, group = "form")]
    pub arrow: bool,

    /// Say on standard error how long each query took
    #[arg(long)]
    pub timing: bool,

    /// Memory for queries; what needs more is spilled to temporary files, or refused
    #[arg(long, value_name = "MB", default_value_t = 512)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..))]
    pub memory: u32,

    /// Write a table to FILE.parquet, or all of them into a directory
    #[arg(long, value_name = "OUT", hide = true, conflicts_with_all = ["ask", "form"])]
    pub parquet: Option<PathBuf>,

    /// What the trace is called in what is said and written
    #[arg(long, value_name = "NAME", hide = true, requires = "parquet")]
    pub named: Option<String>,

    /// What can't be read of that which the trace was made of
    #[arg(long, value_name = "TEXT", hide = true, requires = "parquet")]
    pub damage: Option<String>,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerForm {
    /// A table for people.
    Table,
    /// Comma-separated values.
    Csv,
    /// A JSON object for each row.
    Json,
    /// Arrow's stream format.
    Arrow,
}

impl SqlArguments {
    /// How answers are written.
    pub fn form(&self) -> AnswerForm {
        match self {
            SqlArguments { csv: true, .. } => AnswerForm::Csv,
            SqlArguments { json: true, .. } => AnswerForm::Json,
            SqlArguments { arrow: true, .. } => AnswerForm::Arrow,
            _ => AnswerForm::Table,
        }
    }

    /// The traces, and the query if there is one: the last word if it has a blank and is no file.
    pub fn files_and_query(&self) -> (Vec<PathBuf>, Option<String>) {
        let mut files = self.words.clone();
        let is_query = |word: &PathBuf| {
            !word.exists() && word.to_str().is_some_and(|text| text.contains(char::is_whitespace))
        };
        let query = files.pop_if(|last| is_query(last));
        if files.is_empty() {
            files.push("trace.dat".into());
        }
        (files, query.map(|query| query.to_string_lossy().into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        sql: SqlArguments,
    }

    #[test]
    fn the_last_word_may_be_a_query() {
        let parsed = |words: &[&str]| {
            let words = ["sql"].iter().chain(words);
            CommandLine::try_parse_from(words).unwrap().sql.files_and_query()
        };
        let path = |name: &str| vec![PathBuf::from(name)];
        assert_eq!(parsed(&["a.dat", "SELECT 1"]), (path("a.dat"), Some("SELECT 1".to_owned())));
        assert_eq!(parsed(&["SELECT 1"]), (path("trace.dat"), Some("SELECT 1".to_owned())));
        assert_eq!(parsed(&["a.dat"]), (path("a.dat"), None));
        assert_eq!(parsed(&[]), (path("trace.dat"), None));
    }
}
