//! Rows on their way to a batch.

use super::cell::ColumnBuilder;
use super::{TableRow, schema_of};
use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;

/// Rows of a batch, unless they are fetched before.
const FULL: usize = 8192;

/// Collects rows, as far as their columns are asked for.
#[derive(Debug)]
pub struct RowBatch<C> {
    columns: Vec<(C, ColumnBuilder)>,
    schema: SchemaRef,
    rows: usize,
}

impl<C: Copy + 'static> RowBatch<C> {
    /// With all columns of these rows.
    pub fn new<R: TableRow<Column = C>>() -> RowBatch<C> {
        let columns = R::COLUMNS.iter().map(|(column, _, kind)| (*column, ColumnBuilder::new(*kind, FULL)));
        RowBatch { columns: columns.collect(), schema: schema_of::<R>(), rows: 0 }
    }

    /// With some columns of these rows.
    ///
    /// # Errors
    ///
    /// When there is no such column.
    pub fn of<R: TableRow<Column = C>>(projection: &[usize]) -> Result<RowBatch<C>, ArrowError> {
        let schema = schema_of::<R>().project(projection)?.into();
        let chosen = projection.iter().filter_map(|place| R::COLUMNS.get(*place));
        let columns = chosen.map(|(column, _, kind)| (*column, ColumnBuilder::new(*kind, FULL)));
        Ok(RowBatch { columns: columns.collect(), schema, rows: 0 })
    }

    /// Which columns it collects.
    pub fn columns(&self) -> impl Iterator<Item = C> {
        self.columns.iter().map(|(column, _)| *column)
    }

    /// Adds a row. Whether the batch is full.
    pub fn push(&mut self, row: &impl TableRow<Column = C>) -> bool {
        for (column, builder) in &mut self.columns {
            builder.push(&row.cell(*column));
        }
        self.rows += 1;
        self.rows >= FULL
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The rows as a batch; the next ones are of another.
    ///
    /// # Errors
    ///
    /// When Arrow doesn't take it.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let arrays = self.columns.iter_mut().map(|(_, builder)| builder.finish(FULL)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
    }
}
