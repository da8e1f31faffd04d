//! Packages for Debian and its kin, by cargo-deb.

use crate::releases::{self, Release};
use crate::{Error, workspace};
use clap::Args;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Completions: the shell, and the name that it looks for.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "lookback.bash"), ("zsh", "_lookback"), ("fish", "lookback.fish")];

/// What is packed.
#[derive(Debug, Args)]
pub struct DebOptions {
    /// Make the package lookback-sql, too, whose engine takes half an hour to build
    #[arg(long)]
    sql: bool,
    /// Pack what the profile `dev` builds, quickly rather than small: to try the package
    #[arg(long)]
    debug: bool,
}

/// Builds what is packed, and packs it.
pub fn run(options: &DebOptions) -> Result<bool, Error> {
    let (profile, built) = if options.debug { ("dev", "debug") } else { ("release", "release") };
    let packages = ["-p", "lookback-cli", "-p", "lookback-c-api"];
    succeed(workspace::cargo().args(["build", "--locked", "--profile", profile]).args(packages))?;
    let target = workspace::root().join("target");
    prepare(&target.join(built))?;
    pack(Path::new("crates/cli/Cargo.toml"), &target.join(built))?;
    if options.sql {
        let (manifest, target) = (Path::new("crates/sql/Cargo.toml"), target.join("sql"));
        let mut build = workspace::cargo();
        build.args(["build", "--locked", "--profile", profile, "--manifest-path"]).arg(manifest);
        succeed(build.arg("--target-dir").arg(&target))?;
        pack(manifest, &target.join(built))?;
    }
    Ok(true)
}

/// Where what is packed lies that is in no repository.
fn packaging() -> PathBuf {
    workspace::root().join("target/packaging")
}

/// Makes completions, the library's other name, and the changelog. What was built is in `built`.
fn prepare(built: &Path) -> Result<(), Error> {
    let directory = packaging();
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(&directory).map_err(failed)?;
    for (shell, name) in COMPLETIONS {
        let mut command = Command::new(built.join("lookback"));
        let made = command.args(["completions", shell]).stderr(Stdio::inherit()).output().map_err(failed)?;
        fs::write(directory.join(name), made.stdout).map_err(failed)?;
    }
    link("liblookback.so.0", &directory.join("liblookback.so")).map_err(failed)?;
    fs::write(directory.join("changelog"), changelog(&releases::all()?)).map_err(failed)
}

/// Packs a crate into `target/debian`.
fn pack(manifest: &Path, built: &Path) -> Result<(), Error> {
    let target = packaging().join("target");
    let failed = |error: std::io::Error| format!("{}: {error}", target.display());
    fs::create_dir_all(&target).map_err(failed)?;
    // cargo-deb takes what lies in a directory of this name, whatever has built it.
    link(built, &target.join("release")).map_err(failed)?;
    let mut pack = workspace::cargo();
    // By the system's own gzip: what cargo-deb has itself takes a minute for less than a tenth of the size.
    let compression = ["--compress-type", "gz", "--compress-system"];
    pack.args(["deb", "--no-build", "--strip"]).args(compression).arg("--manifest-path").arg(manifest);
    pack.env("CARGO_TARGET_DIR", target).arg("--output").arg(workspace::root().join("target/debian"));
    succeed(&mut pack).map_err(|error| format!("{error}: is cargo-deb there? `cargo install cargo-deb`"))
}

/// Makes a symbolic link, in the place of one that was there.
fn link(to: impl AsRef<Path>, path: &Path) -> std::io::Result<()> {
    let _ = fs::remove_file(path);
    symlink(to, path)
}

fn succeed(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// The changes in the form that Debian has for them. Dates are not what CHANGELOG.md is about.
fn changelog(releases: &[Release]) -> String {
    let mut text = String::new();
    for Release { version, notes } in releases {
        let version = if version == "Unreleased" { env!("CARGO_PKG_VERSION") } else { version };
        let _ = writeln!(text, "lookback ({version}) unstable; urgency=medium\n");
        text.extend(notes.lines().map(|line| format!("  {line}\n")));
        let _ = writeln!(
            text,
            "\n -- The developers of lookback <lookback@localhost>  Thu, 01 Jan 1970 00:00:00 +0000\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_the_form_of_debian() {
        let release = Release { version: "0.2.0".to_owned(), notes: "* more\n  of it".to_owned() };
        let text = changelog(&[release]);
        assert!(
            text.starts_with("lookback (0.2.0) unstable; urgency=medium\n\n  * more\n    of it\n\n -- "),
            "{text}"
        );
    }
}
