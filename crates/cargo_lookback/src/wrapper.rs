//! The compiler's wrapper: what cargo calls instead of rustc.

use crate::compilation::{Compilation, list_options, without_outputs};
use crate::{functions, stderr};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Says that cargo calls us as the wrapper, and to `#[lookback::traced]` that functions have sites without
/// it.
pub const MARK: &str = "LOOKBACK_SITES_AT_ENTRIES";

/// Compiles as `compiler` would with these arguments, with sites.
pub fn run(compiler: OsString, arguments: Vec<OsString>) -> Result<ExitCode, String> {
    let mut plain = Command::new(&compiler);
    plain.args(&arguments);
    let Some(compilation) = Compilation::new(&arguments) else {
        // What is compiled for the machine that builds is as ever, `#[lookback::traced]` in it, too.
        return status(plain.env_remove(MARK).status());
    };
    match list(&compiler, &arguments, &compilation.list) {
        Ok(0) => status(plain.status()),
        Ok(_) => {
            plain.args(list_options(&compilation.list, compilation.unoptimized));
            status(stderr::run_quietly(plain))
        }
        Err(reason) => {
            let result = plain.status();
            if result.as_ref().is_ok_and(ExitStatus::success) {
                eprintln!("cargo lookback: {} has no sites: {reason}", compilation.name);
            }
            status(result)
        }
    }
}

/// Writes the list of a crate's functions, and returns how many there are.
fn list(compiler: &OsString, arguments: &[OsString], list: &Path) -> Result<usize, String> {
    let module = list.with_extension("ll");
    let mut emit = OsString::from("--emit=llvm-ir=");
    emit.push(&module);
    let mut command = Command::new(compiler);
    command.args(without_outputs(arguments)).arg(emit).args(["--cap-lints", "allow"]);
    command.args(["-C", "no-prepopulate-passes", "-C", "codegen-units=1", "-C", "debuginfo=0"]);
    let output = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    if !output.success() {
        return Err("rustc couldn't tell its functions".to_string());
    }
    let text = fs::read_to_string(&module).map_err(|error| format!("{}: {error}", module.display()));
    let _ = fs::remove_file(&module);
    let text = text?;
    let found = functions::with_site(&text);
    let lines: String = found.iter().map(|symbol| format!("{symbol},patchable-function-entry=5\n")).collect();
    fs::write(list, lines).map_err(|error| format!("{}: {error}", list.display()))?;
    Ok(found.len())
}

fn status(result: std::io::Result<ExitStatus>) -> Result<ExitCode, String> {
    result.map(exit_code).map_err(|error| format!("rustc: {error}"))
}

/// The code to end with when a child has ended so.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(u8::try_from(code.unwrap_or(1)).unwrap_or(1))
}
