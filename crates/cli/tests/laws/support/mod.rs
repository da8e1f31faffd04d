//! What the tests of the laws share: building programs, running them with and without lookback, and reading
//! what was recorded.

mod build;
mod recorded;
mod run;
mod skip;
#[path = "../../command/common/system_call_text.rs"]
mod system_call_text;
mod trace;

pub(crate) use build::{Program, scratch};
pub(crate) use recorded::preload_object;
pub(crate) use run::{command, lookback, run};
pub(crate) use skip::{available, skip, skip_documented};
pub(crate) use trace::{Event, Trace};
