//! Tasks of the project, run as `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod bench;
mod deb;
mod fuzz;
mod prove;
mod releases;
mod tidy;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tasks of the project.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct XtaskArguments {
    #[command(subcommand)]
    task: ProjectTask,
}

#[derive(Debug, Subcommand)]
enum ProjectTask {
    /// Measure what recording costs; fails when a limit is missed
    Bench(bench::Bench),
    /// Make a package for Debian and its kin: lookback_VERSION_amd64.deb in target/debian
    ///
    /// Needs `cargo install cargo-deb`. The package has the command, the library for C with its headers, man
    /// pages, completions and units of systemd.
    Deb(deb::DebOptions),
    /// Print the release notes of a version: what CHANGELOG.md says of it
    Notes {
        /// The version [default: the newest heading]
        version: Option<String>,
    },
    /// Check the ring buffer and what is kept of it for as long as it takes: orders of steps, damage, chaos
    ///
    /// Wants two CPUs that do nothing else, and up to 1.3 GB. Where others used the CPUs, too, the orders of
    /// steps alone have taken more than 25 minutes; each part says how far it is.
    Prove(prove::ProveOptions),
    /// Check the rules of the repository
    Tidy,
    /// Read damaged files, pages and texts at random; fails when that panics, hangs or takes memory
    Fuzz(fuzz::FuzzOptions),
}

/// What went wrong, in words.
type Error = String;

fn main() -> ExitCode {
    let done = match XtaskArguments::parse().task {
        ProjectTask::Bench(bench) => bench::run(&bench),
        ProjectTask::Deb(options) => deb::run(&options),
        ProjectTask::Notes { version } => releases::print(version.as_deref()),
        ProjectTask::Prove(options) => prove::run(&options),
        ProjectTask::Tidy => tidy::run(),
        ProjectTask::Fuzz(options) => fuzz::run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::from(2)
        }
    }
}
