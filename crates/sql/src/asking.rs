//! A query, from its text to its answer.

use crate::complaint::complaint;
use crate::database::Database;
use crate::failure::SqlFailure;
use crate::output::AnswerWriter;
use crate::planned::reading_only;
use crate::say::{note, say};
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

/// Says which events the traces lack, and what of their files can't be read. An error in the second case.
pub fn tell_missing(database: &Database) -> Result<(), SqlFailure> {
    for trace in database.traces() {
        let (name, lost, dropped) = (trace.path().display(), trace.lost(), trace.dropped());
        if lost > 0 {
            let is_exact = trace.losses.iter().all(|loss| loss.count.is_some());
            let (least, events) = (if is_exact { "" } else { "at least " }, events(lost));
            note!("lookback: {name} lacks {least}{events}, which were lost: the table losses says when");
        }
        if dropped > 0 {
            note!("lookback: {name} lacks {}, which were not written", events(dropped));
        }
    }
    let damaged: Vec<String> = database.traces().iter().filter_map(|trace| trace.damage()).collect();
    damaged.iter().for_each(|text| say!("lookback: {text}; the answer is of what can be read"));
    match damaged.is_empty() {
        true => Ok(()),
        false => Err(SqlFailure::silent()),
    }
}

fn events(count: u64) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}
