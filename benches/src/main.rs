//! Measures what recording costs, as a user's program pays it, next to other tracers.
//!
//! Everything that is compared is measured in one run, in turns: A B A B. The clock speed of a machine
//! drifts by several percent from one run to the next, so numbers of different runs say little. What is
//! reported is the median over many short rounds; ratios are medians of the rounds' ratios.
//!
//! `cargo xtask bench micro` builds what is needed and runs this.

mod attach;
mod attaching;
mod author;
mod calls;
mod clock;
mod control;
mod crowd;
mod ctf;
mod events;
mod flight;
mod function;
mod ktrace;
mod limits;
mod lttng;
mod micro;
mod mount;
mod pairs;
mod peers;
mod probe;
mod program;
mod programs;
mod progress;
mod python;
mod report;
mod ring;
mod row;
mod samples;
mod site;
mod spawn;
mod sql;
mod standing;
mod threads;
mod tracefs;
mod views;
mod worker;
mod workload;

use clap::{Parser, Subcommand};
use std::fmt::Display;
use std::process::ExitCode;

/// Measures what recording costs, next to other tracers.
#[derive(Debug, Parser)]
#[command(name = "lookback-benches")]
struct BenchArguments {
    /// Print JSON instead of a table
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// The cost of single operations.
    Micro(micro::MicroOptions),
    /// The ring buffer by itself.
    Ring,
    /// The control tree.
    Control,
    /// Functions: sites that are off, and traced ones.
    Function(function::FunctionOptions),
    /// Probes, and the kernel's.
    Probe(probe::ProbeOptions),
    /// A flight recorder that always records: calls, and the loads of the first tracers.
    Flight(flight::FlightOptions),
    /// What recording costs whole programs.
    Programs(programs::ProgramOptions),
    /// Events of a program's own.
    Author(author::AuthorOptions),
    /// Tracepoints with formats, and their consumers.
    Ktrace(author::AuthorOptions),
    /// The control tree over a mount.
    Tracefs,
    /// Files for other viewers.
    Views,
    /// What measuring the mount measures.
    #[command(hide = true)]
    Serve(mount::Serve),
    /// What measuring events of a program's own measures.
    #[command(hide = true)]
    AuthorWorker,
}

fn main() -> ExitCode {
    let arguments = BenchArguments::parse();
    let measured = match arguments.command {
        BenchCommand::Micro(options) => micro::run(&options),
        BenchCommand::Ring => ring::measure(),
        BenchCommand::Control => control::measure(),
        BenchCommand::Function(options) => function::measure(&options),
        BenchCommand::Probe(options) => probe::measure(&options),
        BenchCommand::Flight(options) => flight::measure(&options),
        BenchCommand::Programs(options) => programs::measure(&options),
        BenchCommand::Author(options) => author::measure(&options),
        BenchCommand::Ktrace(options) => ktrace::measure(&options),
        BenchCommand::Tracefs => mount::measure(),
        BenchCommand::Views => views::measure(),
        BenchCommand::Serve(arguments) => return ended(mount::serve(&arguments)),
        BenchCommand::AuthorWorker => return ended(author::serve()),
    };
    match measured {
        Ok(report) => {
            report.print(arguments.json);
            if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("lookback-benches: {error}");
            ExitCode::from(2)
        }
    }
}

/// How a process ends that another one measures.
fn ended(result: Result<(), impl Display>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lookback-benches: {error}");
            ExitCode::from(2)
        }
    }
}
