//! The records of a CPU on their way to the engine.

use super::filter::EventFilter;
use super::row::{EventColumn, EventRow};
use crate::table::RowBatch;
use crate::told::ToldReader;
use crate::trace::AskedTrace;
use convert::ShownFields;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;
use foldhash::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;
use trace_data::info::TraceInfo;
use trace_data::record::{Record, Records};

/// The records of a CPU, as far as a query wants them.
#[derive(Debug)]
pub(super) struct EventScan {
    pub(super) trace: Arc<AskedTrace>,
    /// Which CPU of those that the trace has.
    pub(super) stream: usize,
    pub(super) filter: Arc<EventFilter>,
    pub(super) projection: Arc<[usize]>,
    pub(super) schema: SchemaRef,
}

/// Batches that wait for the engine.
const WAITING: usize = 2;

/// After so many records it is looked whether anybody waits for them.
const LOOKED: u64 = 4096;

impl PartitionStream for EventScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStream::builder(self.schema.clone(), WAITING);
        let (trace, filter) = (Arc::clone(&self.trace), Arc::clone(&self.filter));
        let (stream, projection, out) = (self.stream, Arc::clone(&self.projection), builder.tx());
        builder.spawn_blocking(move || scan(&trace, stream, &filter, &projection, &out));
        builder.build()
    }
}

/// What becomes of records.
struct EventCollector<'a> {
    trace: &'a TraceInfo<'a>,
    batch: RowBatch<EventColumn>,
    is_told: bool,
    shapes: HashMap<u16, ShownFields>,
    /// How many fields have been given a place.
    places: usize,
    told: ToldReader,
    row: EventRow<'a>,
}

fn scan(
    trace: &AskedTrace,
    stream: usize,
    filter: &EventFilter,
    projection: &[usize],
    out: &Sender<Result<RecordBatch>>,
) -> Result<()> {
    let symbols = trace.symbols();
    let contents = &trace.contents;
    let info = contents.info(&symbols);
    let ids = filter.ids(info.events);
    let batch = RowBatch::of::<EventRow<'_>>(projection)?;
    let is_told = batch.columns().any(EventColumn::is_told);
    let (shapes, told) = (HashMap::default(), ToldReader::default());
    let mut reader =
        EventCollector { trace: &info, batch, is_told, shapes, places: 0, told, row: EventRow::default() };
    trace.with_buffer(|buffer| {
        let Some(mut records) = buffer.records_of(stream, contents) else { return Ok(()) };
        for read in 1_u64.. {
            // A query may be over where nothing is found.
            if read.is_multiple_of(LOOKED) && out.is_closed() {
                return Ok(());
            }
            let record = match records.next() {
                Ok(Some(record)) if !filter.ends_before(record.time) => record,
                // What can be read of a damaged file is shown.
                Err(error) => {
                    trace.complain(&error);
                    break;
                }
                Ok(_) => break,
            };
            if filter.wants(&record, ids.as_ref())
                && reader.add(&record)
                && out.blocking_send(Ok(reader.batch.take()?)).is_err()
            {
                return Ok(());
            }
        }
        if !reader.batch.is_empty() {
            // Nobody waits for it where that fails.
            let _ = out.blocking_send(Ok(reader.batch.take()?));
        }
        Ok(())
    })?
}

impl<'a> EventCollector<'a> {
    /// Takes a record. Whether the batch is full.
    fn add(&mut self, record: &Record<'_>) -> bool {
        let Some(event) = self.trace.events.get(record.id()) else { return false };
        let (tid, tasks) = (record.pid(), self.trace.tasks);
        let format = event.format();
        let row = &mut self.row;
        (row.time, row.cpu, row.tid) = (record.time, record.cpu, tid);
        (row.pid, row.comm) = (tasks.tgid(tid), tasks.comm(tid));
        (row.system, row.name) = (&format.system, &format.name);
        if self.is_told {
            let events = self.trace.events;
            let shape = self
                .shapes
                .entry(record.id())
                .or_insert_with(|| ShownFields::of(event, events, &mut self.places));
            row.told.clear();
            row.told.add(&shape.read(record.payload), &mut self.told, self.trace);
            row.told.close();
        }
        self.batch.push(row)
    }
}
