//! Builds the object that is preloaded into traced programs, so that the command carries it inside.
//!
//! It is another build of the agent: it aborts rather than unwinds, is optimized as a whole, and takes
//! libc's names, so it can't be an ordinary dependency.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that the object is made of.
const CRATES: [&str; 16] = [
    "abi",
    "agent",
    "call_slots",
    "control",
    "event_filter",
    "event_trigger",
    "events",
    "function_filter",
    "function_sites",
    "planner",
    "probe",
    "ring_buffer",
    "rseq",
    "shm",
    "text_poke",
    "trace_event",
];

fn main() {
    let variable =
        |name: &str| PathBuf::from(env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}")));
    let crates = variable("CARGO_MANIFEST_DIR").join("..");
    for name in CRATES {
        println!("cargo::rerun-if-changed={}", crates.join(name).join("src").display());
    }
    let map = crates.join("agent/preload.map");
    println!("cargo::rerun-if-changed={}", map.display());
    let out = variable("OUT_DIR");
    let objects = [
        ("preload", "liblookback.so"),
        ("vector_of_threads", "liblookback-musl.so"),
        ("static_program", "liblookback-static.so"),
    ];
    for (feature, object) in objects {
        let archive = build(&crates, &out, feature);
        link(&archive, &map, &out.join(object));
    }
}

/// Compiles the agent and all below it into an archive, with one of the agent's features, after which it is
/// named: tests look at it.
fn build(crates: &Path, out: &Path, feature: &str) -> PathBuf {
    let target = out.join("agent");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(crates.join("agent"))
        .args(["rustc", "--lib", "--crate-type", "staticlib", "--features", feature, "--release"])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "2");
    // Code generation alone: what these functions call is compiled into them.
    cargo.arg("--");
    for name in quick_functions(crates) {
        cargo.arg("-C").arg(format!("llvm-args=-force-attribute={name}:noimplicitfloat"));
    }
    // What is meant for the build of the command: flags for coverage, or clippy instead of the compiler.
    for name in [
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_BUILD_TARGET",
    ] {
        cargo.env_remove(name);
    }
    run(cargo);
    let archive = out.join(feature).with_extension("a");
    let built = target.join("release/libagent.a");
    fs::copy(&built, &archive).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
    archive
}

/// The functions that are compiled to use no vector registers, by their names in the object.
fn quick_functions(crates: &Path) -> Vec<String> {
    let path = crates.join("agent/src/preload/function/quick.rs");
    let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    source.split('"').filter(|part| part.starts_with("lookback_quick_")).map(str::to_owned).collect()
}

/// Links the archive into a shared object. Whatever is missing is an error: that is how it is known that
/// nothing in it can panic.
fn link(archive: &Path, map: &Path, object: &Path) {
    let mut script = OsString::from("-Wl,--version-script=");
    script.push(map);
    let mut cc = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    // Without a library: it is loaded by every dynamic linker, whatever C library that belongs to.
    cc.args(["-shared", "-nostdlib", "-o"])
        .arg(object)
        .arg("-Wl,--whole-archive")
        .arg(archive)
        .args([
            "-Wl,--no-whole-archive",
            "-Wl,--gc-sections",
            "-Wl,--no-undefined",
            "-Wl,-soname,liblookback.so",
        ])
        .arg(script)
        // What it has itself it doesn't look for elsewhere.
        .arg("-Wl,-Bsymbolic-functions")
        // Fewer pages to map, and to change, in every process that starts.
        .args(["-Wl,-z,norelro", "-Wl,-z,noseparate-code", "-Wl,--sort-section=name", "-Wl,-s"]);
    run(cc);
}

fn run(mut command: Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}
