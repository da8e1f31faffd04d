//! Tables as files of Parquet.

use crate::table::{RowBatch, TableRow, schema_of};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{Compression, Encoding, ZstdLevel};
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{KeyValue, SortingColumn};
use datafusion::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use datafusion::parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Rows of a group: enough that columns compress, and few enough that a window of time needs few groups.
const GROUP: usize = 128 * 1024;

/// Columns whose values go up: differences of neighbours are short.
const RISING: [&str; 3] = ["ts", "id", "parent"];

/// Columns whose values are of the same size: their upper bytes compress well together.
const SIMILAR: [&str; 2] = ["dur", "self"];

/// Columns that queries look for one value in.
const SOUGHT: [&str; 1] = ["path"];

/// How a table is written: sorted by these columns, and with notes about the trace.
pub fn properties(schema: &SchemaRef, sorted: &[&str], notes: Vec<(String, String)>) -> WriterProperties {
    let place = |name: &&str| schema.index_of(name).ok();
    let by = |place: usize| SortingColumn { column_idx: place as i32, descending: false, nulls_first: false };
    let sorting: Vec<SortingColumn> = sorted.iter().filter_map(place).map(by).collect();
    let notes = notes.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    let level = ZstdLevel::try_new(3).unwrap_or_default();
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(GROUP))
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting))
        .set_key_value_metadata(Some(notes));
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

/// Writes rows to a file, which a thread of its own compresses.
#[derive(Debug)]
pub struct TableWriter<C> {
    batch: RowBatch<C>,
    out: SyncSender<RecordBatch>,
    writer: JoinHandle<Result<(), ParquetError>>,
}

/// Batches that wait for the writer.
const WAITING: usize = 4;

impl<C: Copy + 'static> TableWriter<C> {
    /// Writes the table to its file in a directory.
    pub fn create<R: TableRow<Column = C>>(directory: &Path) -> io::Result<TableWriter<C>> {
        let file = File::create(directory.join(file_name(R::TABLE)))?;
        let schema = schema_of::<R>();
        let properties = properties(&schema, &[], Vec::new());
        let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(io::Error::other)?;
        let (out, batches) = sync_channel::<RecordBatch>(WAITING);
        let write = move || {
            batches.into_iter().try_for_each(|batch| writer.write(&batch))?;
            writer.close().map(drop)
        };
        Ok(TableWriter { batch: RowBatch::new::<R>(), out, writer: std::thread::spawn(write) })
    }

    /// Adds a row.
    pub fn push(&mut self, row: &impl TableRow<Column = C>) -> io::Result<()> {
        if self.batch.push(row) { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> io::Result<()> {
        let batch = self.batch.take().map_err(io::Error::other)?;
        // The thread has ended early: `finish` says why.
        self.out.send(batch).map_err(|_| io::Error::other("the table can't be written"))
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        let sent = if self.batch.is_empty() { Ok(()) } else { self.send() };
        drop(self.out);
        let written = self.writer.join().map_err(|_| io::Error::other("the table's writer has failed"))?;
        written.map_err(io::Error::other).and(sent)
    }
}

/// The file of a table.
pub fn file_name(table: &str) -> String {
    format!("{table}.parquet")
}

/// Writes batches to a file as they come.
pub struct BatchWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    rows: u64,
}

impl<W: Write + Send> BatchWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W, schema: SchemaRef, properties: WriterProperties) -> Result<Self, ParquetError> {
        Ok(BatchWriter { writer: ArrowWriter::try_new(out, schema, Some(properties))?, rows: 0 })
    }

    /// Adds rows.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.rows += batch.num_rows() as u64;
        self.writer.write(batch)
    }

    /// Writes the end. How many rows there are.
    pub fn finish(self) -> Result<u64, ParquetError> {
        self.writer.close().map(|_| self.rows)
    }
}
