//! Row 2: libtracefs's stream of `trace_pipe`, which splices.

use crate::kernel::KernelInstance;
use crate::mounted::*;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Says why a test is not run. Where all that it needs is expected to be there, that is a failure.
fn skip(why: &str) {
    println!("skipped: {why}");
    assert!(std::env::var_os("LOOKBACK_CI").is_none_or(|value| value != "1"), "skipped: {why}");
}

/// The program that streams, made here. None where libtracefs is not installed.
fn program(scratch: &TempDir) -> Option<PathBuf> {
    let mut found = Command::new("pkg-config");
    let found =
        found.args(["--cflags", "--libs", "libtracefs"]).output().ok().filter(|found| found.status.success());
    let Some(found) = found else {
        skip("no libtracefs for programs in C");
        return None;
    };
    let flags = String::from_utf8(found.stdout).unwrap();
    let (program, source) =
        (scratch.path().join("stream"), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mount/stream.c"));
    let mut compiler = Command::new("cc");
    output(
        compiler.args(["-D_GNU_SOURCE", "-o"]).arg(&program).arg(source).args(flags.split_ascii_whitespace()),
    );
    Some(program)
}

/// What the program prints of an instance, as marks, and how it ends.
fn streamed(program: &Path, (top, instance): (&Path, &str), how: &str) -> String {
    let directory =
        if instance.is_empty() { top.to_path_buf() } else { top.join("instances").join(instance) };
    let mark = |text: &str| std::fs::write(directory.join("trace_marker"), text).unwrap();
    mark("one");
    mark("two");
    let mut child = Command::new(program);
    let arguments = [top.as_os_str(), OsStr::new(instance), OsStr::new(how), OsStr::new("900")];
    let child = child.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    mark("three");
    std::fs::write(directory.join("tracing_on"), "0").unwrap();
    let ended = child.wait_with_output().unwrap();
    std::fs::write(directory.join("tracing_on"), "1").unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    let (len, error) = said.trim().split_once(' ').unwrap_or_else(|| panic!("{said}"));
    assert_eq!(len.parse(), Ok(text.len()), "{said}");
    let marks = text.lines().map(|line| line.rsplit_once(": ").unwrap().1);
    format!("{} {error}", marks.collect::<Vec<_>>().join(" "))
}

#[test]
fn row_02_libtracefs_streams() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(program) = program(&scratch) else { return };
    let mounted = Mounted::new();
    std::fs::create_dir(mounted.path("instances/one")).unwrap();
    let kernel = KernelInstance::new();
    let top = mounted.path("");
    let places = [(top.as_path(), ""), (top.as_path(), "one")].into_iter();
    for place in places.chain(kernel.as_ref().map(KernelInstance::place)) {
        assert_eq!(streamed(&program, place, "wait"), "one two three EINTR", "{place:?}");
        assert_eq!(streamed(&program, place, "nonblocking"), "one two EAGAIN", "{place:?}");
        assert_eq!(streamed(&program, place, "nonblocking"), "three one two EAGAIN", "{place:?}");
        assert_eq!(streamed(&program, place, "wait"), "three one two three EINTR", "{place:?}");
    }
}

/// Where splice(2) is refused it says so at once, and doesn't hang.
#[test]
fn row_02_libtracefs_fails_to_stream_with_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let Some(program) = program(&scratch) else { return };
    let mounted = Mounted::without_ptrace();
    let mut child = Command::new(program);
    let ended = child.arg(mounted.path("")).args(["", "wait", "900"]).output().unwrap();
    assert_eq!((ended.stdout, ended.stderr), (Vec::new(), b"-1 EINVAL\n".to_vec()));
}
