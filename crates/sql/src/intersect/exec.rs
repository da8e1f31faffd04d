//! The sweep as a step of the engine's.

use super::side::Side;
use super::sweep::{ColumnOrigin, Sweep};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::col;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexRequirement, OrderingRequirements, Partitioning, PhysicalExpr,
    PhysicalSortRequirement,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use std::fmt;
use std::sync::Arc;

/// Sweeps over two inputs.
#[derive(Debug)]
pub(super) struct IntersectExec {
    first: Arc<dyn ExecutionPlan>,
    second: Arc<dyn ExecutionPlan>,
    by_thread: bool,
    origins: Arc<[ColumnOrigin]>,
    properties: Arc<PlanProperties>,
}

/// Batches that wait for the engine.
const WAITING: usize = 2;

impl IntersectExec {
    /// Of these inputs; a thread's intervals with its own, if `by_thread`.
    pub(super) fn new(
        first: Arc<dyn ExecutionPlan>,
        second: Arc<dyn ExecutionPlan>,
        by_thread: bool,
        schema: SchemaRef,
        origins: Arc<[ColumnOrigin]>,
    ) -> IntersectExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        IntersectExec { first, second, by_thread, origins, properties: Arc::new(properties) }
    }

    /// Both are sorted by thread and time.
    fn order(&self, input: &Arc<dyn ExecutionPlan>) -> Option<OrderingRequirements> {
        let schema = input.schema();
        let names: &[&str] = if self.by_thread { &["tid", "ts"] } else { &["ts"] };
        let by = |name: &&str| Some(PhysicalSortRequirement::new(col(name, &schema).ok()?, None));
        let order = LexRequirement::new(names.iter().filter_map(by))?;
        Some(OrderingRequirements::new(order))
    }
}

impl DisplayAs for IntersectExec {
    fn fmt_as(&self, _kind: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IntersectExec: a sweep over both")
    }
}

impl ExecutionPlan for IntersectExec {
    fn name(&self) -> &str {
        "IntersectExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition; 2])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order(&self.first), self.order(&self.second)]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.first, &self.second]
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
        let [first, second] = children.as_slice() else {
            return internal_err!("a sweep has two inputs");
        };
        let (first, second) = (Arc::clone(first), Arc::clone(second));
        let origins = Arc::clone(&self.origins);
        Ok(Arc::new(IntersectExec::new(first, second, self.by_thread, self.schema(), origins)))
    }

    fn execute(&self, _partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let side = |input: &Arc<dyn ExecutionPlan>| -> Result<Side> {
            Ok(Side::new(input.execute(0, Arc::clone(&context))?, self.by_thread))
        };
        let (first, second) = (side(&self.first)?, side(&self.second)?);
        let mut builder = RecordBatchReceiverStream::builder(self.schema(), WAITING);
        let sweep = Sweep::new(self.schema(), Arc::clone(&self.origins), builder.tx());
        builder.spawn(sweep.run(first, second));
        Ok(builder.build())
    }
}
