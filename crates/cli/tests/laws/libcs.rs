//! Other C libraries than the one that lookback was built with: musl, and a glibc that registers no rseq.

use crate::support::{Program, available, preload_object, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_object_needs_nothing() {
    let readelf = |options: &str| {
        let output = Command::new("readelf").args([options, "-W"]).arg(preload_object()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    for entry in ["(NEEDED)", "(VERNEED)", "(RUNPATH)", "(TEXTREL)"] {
        assert!(!readelf("-d").contains(entry), "{entry}");
    }
    assert!(!readelf("-V").contains("Version needs"));
    let symbols = readelf("--dyn-syms");
    let undefined: Vec<&str> = symbols.lines().filter(|line| line.contains(" UND ")).skip(1).collect();
    assert!(!undefined.is_empty(), "what is borrowed of libc is missing:\n{symbols}");
    assert!(undefined.iter().all(|line| line.contains(" WEAK ")), "{undefined:#?}");
}

/// Programs of `programs/` that musl has all the functions for, with an argument each.
const PORTABLE: [(&str, &str); 14] = [
    ("making", "fork"),
    ("making", "vfork"),
    ("making", "clone"),
    ("making", "others"),
    ("making", "syscall"),
    ("making", "daemon"),
    ("threads", "many"),
    ("threads", "destructors"),
    ("threads", "quick_exit"),
    ("signals", "faults"),
    ("signals", "jumps"),
    ("memory", ""),
    ("children", ""),
    ("callers", ""),
];

/// More of them, which an older glibc has not all for.
const OF_MUSL: [(&str, &str); 13] = [
    ("registers", ""),
    ("registers", "edge"),
    ("registers", "short"),
    ("threads", "detached"),
    ("threads", "c11"),
    ("threads", "cancel"),
    ("threads", "names"),
    ("signals", "nested"),
    ("signals", "vfork"),
    ("making", "threads"),
    ("making", "handler"),
    ("children", "threads"),
    ("memory", "churn"),
];

#[test]
fn programs_of_musl_are_traced() {
    if !available("musl-gcc") {
        return skip("musl-gcc is not installed");
    }
    for (name, way) in PORTABLE.into_iter().chain(OF_MUSL) {
        let program = Program::built_by(&["musl-gcc"], name, &[]).arg(way);
        let untraced = program.untraced();
        assert!(untraced.output.contains("ok\n"), "{name} {way}: {untraced}");
        let (traced, trace) = program.traced();
        assert_eq!(untraced, traced, "{name} {way}");
        // Of many threads some may find every lane taken, or overwrite what their lane had: then events are
        // missing.
        let has_all = !["threads", "children"].contains(&name) && way != "threads";
        if has_all {
            trace.assert_consistent();
        }
        let event = if has_all { "sched_process_exec" } else { "sched_process_exit" };
        assert!(trace.count(event) > 0, "{name} {way}:\n{trace}");
    }
}

/// Where `./setup` unpacks glibc 2.31.
fn older_glibc() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/glibc-2.31")
}

/// The program `name`, made for the older glibc and its dynamic linker, with some of its libraries.
fn for_older_glibc(name: &str, libraries: &[&str]) -> Program {
    let root = older_glibc().canonicalize().unwrap();
    let at = |path: &str| root.join(path).to_str().unwrap().to_string();
    let (shared, objects) = (at("lib/x86_64-linux-gnu"), at("usr/lib/x86_64-linux-gnu/"));
    let options = [
        format!("--sysroot={}", root.display()),
        format!("-B{objects}"),
        format!("-isystem{}", at("usr/include")),
        format!("-isystem{}", at("usr/include/x86_64-linux-gnu")),
        // The kernel's headers, which are another package.
        "-idirafter/usr/include".to_string(),
        format!("-L{shared}"),
        format!("-L{objects}"),
        format!("-Wl,-dynamic-linker={shared}/ld-linux-x86-64.so.2"),
        format!("-Wl,-rpath={shared}"),
    ];
    let compiler: Vec<&str> = ["cc"].into_iter().chain(options.iter().map(String::as_str)).collect();
    let libraries: Vec<String> = libraries.iter().map(|name| format!("{shared}/{name}")).collect();
    Program::built_by(&compiler, name, &libraries.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn programs_of_an_older_glibc_are_traced() {
    if !older_glibc().exists() {
        return skip("glibc 2.31 is not there: run ./setup");
    }
    let older = [("executing", "old"), ("executing", ""), ("threads", "destructors"), ("handlers", "told")];
    let older = older.into_iter().chain([("pointers", "sockets"), ("stacks", ""), ("registers", "edge")]);
    // Those are left out that need a function which is newer, or the compiler's library.
    let is_older = |(name, way): &(&str, &str)| *name != "making" && *way != "many";
    let portable = PORTABLE.into_iter().filter(is_older);
    for (name, way) in portable.chain(older) {
        let program = for_older_glibc(name, &["libpthread.so.0", "librt.so.1", "libdl.so.2"]).arg(way);
        let untraced = program.untraced();
        assert!(untraced.output.contains("ok\n"), "{name} {way}: {untraced}");
        let (traced, trace) = program.traced();
        assert_eq!(untraced, traced, "{name} {way}");
        trace.assert_consistent();
        assert!(trace.count("sched_process_exec") > 0, "{name} {way}:\n{trace}");
    }
}

/// Without the library of threads, which was another one then.
#[test]
fn an_older_glibc_without_threads_is_traced() {
    if !older_glibc().exists() {
        return skip("glibc 2.31 is not there: run ./setup");
    }
    let trace = for_older_glibc("fortified", &[]).keeps_the_law();
    assert!(trace.count("sched_process_exit") > 0, "{trace}");
}
