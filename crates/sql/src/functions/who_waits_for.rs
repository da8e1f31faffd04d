//! `who_waits_for(tid, from, to)`: the waits that a thread has others have.

use crate::planned::planned;
use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::ScalarValue;
use datafusion::common::plan_err;
use datafusion::datasource::ViewTable;
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use std::sync::Arc;

/// The waits for locks that the thread held, and the sleeps that it has ended.
#[derive(Debug)]
pub(super) struct Waiters;

impl TableFunctionImpl for Waiters {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let [tid, from, to] = args.exprs() else {
            return plan_err!("who_waits_for takes a thread and two times: who_waits_for(tid, from, to)");
        };
        let (tid, from, to) = (constant(tid)?, constant(from)?, constant(to)?);
        let query = format!(
            "SELECT ts, dur, tid, name AS in_call, 'holds the lock' AS because FROM slices \
             WHERE holder = {tid} AND ts < {to} AND ts + dur > {from} \
             UNION ALL \
             SELECT asleep.ts, asleep.dur, asleep.tid, NULL, 'woke it' FROM states AS woken JOIN states AS asleep \
             ON asleep.tid = woken.tid AND asleep.ts + asleep.dur = woken.ts \
             WHERE woken.waker = {tid} AND asleep.ts < {to} AND asleep.ts + asleep.dur > {from}"
        );
        Ok(Arc::new(ViewTable::new(planned(&query, args.session())?, Some(query))))
    }
}

/// A number that is known before the query runs.
fn constant(expression: &Expr) -> Result<i64> {
    let simple = ExprSimplifier::new(SimplifyContext::default()).simplify(expression.clone())?;
    let number = match simple {
        Expr::Literal(value, _) => value.cast_to(&DataType::Int64).ok(),
        _ => None,
    };
    match number {
        Some(ScalarValue::Int64(Some(number))) => Ok(number),
        _ => plan_err!("who_waits_for takes numbers, and found {expression}"),
    }
}
