//! One of the two tables on its way through the sweep.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use std::sync::Arc;

/// An interval, and where its row is.
#[derive(Debug, Clone)]
pub(super) struct Interval {
    /// Its thread; 0 where intervals of all threads are compared.
    pub(super) tid: i64,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) batch: Arc<RecordBatch>,
    pub(super) row: usize,
}

/// Intervals in the order of threads and times.
pub(super) struct Side {
    stream: SendableRecordBatchStream,
    by_thread: bool,
    current: Option<Current>,
}

struct Current {
    batch: Arc<RecordBatch>,
    tids: Option<ArrayRef>,
    starts: ArrayRef,
    lengths: ArrayRef,
    next: usize,
}

impl Side {
    /// The rows of a stream, which has columns `ts`, `dur`, and `tid` if threads are told apart.
    pub(super) fn new(stream: SendableRecordBatchStream, by_thread: bool) -> Side {
        Side { stream, by_thread, current: None }
    }

    /// The next interval that takes time.
    pub(super) async fn next(&mut self) -> Result<Option<Interval>> {
        loop {
            if let Some(current) = &mut self.current {
                while current.next < current.batch.num_rows() {
                    current.next += 1;
                    if let Some(interval) = current.interval(current.next - 1) {
                        return Ok(Some(interval));
                    }
                }
            }
            let Some(batch) = self.stream.next().await.transpose()? else { return Ok(None) };
            self.current = Some(Current::new(batch, self.by_thread)?);
        }
    }
}

impl Current {
    fn new(batch: RecordBatch, by_thread: bool) -> Result<Current> {
        let column = |name: &str| -> Result<ArrayRef> {
            let place = batch.schema().index_of(name)?;
            Ok(cast(batch.column(place), &DataType::Int64)?)
        };
        let tids = if by_thread { Some(column("tid")?) } else { None };
        let (starts, lengths) = (column("ts")?, column("dur")?);
        Ok(Current { batch: Arc::new(batch), tids, starts, lengths, next: 0 })
    }

    fn interval(&self, row: usize) -> Option<Interval> {
        let number =
            |array: &ArrayRef| array.is_valid(row).then(|| array.as_primitive::<Int64Type>().value(row));
        let tid = self.tids.as_ref().map_or(Some(0), number)?;
        let (start, length) = (number(&self.starts)?, number(&self.lengths)?);
        let end = start.saturating_add(length);
        let batch = || Arc::clone(&self.batch);
        (end > start).then(|| Interval { tid, start, end, batch: batch(), row })
    }
}
