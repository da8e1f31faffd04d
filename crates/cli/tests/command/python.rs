//! The Python package, by its own tests: as pip installs it, with the library as it is installed.

use crate::common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Python with what the tests need, which `./setup` installs.
fn python() -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    let found = python.to_str().unwrap();
    if is_missing(&["cc", "taskset"])
        || is_not_installed(found, "pytest, mypy, pyarrow and pandas by ./setup")
    {
        return None;
    }
    Some(python)
}

/// A copy of the package's sources: what installs it writes there.
fn sources(scratch: &Scratch) -> PathBuf {
    let copy = scratch.outside("python");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    run(scratch.command("cp").arg("-r").arg(from).arg(&copy)).success();
    copy
}

#[test]
fn the_package_does_what_its_tests_say() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new();
    let (sources, prefix) = (sources(&scratch), install_c_library(&scratch));
    let installed = scratch.outside("installed");
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]);
    run(pip.arg("--target").arg(&installed).arg(&sources)).success();
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "--quiet"]).current_dir(sources.join("tests"));
    pytest.env("PYTHONPATH", &installed).env("LOOKBACK", LOOKBACK);
    pytest.env("LOOKBACK_LIBRARY", prefix.join("lib/liblookback.so.0"));
    pytest.env("LOOKBACK_INCLUDE", Path::new(env!("CARGO_MANIFEST_DIR")).join("../tracepoint/include"));
    let outcome = run(&mut pytest).success();
    assert!(outcome.stdout.contains(" passed") && !outcome.stdout.contains("skipped"), "{}", outcome.stdout);
}

#[test]
fn the_package_has_the_types_that_it_says() {
    let Some(python) = python() else { return };
    let scratch = Scratch::new();
    let mut mypy = Command::new(&python);
    mypy.args(["-m", "mypy", "--strict", "lookback", "tests"]).current_dir(sources(&scratch));
    run(&mut mypy).success();
}
