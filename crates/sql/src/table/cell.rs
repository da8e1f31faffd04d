//! What is in a column.

use datafusion::arrow::array::{
    ArrayBuilder, ArrayRef, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
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
    pub(super) fn new(kind: ColumnType) -> ColumnBuilder {
        match kind {
            ColumnType::Long => ColumnBuilder::Long(Int64Builder::new()),
            ColumnType::Int => ColumnBuilder::Int(Int32Builder::new()),
            ColumnType::Text => ColumnBuilder::Text(StringBuilder::new()),
            ColumnType::Texts => ColumnBuilder::Texts(ListBuilder::new(StringBuilder::new())),
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

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Long(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Int(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Text(builder) => ArrayBuilder::finish(builder),
            ColumnBuilder::Texts(builder) => ArrayBuilder::finish(builder),
        }
    }
}
