//! Answers on standard output.

mod table;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::json::LineDelimitedWriter;
use sql_arguments::AnswerForm;
use std::io::Write;
use table::TableText;

/// Writes an answer, batch by batch.
pub enum AnswerWriter<W: Write> {
    /// For people.
    Table(TableText<W>),
    /// Comma-separated values.
    Csv(Box<datafusion::arrow::csv::Writer<W>>),
    /// A JSON object for each row.
    Json(LineDelimitedWriter<W>),
    /// Arrow's stream format.
    Arrow(Box<StreamWriter<W>>),
}

impl<W: Write> AnswerWriter<W> {
    /// Writes to `out`.
    pub fn new(form: AnswerForm, schema: &Schema, out: W) -> Result<AnswerWriter<W>, ArrowError> {
        Ok(match form {
            AnswerForm::Table => AnswerWriter::Table(TableText::new(schema, out)),
            AnswerForm::Csv => {
                let mut writer = WriterBuilder::new().with_header(true).build(out);
                // The header comes even where no row does.
                writer.write(&RecordBatch::new_empty(schema.clone().into()))?;
                AnswerWriter::Csv(Box::new(writer))
            }
            AnswerForm::Json => AnswerWriter::Json(LineDelimitedWriter::new(out)),
            AnswerForm::Arrow => AnswerWriter::Arrow(Box::new(StreamWriter::try_new(out, schema)?)),
        })
    }

    /// Writes rows.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            AnswerWriter::Table(writer) => writer.write(batch),
            AnswerWriter::Csv(writer) => writer.write(batch),
            AnswerWriter::Json(writer) => writer.write(batch),
            AnswerWriter::Arrow(writer) => writer.write(batch),
        }
    }

    /// Writes what is left.
    pub fn finish(self) -> Result<(), ArrowError> {
        match self {
            AnswerWriter::Table(writer) => writer.finish(),
            AnswerWriter::Csv(writer) => Ok(writer.into_inner().flush()?),
            AnswerWriter::Json(mut writer) => {
                writer.finish()?;
                Ok(writer.into_inner().flush()?)
            }
            AnswerWriter::Arrow(mut writer) => writer.finish(),
        }
    }
}
