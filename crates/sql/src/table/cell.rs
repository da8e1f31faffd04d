//! What is in a column.

use datafusion::arrow::array::{
    ArrayBuilder, ArrayRef, Int32Builder, Int64Builder, ListBuilder, StringBuilder, new_null_array,
};
use datafusion::arrow::datatypes::{DataType, Field};
use std::sync::Arc;

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Numbers of 64 bits: times, lengths, results.
    Long,
    /// Numbers of 32 bits: threads, CPUs, errors.
    Int,
    /// Strings.
    Text,
    /// Lists of strings.
    Texts,
}

/// What a row has in a column.
#[derive(Debug)]
pub enum RowCell<'a> {
    /// A number.
    Number(Option<i64>),
    /// A string.
    Text(Option<&'a str>),
    /// Strings.
    Texts(&'a [Arc<str>]),
}

impl RowCell<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, RowCell::Number(None) | RowCell::Text(None))
    }
}

impl ColumnType {
    /// Its type in Arrow.
    pub fn data_type(self) -> DataType {
        match self {
            ColumnType::Long => DataType::Int64,
            ColumnType::Int => DataType::Int32,
            ColumnType::Text => DataType::Utf8,
            ColumnType::Texts => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
        }
    }
}

/// Collects a column.
#[derive(Debug)]
pub(super) struct ColumnBuilder {
    kind: ColumnType,
    values: ValueBuilder,
    /// Rows after the last value. Most columns are empty in most rows: these are added together.
    empty: usize,
}

impl ColumnBuilder {
    /// For so many rows.
    pub(super) fn new(kind: ColumnType, rows: usize) -> ColumnBuilder {
        ColumnBuilder { kind, values: ValueBuilder::new(kind, rows, 0), empty: 0 }
    }

    /// Adds what a row has there; nothing where that is of another kind.
    #[inline]
    pub(super) fn push(&mut self, cell: &RowCell<'_>) {
        if cell.is_empty() {
            self.empty += 1;
        } else {
            self.add_empty();
            self.values.append(cell);
        }
    }

    /// The column. What it collects next is of about the same size.
    pub(super) fn finish(&mut self, rows: usize) -> ArrayRef {
        if self.values.is_empty() {
            return new_null_array(&self.kind.data_type(), std::mem::take(&mut self.empty));
        }
        self.add_empty();
        self.values.finish(rows)
    }

    fn add_empty(&mut self) {
        if self.empty > 0 {
            self.values.append_empty(std::mem::take(&mut self.empty));
        }
    }
}

/// What is in a column so far.
#[derive(Debug)]
enum ValueBuilder {
    Long(Int64Builder),
    Int(Int32Builder),
    Text(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
}

impl ValueBuilder {
    fn new(kind: ColumnType, rows: usize, bytes: usize) -> ValueBuilder {
        let text = |bytes| StringBuilder::with_capacity(rows, bytes);
        match kind {
            ColumnType::Long => ValueBuilder::Long(Int64Builder::with_capacity(rows)),
            ColumnType::Int => ValueBuilder::Int(Int32Builder::with_capacity(rows)),
            ColumnType::Text => ValueBuilder::Text(text(bytes)),
            ColumnType::Texts => ValueBuilder::Texts(ListBuilder::with_capacity(text(0), rows)),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            ValueBuilder::Long(builder) => builder.is_empty(),
            ValueBuilder::Int(builder) => builder.is_empty(),
            ValueBuilder::Text(builder) => builder.is_empty(),
            ValueBuilder::Texts(builder) => builder.is_empty(),
        }
    }

    #[inline]
    fn append(&mut self, cell: &RowCell<'_>) {
        match (self, cell) {
            (ValueBuilder::Long(builder), RowCell::Number(number)) => builder.append_option(*number),
            (ValueBuilder::Int(builder), RowCell::Number(number)) => {
                builder.append_option(number.and_then(|number| i32::try_from(number).ok()));
            }
            (ValueBuilder::Text(builder), RowCell::Text(text)) => builder.append_option(*text),
            (ValueBuilder::Texts(builder), RowCell::Texts(texts)) => {
                texts.iter().for_each(|text| builder.values().append_value(text));
                builder.append(true);
            }
            (builder, _) => builder.append_empty(1),
        }
    }

    fn append_empty(&mut self, rows: usize) {
        match self {
            ValueBuilder::Long(builder) => builder.append_nulls(rows),
            ValueBuilder::Int(builder) => builder.append_nulls(rows),
            ValueBuilder::Text(builder) => builder.append_nulls(rows),
            ValueBuilder::Texts(builder) => (0..rows).for_each(|_| builder.append(false)),
        }
    }

    fn finish(&mut self, rows: usize) -> ArrayRef {
        let next = match self {
            ValueBuilder::Long(_) => ValueBuilder::new(ColumnType::Long, rows, 0),
            ValueBuilder::Int(_) => ValueBuilder::new(ColumnType::Int, rows, 0),
            ValueBuilder::Text(builder) => {
                ValueBuilder::new(ColumnType::Text, rows, builder.values_slice().len())
            }
            ValueBuilder::Texts(_) => ValueBuilder::new(ColumnType::Texts, rows, 0),
        };
        match std::mem::replace(self, next) {
            ValueBuilder::Long(mut builder) => Arc::new(builder.finish()),
            ValueBuilder::Int(mut builder) => Arc::new(builder.finish()),
            ValueBuilder::Text(mut builder) => Arc::new(builder.finish()),
            ValueBuilder::Texts(mut builder) => Arc::new(builder.finish()),
        }
    }
}
