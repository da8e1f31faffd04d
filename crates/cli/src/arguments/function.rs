//! Which functions are traced, for all tasks that begin a recording.

use crate::failure::{Done, Failure};
use clap::Args;
use session::{
    FUNCTION, FUNCTION_GRAPH, FunctionFilter, FunctionLists, FunctionRule, Instance, TRACERS, TraceOption,
    Tracer,
};

/// Which functions are traced.
#[derive(Debug, Args)]
pub(crate) struct FunctionArguments {
    /// Trace functions, or measure latencies
    ///
    /// Calls of functions that programs were built to have traced, or that -l names: function,
    /// function_graph; or how long threads block signals or hold locks (irqsoff, preemptoff, preemptirqsoff),
    /// or take to go on once they are woken by libc's locks, conditions and semaphores, or by data in pipes,
    /// sockets and eventfds (wakeup). Without -e no other events are recorded.
    #[arg(short = 'p', long = "tracer", value_name = "TRACER", value_parser = tracer, display_order = 0)]
    pub(crate) tracer: Option<&'static Tracer>,

    /// With -p: trace these functions only
    ///
    /// Also of programs that were not built for it: a name or a pattern with * and ?, or PATTERN:mod:OBJECT
    /// for those of one file; can be given several times.
    #[arg(short = 'l', long = "only", value_name = "FUNC", value_parser = rule, requires = "tracer")]
    only: Vec<FunctionRule>,

    /// With -p: don't trace these functions
    ///
    /// Can be given several times.
    #[arg(short = 'n', long = "never", value_name = "FUNC", value_parser = rule, requires = "tracer")]
    never: Vec<FunctionRule>,

    /// With -p function: record arguments, too
    #[arg(long = "func-args", requires = "tracer")]
    with_arguments: bool,

    /// With -p function: record stacks, too
    #[arg(long = "func-stack", requires = "tracer", conflicts_with = "with_arguments")]
    with_stacks: bool,

    /// With -p function_graph: trace what these call
    ///
    /// The functions themselves, and all that they call; can be given several times.
    #[arg(short = 'g', long = "graph-function", value_name = "FUNC", value_parser = name)]
    #[arg(requires = "tracer")]
    graph_roots: Vec<FunctionRule>,

    /// With -p function_graph: leave out what these call
    ///
    /// The functions themselves, and all that they call.
    #[arg(long = "graph-notrace", value_name = "FUNC", value_parser = name, requires = "tracer")]
    graph_hidden: Vec<FunctionRule>,

    /// With -p function_graph: levels, 0 for all
    ///
    /// So many levels of calls are traced.
    #[arg(long = "max-graph-depth", value_name = "N", requires = "tracer")]
    graph_depth: Option<u32>,
}

impl FunctionArguments {
    /// An error where options are not the tracer's. To be asked before anything is changed.
    pub(crate) fn check(&self) -> Done<()> {
        let Some(tracer) = self.tracer else { return Ok(()) };
        let graph = [
            ("--graph-function", !self.graph_roots.is_empty()),
            ("--graph-notrace", !self.graph_hidden.is_empty()),
            ("--max-graph-depth", self.graph_depth.is_some()),
        ];
        let function = [("--func-stack", self.with_stacks)];
        for (options, meant) in [(&graph[..], &FUNCTION_GRAPH), (&function[..], &FUNCTION)] {
            if let Some((option, _)) = options.iter().find(|(_, is_given)| *is_given && tracer != meant) {
                let (tracer, meant) = (tracer.name, meant.name);
                return Err(Failure::failed(format_args!("{option}: expected -p {meant}, got -p {tracer}")));
            }
        }
        Ok(())
    }

    /// Has an instance trace the functions that were given; without a tracer it stays as it is.
    pub(crate) fn apply(&self, instance: &Instance) -> Done<()> {
        let Some(tracer) = self.tracer else { return Ok(()) };
        instance.change_functions(|lists| {
            *lists = FunctionLists::default();
            for (filter, rules) in [
                (FunctionFilter::Only, &self.only),
                (FunctionFilter::Never, &self.never),
                (FunctionFilter::GraphRoots, &self.graph_roots),
                (FunctionFilter::GraphHidden, &self.graph_hidden),
            ] {
                lists.list_mut(filter).extend(rules);
            }
        })?;
        instance.set_graph_depth(self.graph_depth.unwrap_or(0))?;
        // One of them at most: so it is disabled before the other is enabled.
        let mut options =
            [(TraceOption::FuncArgs, self.with_arguments), (TraceOption::FuncStackTrace, self.with_stacks)];
        options.sort_by_key(|(_, is_on)| *is_on);
        options.into_iter().try_for_each(|(option, is_on)| instance.set_option(option, is_on))?;
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

/// Functions that the graph is to be about.
fn name(text: &str) -> Result<FunctionRule, String> {
    let rule = text.parse::<FunctionRule>().ok().filter(|rule| rule.object.is_none());
    rule.ok_or_else(|| "expected a name or a pattern with * and ?".to_string())
}
