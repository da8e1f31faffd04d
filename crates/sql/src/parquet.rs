//! Tables as files of Parquet.

mod group_columns;
mod group_writer;
mod sorted_rows;

pub use group_writer::{FileNotes, write};
pub use sorted_rows::GroupOrder;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::file::metadata::SortingColumn;
use datafusion::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use datafusion::parquet::schema::types::ColumnPath;

/// Rows of a group: enough that columns compress, and few enough that a window of time needs few groups.
const GROUP: usize = 128 * 1024;

/// Columns whose values go up: differences of neighbours are short.
const RISING: [&str; 3] = ["ts", "id", "parent"];

/// Columns whose values are of the same size: their upper bytes compress well together.
const SIMILAR: [&str; 2] = ["dur", "self"];

/// Columns that queries look for one value in.
const SOUGHT: [&str; 1] = ["path"];

/// How a table is written, which is sorted by these columns as a whole.
pub fn properties(schema: &SchemaRef, sorted: &[&str]) -> WriterProperties {
    let place = |name: &&str| schema.index_of(name).ok();
    let by = |place: usize| SortingColumn { column_idx: place as i32, descending: false, nulls_first: false };
    let sorting: Vec<SortingColumn> = sorted.iter().filter_map(place).map(by).collect();
    let level = ZstdLevel::try_new(3).unwrap_or_default();
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP))
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting));
    schema
        .fields()
        .iter()
        .fold(builder, |builder, field| column(builder, field.name(), field.data_type()))
        .build()
}

fn column(builder: WriterPropertiesBuilder, name: &str, kind: &DataType) -> WriterPropertiesBuilder {
    let path = ColumnPath::from(name);
    let encoding = match name {
        _ if *kind != DataType::Int64 => None,
        name if RISING.contains(&name) => Some(Encoding::DELTA_BINARY_PACKED),
        name if SIMILAR.contains(&name) => Some(Encoding::BYTE_STREAM_SPLIT),
        _ => None,
    };
    if let Some(encoding) = encoding {
        let builder = builder.set_column_dictionary_enabled(path.clone(), false);
        return builder.set_column_encoding(path, encoding);
    }
    match SOUGHT.contains(&name) {
        true => builder.set_column_bloom_filter_enabled(path, true),
        false => builder,
    }
}

/// The file of a table.
pub fn file_name(table: &str) -> String {
    format!("{table}.parquet")
}
