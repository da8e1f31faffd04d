//! What queries may be, and those within table functions.

use datafusion::catalog::Session;
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SQLOptions;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// What queries may be: they read tables, and change nothing.
pub fn reading_only() -> SQLOptions {
    SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false)
}

/// The plan of a query, which may do as little as any other.
pub fn planned(query: &str, session: &dyn Session) -> Result<LogicalPlan> {
    let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
        return internal_err!("table functions are known to sessions only");
    };
    // Functions are called within planning, which waits for them.
    let plan = block_in_place(|| Handle::current().block_on(state.create_logical_plan(query)))?;
    reading_only().verify_plan(&plan)?;
    Ok(plan)
}
