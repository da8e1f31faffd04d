//! A row of `stacks`.

use crate::table::{ColumnType, RowCell, TableColumn, TableRow};
use std::sync::Arc;

/// A stack that was recorded.
#[derive(Debug)]
pub struct StackRow {
    /// As `slices` names it.
    pub id: i64,
    /// Its functions, innermost first.
    pub frames: Vec<Arc<str>>,
}

/// A column of `stacks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackColumn {
    Id,
    Frames,
}

impl TableRow for StackRow {
    type Column = StackColumn;

    const TABLE: &'static str = "stacks";

    const COLUMNS: &'static [TableColumn<StackColumn>] =
        &[(StackColumn::Id, "id", ColumnType::Long), (StackColumn::Frames, "frames", ColumnType::Texts)];

    fn cell(&self, column: StackColumn) -> RowCell<'_> {
        match column {
            StackColumn::Id => RowCell::Number(Some(self.id)),
            StackColumn::Frames => RowCell::Texts(&self.frames),
        }
    }
}
