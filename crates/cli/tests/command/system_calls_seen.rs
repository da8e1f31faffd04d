//! System calls, as programs make them: that all are recorded, and nothing else changes.

use crate::common::*;
use crate::functions::{path, session};
use std::collections::BTreeMap;
use std::path::PathBuf;

const SOURCE: &str = include_str!("programs/system_calls.c");

fn program(scratch: &Scratch) -> PathBuf {
    compile(scratch, "system_calls", SOURCE, &["-O1", "-pthread"])
}

/// That a call begins, or ends, as its own event says.
struct Seen {
    pid: i32,
    call: String,
    ends: bool,
    /// Its arguments, or its result.
    text: String,
}

/// Those of the program that was recorded last.
fn seen(scratch: &Scratch) -> Vec<Seen> {
    let call = |event: &Event| {
        let (side, call) = event.name.strip_prefix("sys_")?.split_once('_')?;
        let (call, text) = (call.to_string(), event.text.clone());
        Some(Seen { pid: event.pid, call, ends: side == "exit", text })
    };
    scratch.trace().events.iter().filter_map(call).collect()
}

/// How often a call begins, or ends.
fn count(seen: &[Seen], call: &str, ends: bool) -> usize {
    seen.iter().filter(|seen| seen.call == call && seen.ends == ends).count()
}

/// How often each call begins and ends.
type Counts = BTreeMap<String, [usize; 2]>;

/// Those between the program's two marks.
fn counted(seen: &[Seen]) -> Counts {
    let (mut counts, mut marks) = (Counts::new(), 0);
    for seen in seen {
        match seen.call.as_str() {
            "getpgid" => marks += 1,
            call if marks == 2 => counts.entry(call.to_string()).or_default()[usize::from(seen.ends)] += 1,
            _ => {}
        }
    }
    assert_eq!(marks, 4, "{counts:?}");
    counts
}

/// What strace counts between them.
fn counted_by_strace(scratch: &Scratch, program: &str, what: &str) -> BTreeMap<String, usize> {
    let mut strace = scratch.command("strace");
    let output = scratch.path("strace");
    strace.args(["-f", "-qq", "-e", "signal=none", "-o", path(&output), program, what]);
    run(&mut strace).success();
    let (mut counts, mut marks) = (BTreeMap::new(), 0);
    for line in std::fs::read_to_string(output).unwrap().lines() {
        let Some((_, line)) = line.split_once(' ') else { continue };
        // Who goes on with one has begun it before.
        let Some((call, _)) = line.trim_start().split_once('(').filter(|(call, _)| !call.starts_with('<'))
        else {
            continue;
        };
        // The kernel's names of its functions.
        let call = if call == "uname" { "newuname" } else { call };
        match call {
            "getpgid" => marks += 1,
            _ if marks == 1 => *counts.entry(call.to_string()).or_default() += 1,
            _ => {}
        }
    }
    counts
}

fn recorded(scratch: &Scratch, program: &str, what: &str) -> Vec<Seen> {
    let expected = run(scratch.command(program).arg(what)).success();
    let outcome = run(&mut scratch.record(&["-b", "64M", "-e", "syscalls:*"], &[program, what])).success();
    assert_eq!(outcome.stdout, expected.stdout, "{what}");
    seen(scratch)
}

#[test]
fn all_are_recorded_that_strace_sees() {
    if is_missing(&["strace"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = program(&scratch);
    for what in ["files", "threads"] {
        let counts = counted(&recorded(&scratch, path(&program), what));
        let expected = counted_by_strace(&scratch, path(&program), what);
        // Those after which a thread goes on twice are left alone, and a thread's end has none of its own.
        let expected = expected.into_iter().filter(|(call, _)| call != "clone3");
        let ends = |call: &str, count| if call == "exit" { 0 } else { count };
        let expected: Counts =
            expected.map(|(call, count)| (call.clone(), [count, ends(&call, count)])).collect();
        // How often threads wait for each other is up to them, and mkstemp(3) draws again if a number is one
        // of the last that would make others less likely.
        let is_certain = |call: &str| !["futex", "getrandom"].contains(&call);
        let certain =
            |counts: Counts| -> Counts { counts.into_iter().filter(|(call, _)| is_certain(call)).collect() };
        assert_eq!(certain(counts), certain(expected), "{what}");
    }
}

#[test]
fn libc_s_calls_to_itself_are_seen_with_what_they_are_given() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    let seen = recorded(&scratch, path(&program), "files");
    // fprintf's buffer, and what getaddrinfo(3) looks at.
    assert!(count(&seen, "write", false) > 1 && count(&seen, "openat", false) > 3);
    let is_not_there = |seen: &&Seen| seen.call == "access" && seen.text == "0xfffffffffffffffe";
    assert!(seen.iter().any(|seen| is_not_there(&seen)), "access(2) of a file that isn't there");
}

#[test]
fn each_call_of_each_thread_begins_and_ends() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    let seen = recorded(&scratch, path(&program), "threads");
    let mut open: BTreeMap<i32, &str> = BTreeMap::new();
    for seen in &seen {
        let before = if seen.ends { open.remove(&seen.pid) } else { open.insert(seen.pid, &seen.call) };
        assert_eq!(before, seen.ends.then_some(seen.call.as_str()), "{} {}", seen.pid, seen.call);
    }
    assert!(open.values().all(|call| ["exit", "exit_group"].contains(call)), "{open:?}");
    assert_eq!(count(&seen, "getppid", false), 8000);
}

#[test]
fn interrupted_cancelled_and_copied_threads_are_not_disturbed() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    let seen = recorded(&scratch, path(&program), "interruptions");
    // EINTR, or that the call is to be restarted: as the kernel says it to the program.
    let is_interrupted = |seen: &Seen| seen.call == "read" && seen.text == "0xfffffffffffffffc";
    assert!(seen.iter().any(is_interrupted));
    for _ in 0..5 {
        recorded(&scratch, path(&program), "cancellation");
    }
    let seen = recorded(&scratch, path(&program), "processes");
    assert!(count(&seen, "wait4", false) >= 4);
    // A child that libc makes in the program's memory is not taken for it.
    let own = seen.first().unwrap().pid;
    assert!(!seen.iter().any(|seen| seen.pid == own && ["execve", "dup2"].contains(&seen.call.as_str())));
}

#[test]
fn they_are_switched_while_threads_make_them() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let task = |task: &str, arguments: &[&str]| {
        run(&mut scratch.lookback(&[&[task, "-q", "--session", &place], arguments].concat())).success()
    };
    let words = ["run", "-q", "--session", &place, "--", path(&program), "until stopped"];
    let mut running = start(&mut scratch.lookback(&words));
    for turn in 0..40 {
        let events = if turn % 2 == 0 { "syscalls:*" } else { "syscalls:sys_enter_getppid" };
        task("set", &[events, if turn % 4 < 2 { "on" } else { "off" }]);
    }
    task("set", &["syscalls:*", "on"]);
    let are_seen = || {
        let shown = task("show", &[]).stdout;
        shown.contains("sys_getppid()") && shown.contains("sys_getppid -> ")
    };
    within(60, are_seen);
    scratch.write("stop", "");
    running.wait_for("done");
    running.wait().success();
}

#[test]
fn what_makes_one_by_its_number_is_recorded() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
        int main(void)\n{\n\
        \tlong id = syscall(SYS_getpgid, 0), wrong = syscall(9999, 1, 2, 3, 4, 5, 6);\n\
        \tprintf(\"%d %ld\\n\", id == getpgrp(), wrong);\n\treturn 0;\n}\n";
    let program = compile(&scratch, "numbers", source, &["-O1"]);
    let options = ["-e", "syscalls:sys_*_getpgid", "-e", "raw_syscalls:*"];
    let outcome = run(&mut scratch.record(&options, &[path(&program)])).success();
    assert_eq!(outcome.stdout, "1 -1\n");
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!(count(&seen(&scratch), "getpgid", false), 1, "{report}");
    assert!(report.contains("sys_enter: NR 9999 (1, 2, 3, 4, 5, 6)\n"), "{report}");
    assert!(report.contains("sys_exit: NR 9999 = -38\n"), "{report}");
}

#[test]
fn what_is_seen_of_a_file_is_listed() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>\n#include <sys/syscall.h>\n\
        int main(void)\n{\n\tlong id;\n\
        \t__asm__ volatile(\".balign 8\\nmov $39, %%eax\\nsyscall\\n.balign 8\\nlea 8(%%rsp), %%rcx\" \n\
        \t\t: \"=a\"(id) : : \"rcx\", \"r11\");\n\tprintf(\"%d\\n\", id > 0);\n\treturn 0;\n}\n";
    let program = compile(&scratch, "inline", source, &["-O1"]);
    let list = |options: &[&str]| {
        run(&mut scratch.lookback(&[&["list", "--syscalls", path(&program)], options].concat())).success()
    };
    let listed = list(&[]);
    let line = listed.stdout.lines().next().unwrap();
    assert!(line.starts_with("getpid [inline] 0x") && line.contains(" main+0x"), "{line}");
    assert!(!line.contains('('), "{line}");
    let summary = "1 place calls the kernel: 1 are seen to begin and to end";
    assert!(listed.stderr.starts_with(summary), "{}", listed.stderr);
    let json = list(&["--json"]).stdout;
    assert!(json.contains("\"call\":\"getpid\",\"number\":39"), "{json}");
    assert!(json.contains("\"enter\":\"seen\",\"exit\":\"seen\""), "{json}");
    // As it is done.
    run(&mut scratch.record(&["-e", "syscalls:*"], &[path(&program)])).success();
    let seen = seen(&scratch);
    assert_eq!([count(&seen, "getpid", false), count(&seen, "getpid", true)], [1, 1]);
    run(&mut scratch.lookback(&["list", "--syscalls", "/etc/passwd"]))
        .failure(125, &["expected a program or a library for x86-64"]);
    let left_alone = run(&mut scratch.lookback(&["list", "--syscalls", "/lib/x86_64-linux-gnu/libc.so.6"]));
    assert!(left_alone.success().stdout.contains("vfork"));
}
