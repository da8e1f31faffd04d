//! What others take for a call that they record with its entry and exit.

use super::recorded::{CALLED, tracing};
use crate::attach::Live;
use crate::calls::preloaded;
use crate::peers::UFTRACE;
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::samples::Samples;
use crate::worker::Worker;
use std::path::Path;
use std::process::{Command, Stdio};

/// Calls in a round: few, as others keep all that they have recorded.
const CALLS: u64 = 10_000;
const ROUNDS: usize = 15;

/// What all programs are compiled with for XRay: a sled in each function, however short.
const XRAY: &[&str] = &["-fxray-instrument", "-fxray-instruction-threshold=1"];

/// A tracer of functions.
#[derive(Debug, Clone, Copy)]
struct FunctionPeer {
    row: &'static str,
    start: fn(&ProgramDirectory) -> Result<[Worker; 2], String>,
}

const PEERS: [FunctionPeer; 2] = [
    FunctionPeer { row: "uftrace_vs_graph", start: uftrace },
    FunctionPeer { row: "xray_fdr_vs_graph", start: xray },
];

/// Adds the rows: how many times what our function_graph adds to a call theirs add.
pub fn measure(report: &mut Report, programs: &ProgramDirectory, agent: &Path) {
    for peer in PEERS {
        report.add(peer.row, factor(peer, programs, agent));
    }
}

fn factor(peer: FunctionPeer, programs: &ProgramDirectory, agent: &Path) -> Result<f64, String> {
    let [plain, traced] = (peer.start)(programs)?;
    let program = programs.compile_as("functions", "sites", "cc", &["-fpatchable-function-entry=5"])?;
    let (off, on) = (Live::new(&[])?, tracing("function_graph", CALLED)?);
    let own = |session| preloaded(&program, agent, Some(session));
    let mut workers = [own(&off)?, own(&on)?, plain, traced];
    let mut samples = [const { Samples::new() }; 4];
    for _ in 0..ROUNDS {
        for (worker, samples) in workers.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat("call", CALLS)?.cpu);
        }
    }
    let [off, on, plain, traced] = samples;
    Ok(traced.added_to(&plain).ratio_to(&on.added_to(&off)))
}

/// Debian's uftrace with the program that it is made for, compiled with `-pg`.
fn uftrace(programs: &ProgramDirectory) -> Result<[Worker; 2], String> {
    let plain = programs.compile_as("functions", "plain", "cc", &[])?;
    let program = programs.compile_as("functions", "profiled", "cc", &["-pg"])?;
    let traced = UFTRACE.command(&program, programs.path())?;
    Ok([Worker::start(Command::new(plain))?, Worker::start(traced)?])
}

/// The flight data recorder of LLVM's XRay.
fn xray(programs: &ProgramDirectory) -> Result<[Worker; 2], String> {
    let plain = programs.compile_as("functions", "plain_clang", "clang", &[])?;
    let program = programs.compile_as("functions", "sleds", "clang", XRAY)?;
    let mut traced = Command::new(program);
    traced.current_dir(programs.path());
    traced.env("XRAY_OPTIONS", "patch_premain=true xray_mode=xray-fdr xray_logfile_base=xray.");
    // Otherwise it leaves out calls of less than 5 us.
    traced.env("XRAY_FDR_OPTIONS", "func_duration_threshold_us=0").stderr(Stdio::null());
    Ok([Worker::start(Command::new(plain))?, Worker::start(traced)?])
}
