//! The functions that queries have besides the engine's own.

mod argument;
mod folded;
mod list_sizes;
mod lost_in;
mod names;
mod percentile;
mod scalar;
mod who_waits_for;

pub use lost_in::LossesOfFile;

use crate::intersect::Intersect;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use std::sync::Arc;
use who_waits_for::Waiters;

/// Has an engine know all of them, and what the files that are asked have lost. A list may take so many
/// bytes.
///
/// # Errors
///
/// Where the engine lacks a function of its own.
pub fn register(context: &SessionContext, losses: Vec<LossesOfFile>, list: usize) -> Result<()> {
    context.register_udf(names::errno_name());
    context.register_udf(names::flag_names());
    context.register_udf(argument::arg());
    context.register_udf(folded::folded());
    context.register_udf(lost_in::lost_in(losses));
    context.register_udaf(percentile::pct());
    context.register_udtf("intersect", Arc::new(Intersect));
    context.register_udtf("who_waits_for", Arc::new(Waiters));
    list_sizes::register(context, list)
}

/// What the shell completes.
pub const NAMES: [&str; 8] =
    ["arg", "errno_name", "flag_names", "folded", "intersect", "lost_in", "pct", "who_waits_for"];
