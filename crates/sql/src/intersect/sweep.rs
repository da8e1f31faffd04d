//! The sweep: which intervals of two tables overlap, thread by thread.

use super::side::{Interval, Side};
use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::compute::interleave;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use foldhash::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// Overlaps of a batch.
const FULL: usize = 8192;

/// Which column of which table a column of the result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnOrigin {
    /// Where the overlap begins.
    Start,
    /// How long it is.
    Length,
    /// A column of the first table.
    First(usize),
    /// A column of the second one.
    Second(usize),
}

/// Intervals that overlap.
struct Overlap {
    start: i64,
    end: i64,
    first: Interval,
    second: Interval,
}

/// Finds overlaps, and sends them on.
pub(super) struct Sweep {
    schema: SchemaRef,
    origins: Arc<[ColumnOrigin]>,
    found: Vec<Overlap>,
    out: Sender<Result<RecordBatch>>,
}

impl Sweep {
    /// Sends batches with these columns.
    pub(super) fn new(
        schema: SchemaRef,
        origins: Arc<[ColumnOrigin]>,
        out: Sender<Result<RecordBatch>>,
    ) -> Sweep {
        Sweep { schema, origins, found: Vec::new(), out }
    }

    /// Sweeps over both.
    pub(super) async fn run(mut self, mut one: Side, mut other: Side) -> Result<()> {
        // Of each side, those that have not ended.
        let (mut firsts, mut seconds): (Vec<Interval>, Vec<Interval>) = (Vec::new(), Vec::new());
        let mut tid = None;
        let (mut first, mut second) = (one.next().await?, other.next().await?);
        loop {
            let is_first = match (&first, &second) {
                (Some(first), Some(second)) => (first.tid, first.start) <= (second.tid, second.start),
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let Some(next) = (if is_first { first.take() } else { second.take() }) else { break };
            if tid != Some(next.tid) {
                tid = Some(next.tid);
                firsts.clear();
                seconds.clear();
            }
            let (same, opposite) =
                if is_first { (&mut firsts, &mut seconds) } else { (&mut seconds, &mut firsts) };
            opposite.retain(|interval| interval.end > next.start);
            for interval in opposite.iter() {
                let (start, end) = (next.start, next.end.min(interval.end));
                let (first, second) = if is_first {
                    (next.clone(), interval.clone())
                } else {
                    (interval.clone(), next.clone())
                };
                self.found.push(Overlap { start, end, first, second });
            }
            same.push(next);
            if self.found.len() >= FULL && !self.send().await? {
                return Ok(());
            }
            // Without anyone of the other side, what is open here would never be looked through.
            if same.len().is_multiple_of(FULL) {
                let now = same.last().map_or(0, |interval| interval.start);
                same.retain(|interval| interval.end > now);
            }
            match is_first {
                true => first = one.next().await?,
                false => second = other.next().await?,
            }
        }
        self.send().await.map(drop)
    }

    /// Sends what was found. Whether anybody waits for more.
    async fn send(&mut self) -> Result<bool> {
        if self.found.is_empty() {
            return Ok(true);
        }
        let batch = self.batch()?;
        self.found.clear();
        Ok(self.out.send(Ok(batch)).await.is_ok())
    }

    fn batch(&self) -> Result<RecordBatch> {
        let (firsts, seconds) = (
            Places::new(self.found.iter().map(|overlap| &overlap.first)),
            Places::new(self.found.iter().map(|overlap| &overlap.second)),
        );
        let numbers = |number: fn(&Overlap) -> i64| -> ArrayRef {
            Arc::new(self.found.iter().map(number).collect::<Int64Array>())
        };
        let column = |origin: &ColumnOrigin| match *origin {
            ColumnOrigin::Start => Ok(numbers(|overlap| overlap.start)),
            ColumnOrigin::Length => Ok(numbers(|overlap| overlap.end - overlap.start)),
            ColumnOrigin::First(place) => firsts.column(place),
            ColumnOrigin::Second(place) => seconds.column(place),
        };
        let columns = self.origins.iter().map(column).collect::<Result<Vec<_>>>()?;
        Ok(RecordBatch::try_new(self.schema.clone(), columns)?)
    }
}

/// Rows of several batches.
struct Places {
    batches: Vec<Arc<RecordBatch>>,
    rows: Vec<(usize, usize)>,
}

impl Places {
    fn new<'a>(intervals: impl Iterator<Item = &'a Interval>) -> Places {
        let (mut batches, mut known) = (Vec::new(), HashMap::default());
        let place = |interval: &Interval| {
            let number = *known.entry(Arc::as_ptr(&interval.batch)).or_insert_with(|| {
                batches.push(Arc::clone(&interval.batch));
                batches.len() - 1
            });
            (number, interval.row)
        };
        let rows = intervals.map(place).collect();
        Places { batches, rows }
    }

    fn column(&self, place: usize) -> Result<ArrayRef> {
        let arrays: Vec<&dyn Array> = self.batches.iter().map(|batch| batch.column(place).as_ref()).collect();
        Ok(interleave(&arrays, &self.rows)?)
    }
}
