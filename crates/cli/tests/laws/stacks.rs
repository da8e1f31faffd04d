//! Stacks are recorded whatever the thread stands on, and nothing is read that can't be.

use crate::support::{Program, available, lookback, run, scratch, skip};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// As distributions build: no frame pointers.
const AS_USUAL: &[&str] = &["-O2", "-fomit-frame-pointer"];

/// The file with what a program did while stacks were recorded. It did what it does otherwise.
fn recorded(program: &Program, options: &[&str]) -> PathBuf {
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "{untraced}");
    let options = [&["-q", "-T", "-e", "libc:access_exit"], options].concat();
    let (traced, file) = program.recorded_with(&options);
    assert_eq!(untraced, traced);
    file
}

fn report(file: &Path, options: &[&str]) -> String {
    let mut command = lookback();
    command.arg("report").args(options).arg(file);
    run(command).output
}

/// The functions of each stack, by the path that was asked for there.
fn stacks(file: &Path, options: &[&str]) -> HashMap<String, Vec<String>> {
    let report = report(file, options);
    let mut stacks: HashMap<String, Vec<String>> = HashMap::new();
    let mut place = None;
    for line in report.lines() {
        if let Some((_, path)) = line.split_once("pathname=\"") {
            place = path.split('"').next().map(str::to_string);
        } else if let Some(function) = line.strip_prefix(" => ") {
            // Compilers name what they have made of a function: `deep.isra.0`.
            let end = function.find('.').filter(|end| *end > 0).unwrap_or(function.len());
            stacks.entry(place.clone().expect(line)).or_default().push(function[..end].to_string());
        }
    }
    stacks
}

/// Whether a stack begins with these.
#[track_caller]
fn assert_begins(stack: &[String], functions: &[&str]) {
    assert_eq!(stack.get(..functions.len()).unwrap_or(stack), functions, "{stack:?}");
}

#[test]
fn stacks_are_whole_without_frame_pointers() {
    let file = recorded(&Program::c("stacks", AS_USUAL), &[]);
    let stacks = stacks(&file, &[]);
    let main = &stacks["/main"];
    assert_begins(main, &["mark", "inner", "outer", "main"]);
    assert_eq!(main.last().map(String::as_str), Some("_start"));
    assert_begins(&stacks["/deep"], &["mark", "inner", "deep", "deep", "deep", "deep", "main"]);
    // Through the frame that the kernel has made, to what was interrupted.
    let handler = &stacks["/handler"];
    assert_begins(handler, &["mark", "inner", "handler"]);
    let after: Vec<&str> =
        handler.iter().map(String::as_str).skip_while(|name| *name != "raise_in").collect();
    assert_eq!(after[..2], ["raise_in", "main"], "{handler:?}");
    for place in ["/thread", "/thread-own-stack", "/thread-odd-stack", "/thread-without-guard"] {
        assert_begins(&stacks[place], &["mark", "inner", "outer", "thread"]);
        assert!(!stacks[place].contains(&"...".to_string()), "{:?}", stacks[place]);
    }
    assert_begins(&stacks["/child-of-thread"], &["mark", "inner", "outer", "forking_thread"]);
    let lines = report(&file, &["--lines"]);
    assert!(lines.contains("\n => outer ("), "{lines}");
    assert!(lines.matches("stacks.c:").count() > 100, "{lines}");
    let all: Vec<&String> = stacks.values().flatten().collect();
    assert!(!all.iter().any(|name| name.contains("lookback")), "{all:?}");
}

#[test]
fn what_is_not_known_of_a_stack_is_said() {
    let stacks = stacks(&recorded(&Program::c("stacks", AS_USUAL), &["--stack-bytes", "1000"]), &[]);
    let cut = "...".to_string();
    let deeper = &stacks["/deeper"];
    assert_begins(deeper, &["mark", "inner", "deep", "deep", "deep"]);
    assert_eq!((deeper.last(), deeper.contains(&"main".to_string())), (Some(&cut), false));
    // From the signal's stack to that of the program there is no way by what was kept.
    assert_begins(&stacks["/alternate"], &["mark", "inner", "handler"]);
    assert_eq!(stacks["/alternate"].last(), Some(&cut));
    // Nobody has called a coroutine's first function.
    for place in ["/coroutine", "/coroutine-deep"] {
        assert_begins(&stacks[place], &["mark", "inner"]);
        assert_eq!(stacks[place].last(), Some(&cut));
    }
    assert_eq!(stacks["/main"].last().map(String::as_str), Some("_start"), "{:?}", stacks["/main"]);
}

/// Between the stack pointer and the end of the thread's stack are pages that can't be read.
#[test]
fn stacks_are_carved_out_of_stacks() {
    for way in ["as-usual", "filter"] {
        let program = Program::c("coroutines", AS_USUAL);
        let program = if way == "filter" { program.arg(way) } else { program };
        let untraced = program.untraced();
        assert!(untraced.is_ok(), "{untraced}");
        for options in [&["-q"][..], &["-q", "-T"], &["-q", "-T", "-e", "*:*"]] {
            let (traced, _) = program.recorded_with(options);
            assert_eq!(untraced, traced, "{way} {options:?}");
        }
    }
}

#[test]
fn programs_without_symbols_have_frames() {
    let program = Program::c("stacks", &[AS_USUAL, &["-s"]].concat());
    let stacks = stacks(&recorded(&program, &[]), &[]);
    let own = |name: &&String| name.contains("stacks");
    assert_eq!(stacks["/main"].iter().take_while(own).count(), 4, "{:?}", stacks["/main"]);
    assert_eq!(stacks["/deep"].iter().take_while(own).count(), 7, "{:?}", stacks["/deep"]);
}

#[test]
fn the_smallest_slice_and_the_largest_are_read_safely() {
    for bytes in ["96", "3968"] {
        let stacks = stacks(&recorded(&Program::c("stacks", AS_USUAL), &["--stack-bytes", bytes]), &[]);
        assert_begins(&stacks["/main"], &["mark", "inner"]);
        assert_eq!(stacks["/main"].contains(&"...".to_string()), bytes == "96");
    }
}

#[test]
fn writers_without_rseq_record_stacks() {
    let program = Program::c("stacks", AS_USUAL).env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
    let stacks = stacks(&recorded(&program, &[]), &[]);
    assert_begins(&stacks["/main"], &["mark", "inner", "outer", "main"]);
    assert_begins(&stacks["/thread"], &["mark", "inner", "outer", "thread"]);
}

#[test]
fn valgrind_has_nothing_to_say() {
    if !available("valgrind") {
        return skip("valgrind is not installed");
    }
    let program = Program::c("making", &[]).arg("fork");
    let watched = program.under(&["/usr/bin/valgrind", "-q", "--error-exitcode=9"]);
    let (untraced, (traced, file)) = (watched.untraced(), watched.recorded_with(&["-q", "-T"]));
    assert!(untraced.is_ok(), "{untraced}");
    assert_eq!(untraced, traced);
    let report = report(&file, &["-e", "fork_exit"]);
    assert_eq!(report.matches(": fork_exit: ").count(), 4, "{report}");
    assert_eq!(report.matches(": <stack trace>\n").count(), 4, "{report}");
}

#[test]
fn stacks_of_rust_programs_are_whole() {
    let source = scratch().join("stacks.rs");
    let text = "
        #[inline(never)] fn inner(path: &str) -> bool { std::hint::black_box(std::fs::read(path)).is_ok() }
        #[inline(never)] fn middle(path: &str) -> bool { !std::hint::black_box(inner(path)) }
        fn main() {
            let found = std::thread::spawn(|| std::hint::black_box(middle(\"/nowhere\"))).join().unwrap();
            println!(\"{}\", if found { \"ok\" } else { \"found\" });
        }";
    std::fs::write(&source, text).unwrap();
    let path = scratch().join("stacks-rust");
    let mut rustc = std::process::Command::new("rustc");
    rustc.args(["-O", "-C", "force-frame-pointers=no", "-o"]).arg(&path).arg(&source);
    assert!(rustc.status().unwrap().success());
    let program = Program::at(path);
    let (traced, file) = program.recorded_with(&["-q", "-T", "-e", "libc:open*_exit"]);
    assert!(traced.is_ok(), "{traced}");
    let stacks = stacks(&file, &[]);
    let stack = &stacks["/nowhere"];
    let own: Vec<&str> =
        stack.iter().map(String::as_str).filter(|name| name.starts_with("stacks::")).collect();
    assert_begins(
        &own.iter().map(ToString::to_string).collect::<Vec<_>>(),
        &["stacks::inner", "stacks::middle"],
    );
    assert!(stack.last().is_some_and(|last| last.starts_with("clone")), "{stack:?}");
}
