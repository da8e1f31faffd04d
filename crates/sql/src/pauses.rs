//! Joins, and lists that become rows, give way to other tasks between what they produce, which may be much of
//! few rows: else nobody could end a query that has one, as the engine gives way only where rows come from.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PiecewiseMergeJoinExec, SortMergeJoinExec,
};
use datafusion::physical_plan::unnest::UnnestExec;
use std::sync::Arc;

/// Has such steps of a plan give way.
#[derive(Debug)]
pub struct PausingSteps;

impl PhysicalOptimizerRule for PausingSteps {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let pausing = |node: Arc<dyn ExecutionPlan>| {
            Ok(match multiplies(&node) {
                true => Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>),
                false => Transformed::no(node),
            })
        };
        plan.transform_up(pausing).data()
    }

    fn name(&self) -> &str {
        "PausingSteps"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether a step may produce many rows of each.
fn multiplies(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<NestedLoopJoinExec>()
        || node.is::<CrossJoinExec>()
        || node.is::<HashJoinExec>()
        || node.is::<SortMergeJoinExec>()
        || node.is::<PiecewiseMergeJoinExec>()
        || node.is::<UnnestExec>()
}
