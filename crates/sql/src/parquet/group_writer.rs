//! A file of Parquet of which two groups of rows are encoded at the same time.

use super::GROUP;
use super::group_columns::{EncodedGroup, encode};
use super::sorted_rows::GroupOrder;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::arrow::arrow_writer::ArrowRowGroupWriterFactory;
use datafusion::parquet::file::metadata::KeyValue;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::parquet::file::writer::SerializedFileWriter;
use futures::StreamExt;
use std::collections::VecDeque;
use std::fs::File;
use tokio::task::JoinHandle;

/// Groups that are encoded while the rows of the next one come: what is in memory at a time.
const ENCODED_AT_ONCE: usize = 2;

/// Keys with values, which a file says about its table.
pub type FileNotes = Vec<(String, String)>;

/// Writes rows to a file as they come, each group in this order, and then what is to be noted. How many rows
/// there are.
pub async fn write(
    mut rows: SendableRecordBatchStream,
    order: GroupOrder,
    properties: WriterProperties,
    notes: impl FnOnce() -> FileNotes,
    out: File,
) -> Result<u64> {
    let mut writer = GroupWriter::new(out, rows.schema(), order, properties)?;
    let mut count = 0;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        count += batch.num_rows() as u64;
        writer.push(batch).await?;
    }
    writer.finish(notes).await?;
    Ok(count)
}

/// Collects rows until they are a group.
struct GroupWriter {
    file: SerializedFileWriter<File>,
    columns: ArrowRowGroupWriterFactory,
    order: GroupOrder,
    /// The rows of the next group.
    batches: Vec<RecordBatch>,
    rows: usize,
    /// Groups before that, the first one first.
    encoded: VecDeque<JoinHandle<EncodedGroup>>,
    /// How many groups there are.
    groups: usize,
}

impl GroupWriter {
    fn new(
        out: File,
        schema: SchemaRef,
        order: GroupOrder,
        properties: WriterProperties,
    ) -> Result<GroupWriter> {
        let writer = ArrowWriter::try_new(out, schema, Some(properties))?;
        let (file, columns) = writer.into_serialized_writer()?;
        let (batches, encoded) = (Vec::new(), VecDeque::new());
        Ok(GroupWriter { file, columns, order, batches, rows: 0, encoded, groups: 0 })
    }

    async fn push(&mut self, mut batch: RecordBatch) -> Result<()> {
        while self.rows + batch.num_rows() >= GROUP {
            let fitting = GROUP - self.rows;
            self.batches.push(batch.slice(0, fitting));
            batch = batch.slice(fitting, batch.num_rows() - fitting);
            self.end_group().await?;
        }
        if batch.num_rows() > 0 {
            self.rows += batch.num_rows();
            self.batches.push(batch);
        }
        Ok(())
    }

    async fn end_group(&mut self) -> Result<()> {
        if self.encoded.len() == ENCODED_AT_ONCE {
            self.write_first().await?;
        }
        self.rows = 0;
        let (order, batches) = (self.order, std::mem::take(&mut self.batches));
        let writers = self.columns.create_column_writers(self.groups)?;
        self.groups += 1;
        self.encoded.push_back(tokio::task::spawn_blocking(move || encode(writers, &batches, order)));
        Ok(())
    }

    /// Writes the first of the groups that are encoded.
    async fn write_first(&mut self) -> Result<()> {
        let Some(group) = self.encoded.pop_front() else { return Ok(()) };
        let chunks = group.await.map_err(|error| DataFusionError::External(error.into()))??;
        let mut group = self.file.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close()?;
        Ok(())
    }

    /// Writes what is left.
    async fn finish(mut self, notes: impl FnOnce() -> FileNotes) -> Result<()> {
        if !self.batches.is_empty() {
            self.end_group().await?;
        }
        while !self.encoded.is_empty() {
            self.write_first().await?;
        }
        for (key, value) in notes() {
            self.file.append_key_value_metadata(KeyValue::new(key, value));
        }
        self.file.close()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::properties;
    use super::*;
    use datafusion::arrow::array::{Array, AsArray, Int64Array, ListArray};
    use datafusion::arrow::datatypes::{DataType, Field, Int64Type, Schema};
    use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
    use std::sync::Arc;

    /// Numbers, and each of them in a list.
    fn batch(numbers: std::ops::Range<usize>) -> RecordBatch {
        let numbers = Int64Array::from_iter_values(numbers.map(|number| number as i64));
        let lists = numbers.iter().map(|number| Some([number]));
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(lists);
        let field = |name, kind: &DataType| Field::new(name, kind.clone(), true);
        let kinds = [field("number", &DataType::Int64), field("list", lists.data_type())];
        let schema = Arc::new(Schema::new(kinds.to_vec()));
        RecordBatch::try_new(schema, vec![Arc::new(numbers), Arc::new(lists)]).unwrap()
    }

    /// Writes this many rows, in batches of that many, and reads them back: the sizes of groups, and rows.
    async fn written(count: usize, step: usize) -> (Vec<i64>, Vec<RecordBatch>) {
        let file = tempfile::tempfile().unwrap();
        let batches = (0..count).step_by(step).map(|from| Ok(batch(from..count.min(from + step))));
        let schema = batch(0..0).schema();
        let rows = Box::pin(RecordBatchStreamAdapter::new(
            schema.clone(),
            futures::stream::iter(batches.collect::<Vec<_>>()),
        ));
        let notes = || vec![("key".to_owned(), "value".to_owned())];
        let out = file.try_clone().unwrap();
        assert_eq!(
            write(rows, &[], properties(&schema, &["number"]), notes, out).await.unwrap(),
            count as u64
        );
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let noted = reader.metadata().file_metadata().key_value_metadata().unwrap();
        assert!(noted.contains(&KeyValue::new("key".to_owned(), "value".to_owned())));
        let groups = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        (groups, reader.build().unwrap().map(Result::unwrap).collect())
    }

    #[tokio::test]
    async fn groups_are_full_and_in_order() {
        const G: usize = GROUP;
        let lengths = [(0, 1), (5, 8), (G, G), (G, 1000), (4 * G + 7, 50_000), (2 * G + 1, 2 * G + 1)];
        for (count, step) in lengths {
            let (groups, rows) = written(count, step).await;
            let full = std::iter::repeat_n(G as i64, count / G);
            let rest = (!count.is_multiple_of(G)).then_some((count % G) as i64);
            assert_eq!(groups, full.chain(rest).collect::<Vec<_>>(), "{count}");
            let numbers = rows.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values());
            assert!(numbers.copied().eq(0..count as i64), "{count}");
            let lists = rows.iter().map(|batch| batch.column(1).as_list::<i32>().values().clone());
            let listed: Vec<i64> =
                lists.flat_map(|list| list.as_primitive::<Int64Type>().values().to_vec()).collect();
            assert!(listed.into_iter().eq(0..count as i64), "{count}");
        }
    }
}
