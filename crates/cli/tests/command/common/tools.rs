//! What has to be installed for a test.

use crate::common::{LOOKBACK, Scratch, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a program is.
fn find(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(program)).find(|path| path.is_file())
}

/// Whether a test can't be run for want of one of these programs.
#[track_caller]
pub fn is_missing(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| find(program).is_none());
    missing.is_some_and(|program| skip(&format!("{program} is not installed")))
}

/// Whether a test can't be run for want of a file that something installs.
#[track_caller]
pub fn is_not_installed(path: &str, what: &str) -> bool {
    !Path::new(path).exists() && skip(&format!("{path} is missing: {what}"))
}

/// What the compiler has to be told to use a C library. None where a test can't be run for want of it.
#[track_caller]
pub fn libraries(name: &str) -> Option<Vec<String>> {
    if is_missing(&["cc", "pkg-config"]) {
        return None;
    }
    let found = Command::new("pkg-config").args(["--cflags", "--libs", name]).output().unwrap();
    if !found.status.success() {
        skip(&format!("{name} can't be compiled with: {}", String::from_utf8_lossy(&found.stderr).trim()));
        return None;
    }
    Some(String::from_utf8_lossy(&found.stdout).split_whitespace().map(String::from).collect())
}

/// Whether a test can't be run for want of the kernel's tracefs, or of the right to record into it.
#[track_caller]
pub fn is_without_tracefs() -> bool {
    let is_there = Path::new("/sys/kernel/tracing/instances").is_dir();
    needs_root("record what the kernel does") || !is_there && skip("tracefs is not mounted")
}

/// Says that a test is not run, and why. Where everything has to be there, that is a failure.
#[track_caller]
fn skip(why: &str) -> bool {
    let is_strict = ["CI", "LOOKBACK_CI"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(!is_strict, "skipped: {why}");
    eprintln!("skipped: {why}");
    true
}

/// Whether a test can't be run by who is not root.
#[track_caller]
pub fn needs_root(what: &str) -> bool {
    !rustix::process::geteuid().is_root() && skip(&format!("needs root to {what}"))
}

/// A copy of the command that somebody else than root runs, without arguments yet. None where a test can't be
/// run.
#[track_caller]
pub fn as_nobody(scratch: &Scratch) -> Option<Command> {
    if is_missing(&["setpriv"]) || needs_root("become somebody else") {
        return None;
    }
    // Others need not be able to reach the one that was built.
    let lookback = scratch.outside("lookback");
    install(scratch, LOOKBACK.as_ref(), &lookback);
    let mut command = scratch.command("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(lookback);
    Some(command)
}

/// Copies a program. By another process: a child that a test starts meanwhile would inherit a file open for
/// writing, and such a file can't be executed.
#[track_caller]
pub fn install(scratch: &Scratch, from: &Path, to: &Path) {
    run(scratch.command("install").args(["-m", "755"]).arg(from).arg(to)).success();
}

/// A shell script in which there is a file system of its own at `place`, mounted with these options. It finds
/// the command in `$LOOKBACK`. None where a test can't be run.
#[track_caller]
pub fn with_mount(scratch: &Scratch, place: &str, options: &str, script: &str) -> Option<Command> {
    if is_missing(&["unshare", "mount"]) || needs_root("mount a file system") {
        return None;
    }
    let mut command = scratch.command("unshare");
    let mount = format!("mkdir -p {place}; mount -t tmpfs -o {options} none {place} && {script}");
    command.args(["-m", "sh", "-c", &mount]).env("LOOKBACK", LOOKBACK);
    Some(command)
}

/// A command in a pid namespace of its own, without arguments yet. None where a test can't be run.
#[track_caller]
pub fn in_pid_namespace(scratch: &Scratch) -> Option<Command> {
    if is_missing(&["unshare"]) || needs_root("make a pid namespace") {
        return None;
    }
    let mut command = scratch.command("unshare");
    command.args(["--pid", "--fork", LOOKBACK]);
    Some(command)
}

/// Compiles a C program of `source` to the path `name`, with more options.
#[track_caller]
pub fn compile(scratch: &Scratch, name: &str, source: &str, options: &[&str]) -> PathBuf {
    compile_by("cc", scratch, name, source, options)
}

/// [`compile`] by another compiler.
#[track_caller]
pub fn compile_by(compiler: &str, scratch: &Scratch, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let path = scratch.outside(name);
    let file = scratch.outside(&format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    let headers = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/command/programs");
    let mut command = scratch.command(compiler);
    run(command.args([headers, "-pthread", "-o"]).arg(&path).arg(&file).args(options)).success();
    path
}

/// Builds what `source` says, by `go build` with these options.
#[track_caller]
pub fn build_go(scratch: &Scratch, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let (directory, path) = (scratch.outside(&format!("{name}.go")), scratch.outside(name));
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("go.mod"), "module example\ngo 1.18\n").unwrap();
    std::fs::write(directory.join("main.go"), source).unwrap();
    let mut command = scratch.command("go");
    command.args(["build", "-o"]).arg(&path).args(options).arg(".").current_dir(directory);
    // What Go has compiled of its own library is kept.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go");
    run(command.env("GOCACHE", cache).env("GO111MODULE", "on")).success();
    path
}

/// Builds an example of `lookback-tracing`.
#[track_caller]
pub fn build_tracing_example(name: &str) -> String {
    build("tracing_layer", name, &[])
}

/// Builds an example of `lookback-tracepoint` with these variables in cargo's environment.
#[track_caller]
pub fn build_example(name: &str, options: &[(&str, &str)]) -> String {
    build("tracepoint", name, options)
}

/// Builds `examples/tokio`, with the flags that its directory has.
#[track_caller]
pub fn build_tokio_example() -> String {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tokio");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tokio");
    finish(cargo_build(&sources.join("Cargo.toml"), "dev", &target).arg("--locked").current_dir(&sources));
    target.join("debug/tasks").into_os_string().into_string().unwrap()
}

/// Builds the example of `lookback-client`.
#[track_caller]
pub fn build_client_example() -> String {
    build("client", "consumer", &[])
}

/// Builds the library for C, and installs it with its headers as the documentation says: gives the directory
/// of the installation, whose `lib/pkgconfig` finds it.
#[track_caller]
pub fn install_c_library(scratch: &Scratch) -> PathBuf {
    // With what the example needs as well.
    let example = PathBuf::from(build_client_example());
    let target = example.ancestors().nth(3).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c_api");
    let mut cargo = cargo_build(&sources.join("Cargo.toml"), "dev", target);
    finish(cargo.arg("--offline"));
    let prefix = scratch.outside("prefix");
    let (lib, include) = (prefix.join("lib"), prefix.join("include"));
    for directory in [&lib.join("pkgconfig"), &include] {
        std::fs::create_dir_all(directory).unwrap();
    }
    std::fs::copy(target.join("debug/liblookback_c.so"), lib.join("liblookback.so.0")).unwrap();
    std::os::unix::fs::symlink("liblookback.so.0", lib.join("liblookback.so")).unwrap();
    for name in ["lookback_session.h", "lookback_reader.h", "lookback_consumer.h"] {
        std::fs::copy(sources.join("include").join(name), include.join(name)).unwrap();
    }
    std::fs::copy(sources.join("lookback.pc"), lib.join("pkgconfig/lookback.pc")).unwrap();
    prefix
}

/// Builds `examples/functions`, which has functions with `#[lookback::traced]`.
#[track_caller]
pub fn build_traced_example() -> String {
    build("traced", "functions", &[])
}

/// Builds it with everything inlined.
#[track_caller]
pub fn build_traced_example_optimized(scratch: &Scratch) -> PathBuf {
    let example = PathBuf::from(build_traced_example());
    let built = example.parent().and_then(Path::parent).unwrap().join("deps");
    let is_macro = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("liblookback-") && name.ends_with(".so")
    };
    let mut files = std::fs::read_dir(built).unwrap().map(|entry| entry.unwrap().path());
    let mut library = std::ffi::OsString::from("lookback=");
    library.push(files.find(is_macro).unwrap());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/functions/main.rs");
    let program = scratch.path("functions");
    let mut rustc = Command::new("rustc");
    rustc.args(["-O", "--edition", "2024", "--crate-name", "functions", "--extern"]).arg(library);
    run(rustc.arg("-o").arg(&program).arg(source)).success();
    program
}

/// Builds an example of a crate and gives what comes of it, `name`. The profile is that of
/// `CARGO_BUILD_PROFILE`.
#[track_caller]
fn build(package: &str, name: &str, options: &[(&str, &str)]) -> String {
    let profile =
        options.iter().find(|(name, _)| *name == "CARGO_BUILD_PROFILE").map_or("dev", |found| found.1);
    let example = name.trim_start_matches("lib").trim_end_matches(".so");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../{package}/Cargo.toml"));
    // Each has a directory of its own, so that nothing is replaced while it runs.
    let key: String = options.iter().flat_map(|(name, value)| [*name, *value]).collect();
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{package}-{key}"));
    let mut cargo = cargo_build(&manifest, profile, &target);
    finish(cargo.args(["--offline", "--example", example]).envs(options.iter().copied()));
    let directory = if profile == "dev" { "debug" } else { profile };
    target.join(directory).join("examples").join(name).into_os_string().into_string().unwrap()
}

/// `cargo build` of a crate into a directory.
fn cargo_build(manifest: &Path, profile: &str, target: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--profile", profile]);
    cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target);
    // What is meant for the build of the tests.
    for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(name);
    }
    cargo
}

/// Waits for a build, however long it takes: on a machine that does other things, too, the first may take
/// minutes.
#[track_caller]
fn finish(cargo: &mut Command) {
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
