//! Joins, and lists that become rows, give way to other tasks between what they produce, which may be much of
//! few rows, and windows between what they take, which they may keep for long before they produce any: else
//! nobody could end a query that has one, as the engine gives way only where rows come from.

mod pausing_input;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PiecewiseMergeJoinExec, SortMergeJoinExec,
};
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use pausing_input::PausingInput;
use std::sync::Arc;

/// Has such steps of a plan give way.
#[derive(Debug)]
pub struct PausingSteps;

impl PhysicalOptimizerRule for PausingSteps {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let pausing = |node: Arc<dyn ExecutionPlan>| {
            if multiplies(&node) {
                return Ok(Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>));
            }
            if !keeps(&node) {
                return Ok(Transformed::no(node));
            }
            let inputs = node.children().into_iter().cloned().map(|input| Arc::new(PausingInput(input)) as _);
            let inputs = inputs.collect();
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            node.replace_children(inputs, options).map(Transformed::yes)
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

/// Whether a step may take many rows before it produces one.
fn keeps(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<BoundedWindowAggExec>() || node.is::<WindowAggExec>()
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
