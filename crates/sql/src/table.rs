//! Tables: which columns they have, and how rows become batches of Arrow.

mod batch;
mod cell;
mod channel;

pub use batch::RowBatch;
pub use cell::{ColumnType, RowCell};
pub use channel::{RowReceiver, RowSender, row_channel};

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use std::sync::Arc;

/// A column: what it is, its name, and what is in it.
pub type TableColumn<C> = (C, &'static str, ColumnType);

/// Tables with their names.
pub type NamedTables = Vec<(String, Arc<dyn TableProvider>)>;

/// A row of a table.
pub trait TableRow {
    /// Which column.
    type Column: Copy + Send + 'static;

    /// The table's name.
    const TABLE: &'static str;

    /// Its columns.
    const COLUMNS: &'static [TableColumn<Self::Column>];

    /// What the row has in a column.
    fn cell(&self, column: Self::Column) -> RowCell<'_>;
}

/// The columns of a table for Arrow.
pub fn schema_of<R: TableRow>() -> SchemaRef {
    let field = |(_, name, kind): &TableColumn<R::Column>| Field::new(*name, kind.data_type(), true);
    Arc::new(Schema::new(R::COLUMNS.iter().map(field).collect::<Vec<_>>()))
}
