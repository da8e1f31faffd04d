//! libtracefs: a C program that calls nearly all of it, over `lookback exec` and over a mount.
//!
//! What it checks is in `libtracefs/*.c`, a file for each part.

use super::{Place, compile_all};
use crate::common::*;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The program, compiled once. None where the library isn't installed.
#[track_caller]
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        let options = libraries("libtracefs")?;
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libtracefs");
        compile_all("libtracefs", &path, &options);
        Some(path)
    };
    PROGRAM.get_or_init(compile).as_deref()
}

/// One part of the library, as it finds the tree itself, and where it is told that the tree is.
#[track_caller]
fn check(part: &str) {
    let Some(program) = program().map(|path| path.to_str().unwrap()) else { return };
    let place = Place::new();
    let outcome = run(&mut place.lookback(&["exec", "--", program, part])).success();
    assert!(outcome.stdout.contains("tracing"), "{outcome:#?}");
    let place = Place::new();
    let directory = place.scratch.path("tracing");
    std::fs::create_dir(&directory).unwrap();
    let directory = directory.to_str().unwrap();
    run(&mut place.lookback(&["mount", directory])).success();
    let outcome = run(place.in_session(place.scratch.command(program)).args([part, directory]));
    run(&mut place.lookback(&["umount", directory])).success();
    assert_eq!(outcome.success().stdout, format!("{directory}\n"));
}

/// The example that `docs/mount.md` shows.
#[test]
fn the_example_reports_failures_as_they_happen() {
    let Some(options) = libraries("libtracefs") else { return };
    let place = Place::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c/failures.c");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let source = std::fs::read_to_string(source).unwrap();
    let program = compile(&place.scratch, "failures", &source, &options);
    let mut example = start(place.lookback(&["exec", "--"]).arg(program));
    let is_there =
        || run(&mut place.lookback(&["get", "instances/failures/set_event"])).stdout.lines().count() == 3;
    example.wait_until(is_there);
    run(&mut place.lookback(&["run", "-q", "--", "cat", "/etc/hostname", "/nonexistent"]));
    example.wait_for("error=ENOENT pathname=\"/nonexistent\" duration=");
    example.signal(rustix::process::Signal::INT);
    let outcome = example.wait().success();
    assert!(outcome.stdout.contains("cat-") && !outcome.stdout.contains("hostname"), "{outcome:#?}");
    assert_eq!(run(&mut place.lookback(&["ls", "instances"])).stdout, "flight/\n");
}

#[test]
fn events_are_listed_understood_and_switched() {
    check("events");
}

#[test]
fn raw_events_come_in_order_from_their_cpus() {
    check("raw-events");
}

#[test]
fn filters_are_built_set_and_refused() {
    check("filters");
}

#[test]
fn options_are_those_of_the_kernel() {
    check("options");
}

#[test]
fn instances_are_made_used_and_removed() {
    check("instances");
}

#[test]
fn markers_are_written() {
    check("markers");
}

#[test]
fn recording_clocks_tracers_and_threads_are_chosen() {
    check("control");
}

#[test]
fn snapshots_are_taken_and_read() {
    check("snapshots");
}

#[test]
fn pages_are_read_in_all_ways() {
    check("pages");
}

#[test]
fn missing_things_are_refused() {
    check("absent");
}
