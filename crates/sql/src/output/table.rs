//! Rows as a table for people.

use comfy_table::{Cell, CellAlignment, Row, Table, presets};
use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use std::io::Write;
use trace_data::text::printable;

/// Rows of a table: more are another one, so that few have to be in memory.
const ROWS: usize = 1000;

/// Writes tables.
pub struct TableText<W> {
    out: W,
    header: Vec<String>,
    is_number: Vec<bool>,
    rows: Vec<Row>,
    has_any: bool,
}

impl<W: Write> TableText<W> {
    pub(super) fn new(schema: &Schema, out: W) -> TableText<W> {
        let fields = schema.fields();
        let header = fields.iter().map(|field| printable(field.name()).to_string()).collect();
        let is_number = fields.iter().map(|field| field.data_type().is_numeric()).collect();
        TableText { out, header, is_number, rows: Vec::new(), has_any: false }
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let options = FormatOptions::new();
        let formatters: Result<Vec<_>, _> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options)).collect();
        let formatters = formatters?;
        for row in 0..batch.num_rows() {
            let mut cells = Vec::with_capacity(formatters.len());
            for ((formatter, column), is_number) in
                formatters.iter().zip(batch.columns()).zip(&self.is_number)
            {
                let text =
                    if column.is_null(row) { String::new() } else { formatter.value(row).try_to_string()? };
                // What programs are called and what they open may have line ends and worse.
                let cell = Cell::new(printable(&text));
                cells.push(if *is_number { cell.set_alignment(CellAlignment::Right) } else { cell });
            }
            self.rows.push(Row::from(cells));
            if self.rows.len() == ROWS {
                self.print()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), ArrowError> {
        if !self.rows.is_empty() || !self.has_any {
            self.print()?;
        }
        Ok(self.out.flush()?)
    }

    fn print(&mut self) -> Result<(), ArrowError> {
        self.has_any = true;
        let mut table = Table::new();
        table.load_preset(presets::ASCII_BORDERS_ONLY_CONDENSED);
        table.set_header(self.header.iter().zip(&self.is_number).map(|(name, is_number)| {
            let cell = Cell::new(name);
            if *is_number { cell.set_alignment(CellAlignment::Right) } else { cell }
        }));
        table.add_rows(self.rows.drain(..));
        Ok(writeln!(self.out, "{table}")?)
    }
}
