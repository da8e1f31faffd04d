//! What a call takes longer when it is recorded: its entry, or its entry and exit; or when it is counted.

use crate::attach::Live;
use crate::calls::preloaded;
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::ring::bytes_per_event;
use crate::samples::Samples;
use crate::worker::Worker;
use session::{FunctionFilter, FunctionRule, Tracer};
use std::path::Path;

/// Calls in a round: some milliseconds.
const CALLS: u64 = 50_000;
/// And of the function that calls itself: twice all of `fibonacci(20)`.
const NESTED_CALLS: u64 = 2 * 21_891;
const ROUNDS: usize = 41;
/// Calls whose bytes are counted: a buffer holds them all.
const COUNTED: u64 = 1000;

/// The function of the program that does nothing, and the one that calls itself.
pub const CALLED: &str = "called";
const NESTED: &str = "fibonacci";

/// The rows of what is done with calls.
struct UserRows {
    /// A tracer; None for the profile.
    tracer: Option<&'static str>,
    built: Built,
    /// What a call takes longer, in ns, and in readings of the clock; what one that calls itself does.
    called: Option<&'static str>,
    called_vs_rdtsc: &'static str,
    nested: Option<&'static str>,
    bytes: Option<&'static str>,
}

/// How the program was built.
#[derive(Clone, Copy)]
enum Built {
    /// With sites.
    WithSites,
    /// As any program: the jump is in the place of the first instruction.
    Plain,
    /// So that functions begin with `push rbp`: the jump is after that.
    Unoptimized,
}

impl Built {
    /// The name of the program, and what the compiler is told.
    fn flags(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Built::WithSites => ("sites", &["-fpatchable-function-entry=5"]),
            Built::Plain => ("plain", &[]),
            Built::Unoptimized => ("unoptimized", &["-O0"]),
        }
    }
}

const USERS: [UserRows; 7] = [
    UserRows {
        tracer: Some("function"),
        built: Built::WithSites,
        called: Some("entry_ns"),
        called_vs_rdtsc: "entry_vs_rdtsc",
        nested: Some("entry_nested_ns"),
        bytes: Some("bytes_per_function_event"),
    },
    UserRows {
        tracer: Some("function_graph"),
        built: Built::WithSites,
        called: Some("graph_per_call_ns"),
        called_vs_rdtsc: "graph_per_call_vs_rdtsc",
        nested: Some("graph_nested_ns"),
        bytes: Some("bytes_per_graph_event"),
    },
    UserRows {
        tracer: None,
        built: Built::WithSites,
        called: Some("profile_per_call_ns"),
        called_vs_rdtsc: "profile_per_call_vs_rdtsc",
        nested: Some("profile_nested_ns"),
        bytes: None,
    },
    UserRows {
        tracer: Some("function"),
        built: Built::Plain,
        called: None,
        called_vs_rdtsc: "unrebuilt_entry",
        nested: None,
        bytes: None,
    },
    UserRows {
        tracer: Some("function"),
        built: Built::Unoptimized,
        called: None,
        called_vs_rdtsc: "unrebuilt_later_entry",
        nested: None,
        bytes: None,
    },
    UserRows {
        tracer: Some("function_graph"),
        built: Built::Plain,
        called: None,
        called_vs_rdtsc: "unrebuilt_graph",
        nested: None,
        bytes: None,
    },
    UserRows {
        tracer: Some("function_graph"),
        built: Built::Unoptimized,
        called: None,
        called_vs_rdtsc: "unrebuilt_later_graph",
        nested: None,
        bytes: None,
    },
];

/// Adds the rows.
pub fn measure(report: &mut Report, programs: &ProgramDirectory, agent: &Path) {
    for rows in &USERS {
        if let Err(reason) = measure_user(report, rows, programs, agent) {
            report.add(rows.called_vs_rdtsc, Err(reason));
        }
    }
}

/// A session in which a tracer records the functions of this name or pattern.
pub fn tracing(tracer: &str, functions: &str) -> Result<Live, String> {
    let live = Live::new(&[])?;
    let tracer = Tracer::named(tracer).ok_or_else(|| format!("there is no tracer {tracer}"))?;
    let rule: FunctionRule = functions.parse().map_err(|_| "a bad rule")?;
    let set = || {
        live.session.add_functions(FunctionFilter::Only, &[rule])?;
        live.session.set_tracer(tracer)
    };
    set().map_err(|error| error.to_string())?;
    Ok(live)
}

/// A session whose profile has the functions of this name or pattern.
fn profiling(functions: &str) -> Result<Live, String> {
    let live = Live::new(&[])?;
    let rule: FunctionRule = functions.parse().map_err(|_| "a bad rule")?;
    let set = || {
        live.session.add_functions(FunctionFilter::Only, &[rule])?;
        live.session.set_profiling(true)
    };
    set().map_err(|error| error.to_string())?;
    Ok(live)
}

fn measure_user(
    report: &mut Report,
    rows: &UserRows,
    programs: &ProgramDirectory,
    agent: &Path,
) -> Result<(), String> {
    let (name, flags) = rows.built.flags();
    let program = programs.compile_as("functions", name, "cc", flags)?;
    let session =
        |functions| rows.tracer.map_or_else(|| profiling(functions), |tracer| tracing(tracer, functions));
    let sessions = [Live::new(&[])?, session(CALLED)?, session(NESTED)?];
    let [off, called, nested] = &sessions;
    let start = |session| preloaded(&program, agent, Some(session));
    let mut turns = [
        (start(off)?, "counter", CALLS),
        (start(off)?, "call", CALLS),
        (start(called)?, "call", CALLS),
        (start(off)?, "nest", NESTED_CALLS),
        (start(nested)?, "nest", NESTED_CALLS),
    ];
    let mut samples = [const { Samples::new() }; 5];
    for _ in 0..ROUNDS {
        for ((worker, operation, count), samples) in turns.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat(operation, *count)?.cpu);
        }
    }
    let [counter, plain_call, traced_call, plain_nest, traced_nest] = samples;
    let added = traced_call.added_to(&plain_call);
    if let Some(row) = rows.called {
        report.add(row, Ok(added.median()));
    }
    report.add(rows.called_vs_rdtsc, Ok(added.ratio_to(&counter)));
    if let Some(row) = rows.nested {
        report.add(row, Ok(traced_nest.more_than(&plain_nest)));
    }
    if let Some(row) = rows.bytes {
        report.add(row, bytes(called, &mut turns[2].0));
    }
    Ok(())
}

/// The bytes of an event in the ring.
fn bytes(session: &Live, worker: &mut Worker) -> Result<f64, String> {
    let mut result = Ok(());
    let bytes = bytes_per_event(session.session.buffer(), || {
        result = worker.repeat("call", COUNTED).map(drop);
    });
    result.map(|()| bytes)
}
