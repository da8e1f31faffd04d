//! A query, from its text to its answer.

use crate::complaint::complaint;
use crate::database::Database;
use crate::failure::SqlFailure;
use crate::lacking::Lacking;
use crate::output::AnswerWriter;
use crate::planned::reading_only;
use crate::say::say;
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use futures::StreamExt;
use sql_arguments::AnswerForm;
use std::io::{self, BufWriter, ErrorKind};
use std::time::Instant;

/// How queries are answered.
#[derive(Debug, Clone, Copy)]
pub struct AnswerStyle {
    /// How the answer is written.
    pub form: AnswerForm,
    /// It is said how long each query took.
    pub is_timed: bool,
}

/// Asks, and writes the answer on standard output.
pub async fn ask(database: &Database, query: &str, style: AnswerStyle) -> Result<(), SqlFailure> {
    let start = Instant::now();
    let answered = answer(database, query, style.form).await;
    if style.is_timed {
        say!("lookback: {:.6} s", start.elapsed().as_secs_f64());
    }
    match answered {
        Err(Unanswered::Closed) | Ok(()) => Ok(()),
        Err(Unanswered::Query(error)) => Err(SqlFailure::failed(complaint(query, &error))),
        Err(Unanswered::Output(error)) => Err(SqlFailure::failed(format_args!("standard output: {error}"))),
    }
}

/// Why there is no answer.
enum Unanswered {
    Query(Box<DataFusionError>),
    Output(ArrowError),
    /// Who reads it has seen enough.
    Closed,
}

impl From<DataFusionError> for Unanswered {
    fn from(error: DataFusionError) -> Unanswered {
        Unanswered::Query(Box::new(error))
    }
}

impl From<ArrowError> for Unanswered {
    fn from(error: ArrowError) -> Unanswered {
        match &error {
            ArrowError::IoError(_, cause) if cause.kind() == ErrorKind::BrokenPipe => Unanswered::Closed,
            ArrowError::CsvError(text) if text.contains("Broken pipe") => Unanswered::Closed,
            _ => Unanswered::Output(error),
        }
    }
}

async fn answer(database: &Database, query: &str, form: AnswerForm) -> Result<(), Unanswered> {
    let asked = database.context().sql_with_options(query, reading_only()).await?;
    let mut batches = asked.execute_stream().await?;
    let schema = batches.schema();
    let mut writer = AnswerWriter::new(form, &schema, BufWriter::new(io::stdout()))?;
    while let Some(batch) = batches.next().await {
        writer.write(&batch?)?;
    }
    Ok(writer.finish()?)
}

/// Says which events the files lack, and what of them can't be read. An error in the second case.
pub fn tell_missing(database: &Database) -> Result<(), SqlFailure> {
    let is_damaged =
        database.lacking().iter().map(Lacking::tell).fold(false, |any, is_damaged| any | is_damaged);
    if is_damaged { Err(SqlFailure::silent()) } else { Ok(()) }
}
