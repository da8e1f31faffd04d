//! What is in a column.

use datafusion::arrow::array::{ArrayRef, Int32Builder, Int64Builder, ListBuilder, StringBuilder};
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
pub(super) enum ColumnBuilder {
    Long(Int64Builder),
    Int(Int32Builder),
    Text(StringBuilder),
    Texts(ListBuilder<StringBuilder>),
}

impl ColumnBuilder {
    /// For so many rows.
    pub(super) fn new(kind: ColumnType, rows: usize) -> ColumnBuilder {
        let text = |bytes| StringBuilder::with_capacity(rows, bytes);
        match kind {
            ColumnType::Long => ColumnBuilder::Long(Int64Builder::with_capacity(rows)),
            ColumnType::Int => ColumnBuilder::Int(Int32Builder::with_capacity(rows)),
            ColumnType::Text => ColumnBuilder::Text(text(0)),
            ColumnType::Texts => ColumnBuilder::Texts(ListBuilder::with_capacity(text(0), rows)),
        }
    }

    /// Adds what a row has there; nothing where that is of another kind.
    pub(super) fn push(&mut self, cell: &RowCell<'_>) {
        match (self, cell) {
            (ColumnBuilder::Long(builder), RowCell::Number(number)) => builder.append_option(*number),
            (ColumnBuilder::Int(builder), RowCell::Number(number)) => {
                builder.append_option(number.and_then(|number| i32::try_from(number).ok()));
            }
            (ColumnBuilder::Text(builder), RowCell::Text(text)) => builder.append_option(*text),
            (ColumnBuilder::Texts(builder), RowCell::Texts(texts)) => {
                texts.iter().for_each(|text| builder.values().append_value(text));
                builder.append(true);
            }
            (ColumnBuilder::Long(builder), _) => builder.append_null(),
            (ColumnBuilder::Int(builder), _) => builder.append_null(),
            (ColumnBuilder::Text(builder), _) => builder.append_null(),
            (ColumnBuilder::Texts(builder), _) => builder.append(false),
        }
    }

    /// The column. What it collects next is of about the same size.
    pub(super) fn finish(&mut self, rows: usize) -> ArrayRef {
        match self {
            ColumnBuilder::Long(builder) => {
                Arc::new(std::mem::replace(builder, Int64Builder::with_capacity(rows)).finish())
            }
            ColumnBuilder::Int(builder) => {
                Arc::new(std::mem::replace(builder, Int32Builder::with_capacity(rows)).finish())
            }
            ColumnBuilder::Text(builder) => {
                let next = StringBuilder::with_capacity(rows, builder.values_slice().len());
                Arc::new(std::mem::replace(builder, next).finish())
            }
            ColumnBuilder::Texts(builder) => Arc::new(builder.finish()),
        }
    }
}
