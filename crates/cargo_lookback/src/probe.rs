//! What compiler there is, and whether it can do it.

use crate::compilation::list_options;
use object::Object;
use std::ffi::OsString;
use std::fs;
use std::process::Command;

/// The triple that the compiler makes programs for.
pub fn host() -> Result<String, String> {
    let text = version()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "rustc names no host".to_string())
}

/// Whether the compiler gives a function a patchable entry that stands in a list.
pub fn check() -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| format!("a temporary directory: {error}"))?;
    let [source, list, made] = ["probe.rs", "probe.csv", "probe.o"].map(|name| directory.path().join(name));
    let written = fs::write(&source, "#![no_std]\n#[unsafe(no_mangle)]\npub extern \"C\" fn probe() {}\n")
        .and_then(|()| fs::write(&list, "probe,patchable-function-entry=5\n"));
    written.map_err(|error| format!("{}: {error}", directory.path().display()))?;
    let mut compiler = Command::new(compiler());
    compiler.args(["--edition=2024", "--crate-type=lib", "--emit=obj"]).args(list_options(&list, true));
    let output = compiler.arg("-o").arg(&made).arg(&source).output();
    let output = output.map_err(|error| format!("rustc: {error}"))?;
    let has_site = fs::read(&made).is_ok_and(|data| {
        object::File::parse(&*data)
            .is_ok_and(|file| file.section_by_name("__patchable_function_entries").is_some())
    });
    if output.status.success() && has_site {
        return Ok(());
    }
    let release = version()?.lines().next().unwrap_or_default().to_string();
    let text = String::from_utf8_lossy(&output.stderr);
    let reason = text.lines().next().map(|line| format!(" ({line})")).unwrap_or_default();
    Err(format!(
        "{release} can't give functions a site at their entry{reason}. Rust 1.88 and newer with LLVM can. \
         `#[lookback::traced]` needs nothing of the compiler"
    ))
}

fn version() -> Result<String, String> {
    let output = Command::new(compiler()).arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn compiler() -> OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}
