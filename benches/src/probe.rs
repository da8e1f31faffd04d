//! What a thread that comes to a probe takes longer, and what the kernel's uprobes take there; what a system
//! call takes longer that is seen. And how long it takes to get there: to plan, and to attach.

use crate::attach::Live;
use crate::attaching;
use crate::calls::preloaded;
use crate::clock::{cpus, pinned, wall_ns};
use crate::program::ProgramDirectory;
use crate::progress::BenchProgress;
use crate::report::Report;
use crate::samples::Samples;
use crate::tracefs::KernelInstance;
use crate::worker::Worker;
use clap::Args;
use function_sites::ObjectFile;
use planner::{FunctionCode, SHORT_JUMP_REACH, entry_points, is_padding};
use session::UsdtPlace;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is wanted.
#[derive(Debug, Args)]
pub struct ProbeOptions {
    /// The agent, as `lookback preload` prints it; rows that need it are skipped without
    #[arg(long, value_name = "PATH")]
    agent: Option<PathBuf>,
}

/// Calls in a round: some milliseconds; and where the kernel's are measured, which take longer.
const CALLS: u64 = 50_000;
const KERNEL_CALLS: u64 = 5_000;
const ROUNDS: usize = 41;

/// A file of many functions that nobody has built for tracing, and how often they are planned.
const PYTHON: &str = "/usr/bin/python3";
const PLANS: usize = 7;

/// What is measured, as readings of the clock: a row, a probe without the file's path, and what comes there.
const PROBES: [(&str, &str, &str, &str); 3] = [
    ("function_probe", "p", "called value=%di", "call"),
    ("probe_anywhere", "p", "place value=%di", "pass"),
    ("return_probe", "r", "called value=$retval", "call"),
];

/// What is measured with the kernel's probe as multiples of what ours adds.
const KERNEL: [(&str, &str); 2] = [("uprobe_int3_vs_ours", "place"), ("uprobe_nop5_vs_ours", "nop_place")];

/// Measures everything.
pub fn measure(options: &ProbeOptions) -> Result<Report, String> {
    let progress = BenchProgress::new();
    let mut report = Report::default();
    let Some(agent) = options.agent.as_deref() else {
        PROBES.iter().for_each(|(row, ..)| report.add(row, Err("no agent was given".to_string())));
        return Ok(report);
    };
    let programs = ProgramDirectory::new()?;
    let program = programs.compile_as("functions", "plain", "cc", &[])?;
    for (row, kind, rest, operation) in PROBES {
        progress.say(row);
        let figure = pinned(&cpus(1), || readings(&program, agent, (kind, rest), operation));
        report.add(row, figure);
    }
    progress.say("usdt");
    report.add("usdt", pinned(&cpus(1), || usdt(&program, agent)));
    progress.say("syscall_pair");
    report.add("syscall_pair", pinned(&cpus(1), || system_call(&program, agent)));
    // A file of its own: the kernel's probes are in all processes.
    let other = programs.compile_as("functions", "probed_by_kernel", "cc", &[])?;
    for (row, place) in KERNEL {
        progress.say(row);
        let figure = pinned(&cpus(1), || times_ours(&program, &other, agent, place));
        report.add(row, figure);
    }
    progress.say("plan_python3_ms");
    report.add("plan_python3_ms", planned_in_ms(Path::new(PYTHON)));
    progress.say("attach_ms");
    attaching::measure(&mut report, &programs);
    Ok(report)
}

/// How long it takes to find out how each function of a file can be traced, in its own file's order.
fn planned_in_ms(path: &Path) -> Result<f64, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let file = ObjectFile::parse(&bytes).ok_or("it is no ELF file")?;
    let mut samples = Samples::new();
    for _ in 0..PLANS {
        let start = wall_ns();
        let planned = file.functions().filter(|function| is_traceable(file, function.start)).count();
        samples.push((wall_ns() - start) / 1e6);
        if planned == 0 {
            return Err("it has no functions that can be traced".to_string());
        }
    }
    Ok(samples.median())
}

fn is_traceable(file: ObjectFile<'_>, start: u64) -> bool {
    let Some(span) = file.function_span(start) else { return false };
    let code = file.code_at(start).get(..(span.end - span.start) as usize).unwrap_or_default();
    let gaps = file.gaps_near(start, SHORT_JUMP_REACH);
    let paddings = gaps.filter(|gap| is_padding(gap.before, gap.bytes)).map(|gap| gap.addresses);
    entry_points(&FunctionCode { start, code }, paddings).is_ok_and(|mut points| points.next().is_some())
}

/// A session with a probe, whose event is enabled; and where the probe is in the file.
fn probing(program: &Path, (kind, rest): (&str, &str)) -> Result<(Live, u64), String> {
    let live = Live::new(&[])?;
    let line = format!("{kind}:benches/probe {}:{rest}", program.display());
    let defined = live.session.session().define_probe(&line).map_err(|error| error.to_string())?;
    live.enable(&["benches:probe"])?;
    Ok((live, defined.definition.offset))
}

/// How many readings of the clock a probe adds.
fn readings(
    program: &Path,
    agent: &Path,
    probe: (&str, &str),
    operation: &'static str,
) -> Result<f64, String> {
    added(program, agent, &probing(program, probe)?.0, operation)
}

/// How many one at a place for USDT adds, with its argument.
fn usdt(program: &Path, agent: &Path) -> Result<f64, String> {
    let places = UsdtPlace::all(program).unwrap_or_default();
    let place = places.first().ok_or("the program has no place for USDT")?;
    let argument =
        place.arguments.first().and_then(Option::as_ref).ok_or("its argument can't be recorded")?;
    readings(program, agent, ("p", &format!("{:#x} value={argument}", place.offset)), "mark")
}

/// How many the two events of a system call add.
fn system_call(program: &Path, agent: &Path) -> Result<f64, String> {
    let on = Live::new(&[])?;
    on.enable(&["syscalls:sys_*_getppid"])?;
    added(program, agent, &on, "ask")
}

/// How many readings of the clock an operation takes longer in a session.
fn added(program: &Path, agent: &Path, on: &Live, operation: &'static str) -> Result<f64, String> {
    let off = Live::new(&[])?;
    let mut workers = [
        (preloaded(program, agent, Some(&off))?, "counter"),
        (preloaded(program, agent, Some(&off))?, operation),
        (preloaded(program, agent, Some(on))?, operation),
    ];
    let mut samples = [const { Samples::new() }; 3];
    for _ in 0..ROUNDS {
        for ((worker, operation), samples) in workers.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat(operation, CALLS)?.cpu);
        }
    }
    let [counter, plain, seen] = samples;
    Ok(seen.added_to(&plain).ratio_to(&counter))
}

/// How many times what ours adds the kernel's adds at the same instruction.
fn times_ours(program: &Path, other: &Path, agent: &Path, place: &str) -> Result<f64, String> {
    let off = Live::new(&[])?;
    let (on, offset) = probing(program, ("p", &format!("{place} value=%di")))?;
    let own = |session| preloaded(program, agent, Some(session));
    let plain = Worker::start(Command::new(program))?;
    let _kernel = KernelProbe::new(other, offset)?;
    let probed = Worker::start(Command::new(other))?;
    let mut workers = [own(&off)?, own(&on)?, plain, probed];
    let mut samples = [const { Samples::new() }; 4];
    for _ in 0..ROUNDS {
        for (worker, samples) in workers.iter_mut().zip(&mut samples) {
            samples.push(worker.repeat("pass", KERNEL_CALLS)?.cpu);
        }
    }
    let [untraced, traced, plain, probed] = samples;
    Ok(probed.added_to(&plain).ratio_to(&traced.added_to(&untraced)))
}

/// A probe of the kernel's, in an instance of its own.
struct KernelProbe {
    instance: Option<KernelInstance>,
}

const UPROBE_EVENTS: &str = "/sys/kernel/tracing/uprobe_events";

impl KernelProbe {
    fn new(program: &Path, offset: u64) -> Result<KernelProbe, String> {
        let instance = Some(KernelInstance::new()?);
        define(&format!("p:lookback_benches/probe {}:{offset:#x} value=%di", program.display()))?;
        let probe = KernelProbe { instance };
        probe.enable("1")?;
        Ok(probe)
    }

    fn enable(&self, on: &str) -> Result<(), String> {
        let instance = self.instance.as_ref().ok_or("no instance")?;
        let name = "events/lookback_benches/probe/enable";
        let mut file = instance.open(name, OpenOptions::new().write(true))?;
        file.write_all(on.as_bytes()).map_err(|error| format!("{name}: {error}"))
    }
}

impl Drop for KernelProbe {
    fn drop(&mut self) {
        let _ = self.enable("0");
        self.instance = None;
        let _ = define("-:lookback_benches/probe");
    }
}

/// Adds a line to the kernel's definitions.
fn define(line: &str) -> Result<(), String> {
    let file = OpenOptions::new().append(true).open(UPROBE_EVENTS);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(|error| format!("{UPROBE_EVENTS}: {error}"))
}
