//! The input of a step that works long on few rows.

use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use std::fmt;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// How long whoever takes the rows works before other tasks have their turn.
const TURN: Duration = Duration::from_millis(20);

/// Hands on rows, and gives way to other tasks by time: the engine itself does so by numbers of batches, each
/// of which may take a window as long as all before it.
#[derive(Debug)]
pub(super) struct PausingInput(pub(super) Arc<dyn ExecutionPlan>);

impl DisplayAs for PausingInput {
    fn fmt_as(&self, _kind: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PausingInput")
    }
}

impl ExecutionPlan for PausingInput {
    fn name(&self) -> &str {
        "PausingInput"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.0.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.0]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.as_slice() {
            [input] => Ok(Arc::new(PausingInput(Arc::clone(input)))),
            _ => internal_err!("a pause is in one input"),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut rows = self.0.execute(partition, context)?;
        let mut began = Instant::now();
        let pausing = futures::stream::poll_fn(move |context| {
            if began.elapsed() >= TURN {
                began = Instant::now();
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let next = rows.poll_next_unpin(context);
            if next.is_pending() {
                began = Instant::now();
            }
            next
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), pausing)))
    }
}
