//! Rows on their way from a pass over all records to whoever wants them.

use super::{RowBatch, TableRow, schema_of};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use std::io;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Batches that wait for whoever takes them.
const WAITING: usize = 4;

/// Takes the rows of a table, from a thread that may wait.
#[derive(Debug)]
pub struct RowSender<C> {
    batch: RowBatch<C>,
    out: Option<Sender<RecordBatch>>,
}

/// The rows of a table, as they come.
#[derive(Debug)]
pub struct RowReceiver {
    schema: SchemaRef,
    rows: Receiver<RecordBatch>,
}

/// The two ends of a table's rows.
pub fn row_channel<R: TableRow>() -> (RowSender<R::Column>, RowReceiver) {
    let (out, rows) = channel(WAITING);
    let sender = RowSender { batch: RowBatch::new::<R>(), out: Some(out) };
    (sender, RowReceiver { schema: schema_of::<R>(), rows })
}

impl<C: Copy + 'static> RowSender<C> {
    /// For rows that nobody wants.
    pub fn to_nobody<R: TableRow<Column = C>>() -> RowSender<C> {
        RowSender { batch: RowBatch::new::<R>(), out: None }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &impl TableRow<Column = C>) -> io::Result<()> {
        if self.out.is_some() && self.batch.push(row) { self.send() } else { Ok(()) }
    }

    /// Hands on what is left.
    pub fn finish(mut self) -> io::Result<()> {
        if self.batch.is_empty() { Ok(()) } else { self.send() }
    }

    fn send(&mut self) -> io::Result<()> {
        let batch = self.batch.take().map_err(io::Error::other)?;
        let Some(out) = &self.out else { return Ok(()) };
        // Whoever took them has ended early, and says why.
        out.blocking_send(batch).map_err(|_| io::Error::other("nobody takes the table's rows"))
    }
}

impl RowReceiver {
    /// The rows as a stream.
    pub fn into_stream(self) -> SendableRecordBatchStream {
        let RowReceiver { schema, mut rows } = self;
        let rows = futures::stream::poll_fn(move |context| {
            rows.poll_recv(context).map(|batch| batch.map(Result::Ok))
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}
