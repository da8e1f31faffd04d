//! `cargo lookback build`: builds programs all functions of which have a site at their entry, on stable Rust.
//!
//! The program is two things. Called by cargo as a subcommand, it runs cargo with itself as the wrapper of
//! the compiler (`command`). Called by cargo as the wrapper, it compiles each crate twice: once only to learn
//! which functions it has (`functions`), then with a list of them, whose functions get the attribute for a
//! patchable entry (`wrapper`). LLVM reads the list: the attribute has no flag of its own in stable rustc.
#![forbid(unsafe_code)]

mod command;
mod compilation;
mod functions;
mod probe;
mod stderr;
mod wrapper;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let result = match arguments.next() {
        Some(first) if first == "lookback" => command::run(arguments.collect()),
        Some(compiler) if std::env::var_os(wrapper::MARK).is_some() => {
            wrapper::run(compiler, arguments.collect())
        }
        first => command::run(first.into_iter().chain(arguments).collect::<Vec<OsString>>()),
    };
    result.unwrap_or_else(|error| {
        eprintln!("cargo lookback: {error}");
        ExitCode::FAILURE
    })
}
