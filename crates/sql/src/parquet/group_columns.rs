//! The columns of a group of rows, each encoded by itself.

use super::sorted_rows::{GroupOrder, RowPlace, sorted_places};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::interleave;
use datafusion::arrow::datatypes::FieldRef;
use datafusion::parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};
use datafusion::parquet::errors::{ParquetError, Result};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Threads that encode the columns of a group: what is left when all rows have come keeps no processor idle.
const THREADS: usize = 2;

/// A column that is to be encoded.
struct GroupColumn {
    index: usize,
    field: FieldRef,
    /// One for each of its leaves, as the values of a list are one.
    writers: Vec<ArrowColumnWriter>,
}

/// A group's columns, as they lie in the file.
pub(super) type EncodedGroup = Result<Vec<ArrowColumnChunk>>;

/// What has become of a column, by its place.
type EncodedColumn = (usize, Vec<ArrowColumnChunk>);

/// Encodes rows, in this order.
pub(super) fn encode(
    writers: Vec<ArrowColumnWriter>,
    batches: &[RecordBatch],
    order: GroupOrder,
) -> EncodedGroup {
    let places = (!order.is_empty()).then(|| sorted_places(batches, order)).transpose()?;
    let columns = Mutex::new(columns(writers, batches)?);
    let encode_some = || -> Result<Vec<EncodedColumn>> {
        std::iter::from_fn(|| next(&columns))
            .map(|column| column.encode(batches, places.as_deref()))
            .collect()
    };
    let parts = std::thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS).map(|_| scope.spawn(encode_some)).collect();
        let own = encode_some();
        let joined =
            others.into_iter().map(|other| other.join().unwrap_or_else(|_| Err(wrong("it panicked"))));
        std::iter::once(own).chain(joined).collect::<Result<Vec<_>>>()
    })?;
    let mut encoded: Vec<EncodedColumn> = parts.into_iter().flatten().collect();
    encoded.sort_unstable_by_key(|(index, _)| *index);
    Ok(encoded.into_iter().flat_map(|(_, chunks)| chunks).collect())
}

/// Columns with their writers.
fn columns(writers: Vec<ArrowColumnWriter>, batches: &[RecordBatch]) -> Result<VecDeque<GroupColumn>> {
    let (mut writers, mut columns) = (writers.into_iter(), VecDeque::new());
    let Some(first) = batches.first() else { return Ok(columns) };
    for (index, field) in first.schema().fields().iter().enumerate() {
        let leaves = compute_leaves(field, &first.column(index).slice(0, 0))?.len();
        let writers = writers.by_ref().take(leaves).collect();
        columns.push_back(GroupColumn { index, field: Arc::clone(field), writers });
    }
    Ok(columns)
}

fn next(columns: &Mutex<VecDeque<GroupColumn>>) -> Option<GroupColumn> {
    columns.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

impl GroupColumn {
    fn encode(mut self, batches: &[RecordBatch], places: Option<&[RowPlace]>) -> Result<EncodedColumn> {
        let parts: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(self.index).clone()).collect();
        match places {
            None => parts.iter().try_for_each(|part| self.write(part))?,
            Some(places) => self.write(&sorted(&parts, places)?)?,
        }
        let chunks = self.writers.into_iter().map(ArrowColumnWriter::close).collect::<Result<_>>()?;
        Ok((self.index, chunks))
    }

    fn write(&mut self, values: &ArrayRef) -> Result<()> {
        let leaves = compute_leaves(&self.field, values)?;
        if leaves.len() != self.writers.len() {
            return Err(wrong("a column has no writer"));
        }
        self.writers.iter_mut().zip(&leaves).try_for_each(|(writer, leaf)| writer.write(leaf))
    }
}

/// The values of a column in the order of rows.
fn sorted(parts: &[ArrayRef], places: &[RowPlace]) -> Result<ArrayRef> {
    // Many columns are empty in most traces.
    match parts.first() {
        Some(first) if parts.iter().all(|part| part.null_count() == part.len()) => {
            Ok(new_null_array(first.data_type(), places.len()))
        }
        _ => Ok(interleave(&parts.iter().map(AsRef::as_ref).collect::<Vec<_>>(), places)?),
    }
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}
