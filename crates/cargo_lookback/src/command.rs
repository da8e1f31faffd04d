//! The subcommand: cargo with this program as the compiler's wrapper, in a target directory of its own.

use crate::{probe, wrapper};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const HELP: &str = "\
Builds programs all functions of which can be traced

Usage: cargo lookback COMMAND [CARGO'S OPTIONS]

Commands:
  build, b  Build; programs are in target/lookback/TARGET/debug or release
  run, r    Build and run a program
  test, t   Build and run tests
  bench     Build and run benchmarks

Functions of the workspace and of its dependencies get a nop of 5 bytes at their entry, which costs about
nothing. The standard library's functions, build scripts and procedural macros are left as they are. Crates are
compiled twice: that takes 1.2 to 1.7 times as long.
";

/// What cargo does for us.
const COMMANDS: &[&str] = &["build", "b", "run", "r", "test", "t", "bench"];

/// Runs cargo.
pub fn run(arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let Some((command, options)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(ExitCode::FAILURE);
    };
    if ["-h", "--help", "help"].iter().any(|help| command == help) {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let name = command.to_string_lossy();
    if !COMMANDS.contains(&&*name) {
        return Err(format!("there is no `{name}`: build, run, test and bench compile programs"));
    }
    let host = probe::host()?;
    probe::check()?;
    let own = options.split(|option| option == "--").next().unwrap_or_default();
    let directory = target_directory(own)?;
    if directory.to_string_lossy().contains(char::is_whitespace) {
        let path = directory.display();
        return Err(format!(
            "rustc can't take the target directory `{path}`, as it has a space: use --target-dir"
        ));
    }
    let this = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let mut cargo = Command::new(cargo());
    cargo.arg(command).env("RUSTC_WRAPPER", this).env(wrapper::MARK, "1");
    if value(own, "--target-dir").is_none() {
        cargo.arg("--target-dir").arg(&directory);
    }
    // With a target, cargo compiles what runs at build time without it.
    if value(own, "--target").is_none() && std::env::var_os("CARGO_BUILD_TARGET").is_none() {
        cargo.args(["--target", &host]);
    }
    let status = cargo.args(options).status().map_err(|error| format!("cargo: {error}"))?;
    Ok(wrapper::exit_code(status))
}

fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Where cargo puts what it makes: next to what it makes otherwise, so that neither is made again for the
/// other.
fn target_directory(options: &[OsString]) -> Result<PathBuf, String> {
    if let Some(directory) = value(options, "--target-dir") {
        return Ok(directory.into());
    }
    let mut metadata = Command::new(cargo());
    metadata.args(["metadata", "--no-deps", "--format-version", "1"]).stderr(Stdio::inherit());
    if let Some(manifest) = value(options, "--manifest-path") {
        metadata.arg("--manifest-path").arg(manifest);
    }
    let output = metadata.output().map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err("there is no package here that cargo can build".to_string());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let path = text.split_once("\"target_directory\":\"").and_then(|(_, rest)| rest.split_once('"'));
    let (path, _) = path.ok_or("cargo metadata names no target directory")?;
    Ok(Path::new(path).join("lookback"))
}

/// The value of an option.
fn value<'a>(options: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    options.iter().enumerate().find_map(|(index, option)| {
        if option == name {
            return options.get(index + 1).map(OsString::as_os_str);
        }
        let text = option.to_str()?;
        text.strip_prefix(name)?.strip_prefix('=').map(OsStr::new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values_in_both_forms() {
        let options: Vec<OsString> = ["-q", "--target=a", "--target-dir", "b"].map(Into::into).into();
        assert_eq!(value(&options, "--target"), Some("a".as_ref()));
        assert_eq!(value(&options, "--target-dir"), Some("b".as_ref()));
        assert_eq!(value(&options, "--manifest-path"), None);
    }
}
