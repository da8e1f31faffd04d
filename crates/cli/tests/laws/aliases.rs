//! Whatever name a call goes by, and whoever makes it.

use crate::support::{Program, Trace, command, preload_object, run};
use std::collections::BTreeSet;

fn program() -> Program {
    Program::c("aliases", &["-ldl"])
}

#[test]
fn calls_are_recorded_by_their_first_name() {
    let trace = program().keeps_the_law();
    let at = |name: &str, text: &str| trace.only(name, text);
    for (name, count) in [("stat_exit", 1), ("lstat_exit", 1), ("fstatat_exit", 1)] {
        let found = trace.named(name).filter(|event| event.field("pathname") == Some("/proc"));
        assert_eq!(found.count(), count, "{name}");
    }
    assert_eq!(at("open_exit", "/proc/self/comm").field("error"), Some("0"));
    assert_eq!(at("open_exit", "/dev/zero").field("error"), Some("0"));
    assert_eq!(at("openat_exit", "/dev/null").field("error"), Some("0"));
    assert_eq!(at("pread", "count=16").number("offset"), 5);
    assert_eq!(at("recv", "MSG_PEEK").number("len"), 3);
    assert_eq!(at("recvfrom_exit", "").number("ret"), 8);
    assert_eq!(at("fgets", "").number("size"), 6);
    assert_eq!(at("lseek", "").field("whence"), Some("SEEK_CUR"));
    assert_eq!(trace.count("fread"), 2);
}

#[test]
fn calls_that_are_looked_up_are_recorded() {
    let trace = program().keeps_the_law();
    for path in ["/by-default", "/next"] {
        trace.only("access_exit", path);
    }
    // Who asks for libc's own, by its handle or by its version, gets it.
    for path in ["/of-libc", "/versioned"] {
        assert!(!trace.named("access_exit").any(|event| event.text.contains(path)));
    }
}

#[test]
fn fortified_calls_are_recorded() {
    for level in ["-D_FORTIFY_SOURCE=2", "-D_FORTIFY_SOURCE=3"] {
        let trace = Program::c("fortified", &["-O2", "-U_FORTIFY_SOURCE", level]).keeps_the_law();
        let calls =
            ["read", "recv", "recvfrom", "poll", "readlink", "readlinkat", "open", "pread", "fgets", "fread"];
        for call in calls {
            assert_eq!(trace.count(call), 1, "{call} {level}");
            assert_eq!(trace.count(&format!("{call}_exit")), 1, "{call} {level}");
        }
    }
}

/// Where the call was made that has this path.
fn caller<'a>(trace: &'a Trace, path: &str) -> &'a str {
    let at = trace.events.iter().position(|event| event.name == "access_exit" && event.text.contains(path));
    let entry = &trace.events[at.unwrap_or_else(|| panic!("no {path}:\n{trace}")) - 1];
    assert_eq!(entry.name, "access");
    entry.field("caller").unwrap()
}

#[test]
fn libraries_that_are_opened_and_closed_are_callers() {
    let library = Program::library("library", &[]);
    let trace = program().arg(library.path()).keeps_the_law();
    assert!(caller(&trace, "/library-last").starts_with("in_library+"), "{trace}");
    // With its own names before all others it finds libc's.
    assert!(!trace.named("access_exit").any(|event| event.text.contains("/library-2")));
    // What is gone can't be named; but it was recorded.
    assert_eq!(trace.named("access_exit").filter(|event| event.text.contains("/library-")).count(), 3);
}

#[test]
fn children_of_a_process_that_loads_come_to_their_end() {
    let library = Program::library("library", &[]);
    let program = program().arg(library.path()).arg("among");
    // Loading is recorded, and these threads do nothing else.
    let (traced, trace) = program.traced_with(&["-q", "-b", "65536"]);
    assert_eq!(program.untraced(), traced);
    trace.assert_consistent();
}

#[test]
fn callers_have_their_names() {
    let trace = Program::c("callers", &[]).keeps_the_law();
    for (path, function) in [
        ("/from-main", "main"),
        ("/from-static", "in_static"),
        ("/from-thread", "in_thread"),
        ("/from-handler", "in_handler"),
        ("/from-constructor", "in_constructor"),
        ("/from-pointer", "by_pointer"),
        ("/from-child", "in_child"),
    ] {
        let caller = caller(&trace, path);
        assert!(caller.starts_with(&format!("{function}+0x")), "{path}: {caller}");
    }
}

/// The symbols that an object defines, with their versions and addresses: `name@@VERSION`, or `name@VERSION`
/// for those that only programs use that were linked with an older one.
fn defined(path: &str) -> Vec<(String, String, String)> {
    let mut readelf = command("readelf");
    readelf.args(["--dyn-syms", "--wide", path]);
    let output = run(readelf).output;
    let symbols = output.lines().filter(|line| line.contains("FUNC ") && !line.contains(" UND "));
    let parse = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, version) = words[7].split_once('@').unwrap_or((words[7], ""));
        (name.to_string(), version.trim_start_matches('@').to_string(), words[1].to_string())
    };
    symbols.map(parse).collect()
}

#[test]
fn symbols_that_mean_several_things_have_their_versions() {
    let libc = defined("/lib/x86_64-linux-gnu/libc.so.6");
    let ours = defined(preload_object().to_str().unwrap());
    assert!(libc.len() > 2000 && ours.len() > 300, "{} {}", libc.len(), ours.len());
    // Some are there under a name of ours, too.
    for (name, version, _) in ours.iter().filter(|(name, ..)| !name.starts_with("lookback_")) {
        let same = libc.iter().filter(|(of, ..)| of == name);
        let places: BTreeSet<&str> = same.clone().map(|(.., address)| address.as_str()).collect();
        assert!(!places.is_empty(), "libc has no {name}");
        if places.len() > 1 {
            assert!(same.clone().any(|(_, of, _)| of == version), "{name}@{version}: {places:?}");
        }
    }
}
