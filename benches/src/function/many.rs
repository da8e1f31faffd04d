//! Programs of many functions: what their sites add to a start, and how long it takes to choose among them.

use crate::attach::Live;
use crate::calls::preloaded;
use crate::clock::{children_cpu_us, wall_ns};
use crate::program::ProgramDirectory;
use crate::report::Report;
use crate::samples::Samples;
use core::fmt::Write;
use session::{FUNCTION, FunctionFilter, FunctionLists, FunctionRule};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Functions of the program that is started.
const STARTED: usize = 10_000;
const STARTS: usize = 200;
/// Functions of the program in which some are chosen.
const CHOSEN: usize = 20_000;
const CHOICES: usize = 11;
/// A process that doesn't follow in this time never does.
const PATIENCE: Duration = Duration::from_secs(10);

const SITES: &str = "-fpatchable-function-entry=5";

/// Adds the rows.
pub fn measure(report: &mut Report, programs: &ProgramDirectory, agent: &Path) {
    report.add("start_added_us", start_added(programs, agent));
    if let Err(reason) = choose(report, programs, agent) {
        report.add("filter_20k_names_ms", Err(reason));
    }
}

/// Processor time that the sites of a program add to its start: by what the agent adds to it, less what it
/// adds to the same program without sites.
fn start_added(programs: &ProgramDirectory, agent: &Path) -> Result<f64, String> {
    programs.write("started", &(functions(STARTED) + "int main(void) { return 0; }\n"))?;
    let session = Live::new(&[])?;
    let empty = programs.empty_object()?;
    let mut kinds = Vec::new();
    for (name, options) in [("started", &[SITES] as &[&str]), ("started_plain", &[])] {
        let program = programs.compile_as("started", name, "cc", options)?;
        for object in [agent, &empty] {
            let mut command = Command::new(&program);
            command.env_clear().env("LD_PRELOAD", object).env("LOOKBACK_SESSION", session.path());
            kinds.push(command);
        }
    }
    let mut samples = [const { Samples::new() }; 4];
    for _ in 0..STARTS {
        for (command, samples) in kinds.iter_mut().zip(&mut samples) {
            samples.push(start(command)?);
        }
    }
    let [sites, sites_alone, plain, plain_alone] = samples;
    Ok(sites.median() - sites_alone.median() - (plain.median() - plain_alone.median()))
}

fn start(command: &mut Command) -> Result<f64, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let before = children_cpu_us();
    let status = command.status().map_err(|error| error.to_string())?;
    if status.success() { Ok(children_cpu_us() - before) } else { Err(format!("it ended with {status}")) }
}

/// How long it takes from other functions being wanted until a running program traces them.
fn choose(report: &mut Report, programs: &ProgramDirectory, agent: &Path) -> Result<(), String> {
    let worker = include_str!("../../programs/functions.c");
    programs.write("chosen", &(functions(CHOSEN) + worker))?;
    let program = programs.compile_as("chosen", "chosen", "cc", &[SITES])?;
    let session = Live::new(&[])?;
    let mut worker = preloaded(&program, agent, Some(&session))?;
    worker.repeat("call", 1)?;
    session.session.set_tracer(&FUNCTION).map_err(|error| error.to_string())?;
    let names: Vec<FunctionRule> = (0..CHOSEN).filter_map(|number| name(number).parse().ok()).collect();
    let half: Vec<FunctionRule> = names.iter().step_by(2).cloned().collect();
    let glob: Vec<FunctionRule> = "function_*7*".parse().into_iter().collect();
    let one: Vec<FunctionRule> = names[..1].to_vec();
    let rows = [("filter_20k_names_ms", names), ("filter_10k_names_ms", half), ("filter_20k_glob_ms", glob)];
    let mut samples = [const { Samples::new() }; 3];
    for _ in 0..CHOICES {
        for ((_, rules), samples) in rows.iter().zip(&mut samples) {
            for (rules, is_measured) in [(&one, false), (rules, true)] {
                let start = wall_ns();
                want(&session, rules)?;
                worker.repeat("call", 1)?;
                if !session.session.session().await_functions(PATIENCE).is_empty() {
                    return Err("the program doesn't follow".to_string());
                }
                if is_measured {
                    samples.push((wall_ns() - start) / 1e6);
                }
            }
        }
    }
    for ((name, _), samples) in rows.iter().zip(&samples) {
        report.add(name, Ok(samples.median()));
    }
    Ok(())
}

/// Has these functions traced, and no others.
fn want(session: &Live, rules: &[FunctionRule]) -> Result<(), String> {
    let changed = session.session.change_functions(|lists| {
        *lists = FunctionLists::default();
        lists.list_mut(FunctionFilter::Only).extend(rules);
    });
    changed.map_err(|error| error.to_string())
}

fn name(number: usize) -> String {
    format!("function_{number:05}")
}

/// So many functions, in C.
fn functions(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ =
            writeln!(text, "__attribute__((noinline)) int {}(int value) {{ return value; }}", name(number));
        text
    })
}
