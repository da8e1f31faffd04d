//! Programs of Go that run: their functions have stacks of goroutines, of which the agent may use nothing.

use crate::attaching::{attach, attach_one};
use crate::common::*;
use crate::detaching::detach;
use crate::functions::{calls, path, session};
use crate::static_programs::{assert_functions_are_of_file, trace};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

const GOING: &str = include_str!("programs/going.go");

/// Builds it, as Go builds what has no C.
fn build_going(scratch: &Scratch) -> PathBuf {
    build_go(scratch, "going", GOING, &["-tags", "netgo,osusergo"])
}

fn begin_going(scratch: &Scratch, program: &PathBuf) -> Running {
    let mut command = scratch.command(program);
    command.arg(scratch.outside("profile")).stdin(Stdio::piped());
    command.env("GOMAXPROCS", "4").env("GODEBUG", "gcstoptheworld=0,asyncpreemptoff=0");
    let mut running = start(&mut command);
    running.wait_for("ready");
    running
}

/// Has it do something: what it prints then.
#[track_caller]
fn tell_going(running: &mut Running, line: &str) -> String {
    let before = running.printed().len();
    running.child_input().write_all(format!("{line}\n").as_bytes()).unwrap();
    running.wait_until(|| running.printed()[before..].ends_with('\n'));
    running.printed()[before..].trim().to_owned()
}

#[track_caller]
fn quit_going(mut running: Running) {
    running.child_input().write_all(b"quit\n").unwrap();
    assert_eq!(running.wait().code(), Some(7));
}

/// How often each function was called.
fn counts(scratch: &Scratch, place: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for call in calls(&trace(scratch, place)) {
        *counts.entry(call.split_once(" <-").unwrap().0.to_owned()).or_default() += 1;
    }
    counts
}

const ROUNDS: usize = 100;

/// How often they are called in so many rounds of each of eight goroutines.
fn expected() -> BTreeMap<String, usize> {
    let deep: usize = (0..ROUNDS).map(|round| round % 40 + 1).sum();
    let each = ["main.(*Counter).Add", "main.leaf", "main.scalar"].map(|name| (name, ROUNDS));
    let doubles = ["main.double[go.shape.int_0]", "main.double[go.shape.float64_0]"];
    let of_goroutine =
        each.into_iter().chain(doubles.map(|name| (name, ROUNDS))).chain([("main.grow", deep)]);
    of_goroutine.map(|(name, count)| (name.to_owned(), 8 * count)).collect()
}

#[test]
fn calls_are_counted_while_stacks_move_and_garbage_is_collected() {
    if is_missing(&["go"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_going(&scratch);
    let lists = ["-l", "main.leaf", "-l", "main.grow", "-l", "main.(\\*Counter).Add", "-l", "main.scalar"];
    let options = [&["-b", "20m", "-p", "function", "-l", "main.double*"][..], &lists].concat();
    let place = session(&scratch, &options);
    let mut running = begin_going(&scratch, &program);
    let sum = tell_going(&mut running, &format!("work {ROUNDS}"));
    tell_going(&mut running, "disturb");
    for round in 1..=3 {
        let said = attach_one(&scratch, &place, &running);
        assert!(said.contains("is a program of Go: "), "{said}");
        for _ in 0..2 {
            assert_eq!(tell_going(&mut running, &format!("work {ROUNDS}")), sum);
        }
        assert_eq!(
            tell_going(&mut running, "recover"),
            "runtime error: invalid memory address or nil pointer dereference"
        );
        assert_eq!(tell_going(&mut running, "execute"), "child\n <nil>");
        detach(&scratch, &place, running.pid()).success();
        assert_eq!(tell_going(&mut running, &format!("work {ROUNDS}")), sum);
        assert_functions_are_of_file(running.pid(), &program);
        let counted = expected().into_iter().map(|(name, count)| (name, 2 * round * count)).collect();
        assert_eq!(counts(&scratch, &place), counted);
    }
    assert_eq!(tell_going(&mut running, "calm"), "profiled true");
    quit_going(running);
}

#[test]
fn threads_that_end_leave_their_stacks_to_others() {
    if is_missing(&["go"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_going(&scratch);
    let place = session(&scratch, &["-b", "20m", "-p", "function", "-l", "main.leaf"]);
    let mut running = begin_going(&scratch, &program);
    attach_one(&scratch, &place, &running);
    let count = 3000;
    assert_eq!(tell_going(&mut running, &format!("threads {count}")), format!("threads {count}"));
    assert_eq!(calls(&trace(&scratch, &place)).len(), count);
    quit_going(running);
}

#[test]
fn system_calls_of_its_functions_are_recorded() {
    if is_missing(&["go"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_going(&scratch);
    let place = session(&scratch, &["-b", "20m", "-e", "syscalls"]);
    let mut running = begin_going(&scratch, &program);
    attach_one(&scratch, &place, &running);
    let seen = |what: &str| trace(&scratch, &place).matches(what).count();
    tell_going(&mut running, "read 50");
    assert_eq!((seen("sys_openat("), seen("sys_openat -> 0x")), (50, 50));
    // What its child does in its memory is not taken for its own.
    assert_eq!(tell_going(&mut running, "execute"), "child\n <nil>");
    assert_eq!((seen("sys_wait4(") > 0, seen("sys_execve(")), (true, 0));
    let before = seen("sys_openat(");
    detach(&scratch, &place, running.pid()).success();
    tell_going(&mut running, "read 50");
    assert_eq!(seen("sys_openat("), before);
    assert_functions_are_of_file(running.pid(), &program);
    quit_going(running);
}

#[test]
fn returns_are_not_recorded_nor_what_the_runtime_does() {
    if is_missing(&["go"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_going(&scratch);
    let place = session(&scratch, &["-b", "20m", "-p", "function_graph", "-l", "main.*", "-l", "runtime.*"]);
    let mut running = begin_going(&scratch, &program);
    attach_one(&scratch, &place, &running);
    let sum = tell_going(&mut running, "work 20");
    assert!(!trace(&scratch, &place).contains("main."));
    let state = run(&mut scratch.lookback(&["stat", "--session", &place])).success().stdout;
    assert!(state.contains("Go's functions are not seen to return: "), "{state}");
    let set = |file: &str, value: &str| {
        run(&mut scratch.lookback(&["set", "-q", "--now", "--session", &place, file, value])).success();
    };
    set("current_tracer", "function");
    assert_eq!(tell_going(&mut running, "work 20"), sum);
    let counted = counts(&scratch, &place);
    assert_eq!(counted["main.work"], 1);
    assert!(counted.keys().all(|name| name.starts_with("main.")), "{counted:?}");
    let listed = run(&mut scratch.lookback(&["list", "-fruntime.*", "--session", &place]));
    listed.failure(125, &["no program that has run has a function that is called runtime.*"]);
    let probe = format!("p:going/leaf {}:main.leaf", path(&program));
    let refused = run(&mut scratch.lookback(&["probe", "--session", &place, &probe]));
    assert!(refused.stderr.contains("stacks that are too small for probes"), "{refused:?}");
    quit_going(running);
}

#[test]
fn programs_of_go_with_a_c_library_in_them_are_refused() {
    if is_missing(&["go", "cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = "package main\n// int seven(void) { return 7; }\nimport \"C\"\nimport (\"fmt\"; \"os\")\n\
                  func main() { fmt.Println(\"ready\", C.seven()); os.Stdin.Read(make([]byte, 1)); \
                  fmt.Println(\"ok\") }\n";
    let options = ["-ldflags", "-linkmode external -extldflags -static"];
    let program = build_go(&scratch, "mixed", source, &options);
    let place = session(&scratch, &["-e", "syscalls"]);
    let mut running = start(scratch.command(&program).stdin(Stdio::piped()));
    running.wait_for("ready");
    let refused = attach(&scratch, &place, &[&running.pid().to_string()]);
    refused.failure(125, &["a static program of Go with a C library in it"]);
    running.child_input().write_all(b"q").unwrap();
    assert!(running.wait().success().stdout.ends_with("ok\n"));
}
