//! Static programs, which have no dynamic linker: the command maps the agent there by itself.

use crate::attaching::{ATTACHED, assert_kills_do_no_harm, assert_limits_are_kept, attach_one, begin, tell};
use crate::common::*;
use crate::detaching::{assert_goes_on_in_turns, detach};
use crate::function_interruptions::{SITTING, field};
use crate::functions::{calls, path, session};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Stdio;

const SELLING: &str = include_str!("programs/selling.c");

/// Without sites that a compiler has left. Each function begins in a word of its own.
const KINDS: [&[&str]; 2] = [
    &["-O1", "-w", "-falign-functions=16", "-static"],
    &["-O1", "-w", "-falign-functions=16", "-static-pie"],
];

fn count(directory: &str, pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/{directory}")).unwrap().count()
}

/// Who has opened files, by the lines of a trace.
fn opening(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| line.contains("sys_openat("));
    lines.map(|line| line.split_whitespace().next().unwrap()).collect()
}

/// Compares the code of each function with the file's. Padding between them is executed by nobody.
#[track_caller]
pub fn assert_functions_are_of_file(pid: u32, program: &Path) {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(bytes.as_slice()).unwrap();
    let name = path(program);
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let line = maps.lines().find(|line| line.ends_with(name)).unwrap();
    let start = u64::from_str_radix(line.split_once('-').unwrap().0, 16).unwrap();
    let text = file.section_by_name(".text").unwrap();
    let first = file.segments().map(|segment| segment.address()).min().unwrap();
    let mut found = vec![0; text.size() as usize];
    let memory = std::fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    memory.read_exact_at(&mut found, text.address() + start - first).unwrap();
    for symbol in file.symbols().filter(|symbol| symbol.section_index() == Some(text.index())) {
        let at = (symbol.address() - text.address()) as usize;
        let range = at..at + symbol.size() as usize;
        assert!(found[range.clone()] == text.data().unwrap()[range], "{:?} of {name}", symbol.name());
    }
}

pub fn trace(scratch: &Scratch, place: &str) -> String {
    run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout
}

#[test]
fn system_calls_and_functions_are_recorded_until_it_is_detached() {
    for options in KINDS {
        let scratch = Scratch::new();
        let program = compile(&scratch, "attached", ATTACHED, options);
        let place = session(&scratch, &["-e", "syscalls", "-p", "function", "-l", "leaf"]);
        let mut running = begin(&scratch, &["threads"]);
        let pid = running.pid();
        let state = || (count("fd", pid), count("task", pid), field(pid, "TracerPid:"));
        let before = state();
        let recorded = || {
            let text = trace(&scratch, &place);
            (opening(&text).len(), calls(&text).len())
        };
        for round in 1..=3 {
            attach_one(&scratch, &place, &running);
            assert_eq!(state(), before);
            tell(&mut running, "c");
            assert_eq!(recorded(), (round, round), "{options:?}");
            detach(&scratch, &place, pid).success();
            tell(&mut running, "c");
            assert_eq!((recorded(), state()), ((round, round), before.clone()), "{options:?}");
            assert_functions_are_of_file(pid, &program);
        }
        assert_eq!(calls(&trace(&scratch, &place)), ["leaf <-act"; 3]);
        running.child_input().write_all(b"q").unwrap();
        assert_eq!(running.wait().code(), Some(7));
    }
}

#[test]
fn threads_and_children_are_told_apart() {
    let scratch = Scratch::new();
    compile(&scratch, "attached", ATTACHED, KINDS[0]);
    let place = session(&scratch, &["-e", "syscalls", "-e", "@process"]);
    let mut running = begin(&scratch, &["threads"]);
    attach_one(&scratch, &place, &running);
    tell(&mut running, "t");
    tell(&mut running, "f");
    tell(&mut running, "x");
    let text = trace(&scratch, &place);
    let (mut opening, own) = (opening(&text), format!("attached-{}", running.pid()));
    opening.dedup();
    let [thread, child] = opening.as_slice() else { panic!("{text}") };
    assert!(thread.starts_with("worker-") && child.starts_with("attached-") && *child != own, "{text}");
    assert!(text.contains("sched_process_fork: parent_comm=\"attached\""), "{text}");
    running.child_input().write_all(b"q").unwrap();
    assert_eq!(running.wait().code(), Some(7));
}

#[test]
fn what_is_wanted_may_change_while_it_is_attached() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "selling", SELLING, KINDS[1]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let mut running = start(scratch.command(&program).stdin(Stdio::piped()));
    running.wait_for("ready");
    attach_one(&scratch, &place, &running);
    let set = |file: &str, value: &str| {
        run(&mut scratch.lookback(&["set", "-q", "--now", "--session", &place, file, value])).success();
    };
    set("set_ftrace_filter", "price");
    set("current_tracer", "function_graph");
    // In a handler that runs again and again.
    running.wait_until(|| trace(&scratch, &place).contains("price();"));
    set("current_tracer", "nop");
    set("events/syscalls/sys_enter_write/enable", "1");
    sell(&mut running, 0);
    set("events/syscalls/sys_enter_write/enable", "0");
    sell(&mut running, 0);
    assert_eq!(trace(&scratch, &place).matches("sys_write(").count(), 1);
    assert_functions_are_of_file(running.pid(), &program);
}

/// Has the program sell once more.
#[track_caller]
fn sell(running: &mut Running, sold: u32) {
    let before = running.printed().lines().count();
    running.child_input().write_all(b"s").unwrap();
    running.wait_until(|| running.printed().lines().count() > before);
    assert!(running.printed().ends_with(&format!("sold {sold}\n")), "{}", running.printed());
}

#[test]
fn probes_and_places_that_authors_have_marked_are_recorded() {
    for options in KINDS {
        let scratch = Scratch::new();
        let program = compile(&scratch, "selling", SELLING, options);
        let program = path(&program);
        let probe = format!("p:shop/price {program}:price count=%di:s32");
        let marked = format!("{program}:sdt_shop:sold");
        let place = session(&scratch, &["--probe", &probe, "--probe", &marked]);
        let mut running = start(scratch.command(program).stdin(Stdio::piped()));
        running.wait_for("ready");
        sell(&mut running, 0);
        attach_one(&scratch, &place, &running);
        sell(&mut running, 1);
        sell(&mut running, 2);
        detach(&scratch, &place, running.pid()).success();
        sell(&mut running, 2);
        let text = trace(&scratch, &place);
        let sold: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once("sold: ")?.1)).collect();
        assert_eq!(sold.len(), 2, "{text}");
        assert!(sold[0].contains("arg1=2") && sold[1].contains("arg1=3"), "{sold:?}");
        assert!(text.contains(" price: ") && text.contains("count=1"), "in a handler: {text}");
        assert_functions_are_of_file(running.pid(), Path::new(program));
    }
}

#[test]
fn calls_with_a_limit_go_on() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "sitting", SITTING, &["-O1", "-w", "-static", "-lrt"]);
    assert_limits_are_kept(&scratch, &program);
}

#[test]
fn a_busy_program_is_attached_and_detached_in_turns() {
    for options in KINDS {
        assert_goes_on_in_turns(&["syscalls"], options, assert_functions_are_of_file);
    }
}

#[test]
fn whoever_is_killed_while_he_attaches_leaves_the_program_well() {
    assert_kills_do_no_harm("syscalls", KINDS[0]);
}

#[test]
fn a_stripped_program_has_system_calls_and_no_names() {
    let scratch = Scratch::new();
    compile(&scratch, "attached", ATTACHED, &["-O1", "-w", "-static", "-s"]);
    let place = session(&scratch, &["-e", "syscalls", "-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &[]);
    attach_one(&scratch, &place, &running);
    tell(&mut running, "c");
    let text = trace(&scratch, &place);
    assert_eq!((calls(&text).len(), opening(&text).len()), (0, 1), "{text}");
}

#[test]
fn functions_of_a_program_of_musl_are_recorded() {
    if is_missing(&["musl-gcc"]) {
        return;
    }
    let scratch = Scratch::new();
    let headers = ["-idirafter/usr/include", "-idirafter/usr/include/x86_64-linux-gnu"];
    let options = [KINDS[0], &headers].concat();
    let program = compile_by("musl-gcc", &scratch, "attached", ATTACHED, &options);
    let place = session(&scratch, &["-p", "function", "-l", "leaf"]);
    let mut running = begin(&scratch, &["threads"]);
    for round in 1..=3 {
        let said = attach_one(&scratch, &place, &running);
        assert!(said.contains("is a static program: "), "{said}");
        tell(&mut running, "c");
        tell(&mut running, "t");
        assert_eq!(calls(&trace(&scratch, &place)).len(), round);
        detach(&scratch, &place, running.pid()).success();
        tell(&mut running, "c");
        assert_eq!(calls(&trace(&scratch, &place)).len(), round);
        assert_functions_are_of_file(running.pid(), &program);
    }
}
