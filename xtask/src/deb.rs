//! Packages for Debian and its kin, by cargo-deb.

use crate::releases::{self, Release};
use crate::{Error, workspace};
use clap::Args;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Completions: the shell, and the name that it looks for.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "lookback.bash"), ("zsh", "_lookback"), ("fish", "lookback.fish")];

/// Who packs it, as in the crates' own metadata: without a host, as there is none yet.
const MAINTAINER: &str = "The developers of lookback <developers@lookback.invalid>";

/// The width of a changelog's lines.
const WIDTH: usize = 80;

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
    let package = pack(Path::new("crates/cli/Cargo.toml"), &target.join(built))?;
    add_library(&package)?;
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
    // Debian has a place for each architecture, one directory deeper.
    let pc = workspace::root().join("crates/c_api/lookback.pc");
    let pc = fs::read_to_string(pc).map_err(failed)?.replace("${pcfiledir}/../..", "${pcfiledir}/../../..");
    fs::write(directory.join("lookback.pc"), pc).map_err(failed)?;
    fs::write(directory.join("changelog"), changelog(&releases::all()?)).map_err(failed)?;
    // cargo-deb compresses it by the name of a package that isn't Debian's own.
    succeed(Command::new("gzip").args(["--best", "--no-name", "--force"]).arg(directory.join("changelog")))
}

/// Packs a crate into `target/debian`. The package.
fn pack(manifest: &Path, built: &Path) -> Result<PathBuf, Error> {
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
    let packed = pack.stderr(Stdio::inherit()).output().map_err(|error| format!("{pack:?}: {error}"))?;
    if !packed.status.success() {
        return Err(format!("{pack:?}: {}: is cargo-deb there? `cargo install cargo-deb`", packed.status));
    }
    let package = String::from_utf8_lossy(&packed.stdout).trim().to_owned();
    println!("{package}");
    Ok(PathBuf::from(package))
}

/// Has packages of programs that are linked with the library depend on this one, which cargo-deb can't say.
fn add_library(package: &Path) -> Result<(), Error> {
    let unpacked = packaging().join("unpacked");
    let _ = fs::remove_dir_all(&unpacked);
    let dpkg_deb = || Command::new("dpkg-deb");
    succeed(dpkg_deb().arg("--raw-extract").arg(package).arg(&unpacked))?;
    let (from, to) = (workspace::root().join("packaging/shlibs"), unpacked.join("DEBIAN/shlibs"));
    fs::copy(&from, &to).map_err(|error| format!("{}: {error}", to.display()))?;
    // cargo-deb strips what can be executed, and libraries can't.
    let library = unpacked.join("usr/lib/liblookback.so.0");
    fs::set_permissions(&library, fs::Permissions::from_mode(0o644))
        .map_err(|error| format!("{}: {error}", library.display()))?;
    let build = ["--root-owner-group", "-Zgzip", "--build"];
    succeed(dpkg_deb().args(build).arg(&unpacked).arg(package).stdout(Stdio::null()))?;
    fs::remove_dir_all(&unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))
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
        for item in items(notes) {
            wrap(&item, &mut text);
        }
        let _ = writeln!(text, "\n -- {MAINTAINER}  Thu, 01 Jan 1970 00:00:00 +0000\n");
    }
    text
}

/// Notes without their breaks of lines: each begins with a star.
fn items(notes: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in notes.lines() {
        match items.last_mut() {
            Some(item) if !line.starts_with("* ") => {
                item.push(' ');
                item.push_str(line.trim());
            }
            _ => items.push(line.trim().to_owned()),
        }
    }
    items
}

/// Writes a note in lines of Debian's width, which begin with two blanks; those after the first with four.
fn wrap(item: &str, text: &mut String) {
    let mut column = 0;
    for (place, word) in item.split_whitespace().enumerate() {
        let length = word.chars().count();
        if place == 0 {
            text.push_str("  ");
            column = 2;
        } else if column + 1 + length > WIDTH {
            text.push_str("\n    ");
            column = 4;
        } else {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_as_wide_as_debian_has_them() {
        let notes = format!("* {}end\n  of it\n* next", "word ".repeat(40));
        let text = changelog(&[Release { version: "0.2.0".to_owned(), notes }]);
        let lines: Vec<&str> = text.lines().skip(2).take_while(|line| !line.is_empty()).collect();
        assert!(lines.iter().all(|line| line.len() <= WIDTH) && lines[0].len() > WIDTH - 6, "{text}");
        assert!(lines[1].starts_with("    word") && lines[2].ends_with("end of it"), "{text}");
        assert_eq!(lines[3..], ["  * next"]);
    }

    #[test]
    fn changes_have_the_form_of_debian() {
        let release = Release { version: "0.2.0".to_owned(), notes: "* more\n  of it".to_owned() };
        let text = changelog(&[release]);
        assert!(
            text.starts_with("lookback (0.2.0) unstable; urgency=medium\n\n  * more of it\n\n -- "),
            "{text}"
        );
    }
}
