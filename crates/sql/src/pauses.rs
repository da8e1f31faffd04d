//! Joins of all rows with all others give way to other tasks between what they produce: else nobody could end
//! a query that has one, as the engine gives way only where rows come from.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{CrossJoinExec, NestedLoopJoinExec};
use std::sync::Arc;

/// Has such joins in a plan give way.
#[derive(Debug)]
pub struct PausingJoins;

impl PhysicalOptimizerRule for PausingJoins {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let pausing = |node: Arc<dyn ExecutionPlan>| {
            Ok(match node.is::<NestedLoopJoinExec>() || node.is::<CrossJoinExec>() {
                true => Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>),
                false => Transformed::no(node),
            })
        };
        plan.transform_up(pausing).data()
    }

    fn name(&self) -> &str {
        "PausingJoins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
