//! Which functions are traced, for all tasks that begin a recording.

use crate::failure::Done;
use clap::Args;
use session::{FunctionFilter, FunctionLists, FunctionRule, Instance, TRACERS, TraceOption, Tracer};

/// Which functions are traced.
#[derive(Debug, Args)]
pub(crate) struct FunctionArguments {
    /// Trace calls of functions of programs that were built for it: function. Without -e no other events
    #[arg(short = 'p', long = "tracer", value_name = "TRACER", value_parser = tracer, display_order = 0)]
    pub(crate) tracer: Option<&'static Tracer>,

    /// With -p: trace these functions only, a name or a pattern with * and ?, or PATTERN:mod:OBJECT for those
    /// of one file; can be given several times
    #[arg(short = 'l', long = "only", value_name = "FUNC", value_parser = rule, requires = "tracer")]
    only: Vec<FunctionRule>,

    /// With -p: record what functions are called with, too
    #[arg(long = "func-args", requires = "tracer")]
    with_arguments: bool,

    /// With -p: don't trace these functions; can be given several times
    #[arg(short = 'n', long = "never", value_name = "FUNC", value_parser = rule, requires = "tracer")]
    never: Vec<FunctionRule>,
}

impl FunctionArguments {
    /// Has an instance trace the functions that were given; without a tracer it stays as it is.
    pub(crate) fn apply(&self, instance: &Instance) -> Done<()> {
        let Some(tracer) = self.tracer else { return Ok(()) };
        instance.change_functions(|lists| {
            *lists = FunctionLists::default();
            lists.list_mut(FunctionFilter::Only).extend(&self.only);
            lists.list_mut(FunctionFilter::Never).extend(&self.never);
        })?;
        instance.set_option(TraceOption::FuncArgs, self.with_arguments)?;
        Ok(instance.set_tracer(tracer)?)
    }
}

fn tracer(name: &str) -> Result<&'static Tracer, String> {
    Tracer::named(name).ok_or_else(|| {
        let names: Vec<&str> = TRACERS.iter().map(|tracer| tracer.name).collect();
        format!("expected {}", names.join(" or "))
    })
}

/// Functions that are meant.
pub(crate) fn rule(text: &str) -> Result<FunctionRule, String> {
    text.parse().map_err(|_| "expected FUNC or FUNC:mod:OBJECT, where * and ? may stand".to_string())
}
