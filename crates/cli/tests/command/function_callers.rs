//! Programs that are built with `-pg`, whose calls of `mcount` no section lists.

use crate::common::*;
use crate::functions::{HOST, LIBRARY, PROGRAM, STORM, assert_calls_are_recorded, calls, path, session};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What programs are compiled with.
const KINDS: [(&str, &[&str]); 8] = [
    ("gcc", &["-pg"]),
    ("gcc", &["-pg", "-no-pie", "-fno-pie"]),
    ("gcc", &["-pg", "-mfentry"]),
    ("gcc", &["-pg", "-mfentry", "-fcf-protection=full"]),
    ("gcc", &["-pg", "-mfentry", "-no-pie", "-fno-pie"]),
    ("clang", &["-pg"]),
    ("clang", &["-pg", "-no-pie", "-fno-pie"]),
    ("clang", &["-pg", "-mfentry"]),
];

fn build(scratch: &Scratch, name: &str, source: &str, (compiler, flags): (&str, &[&str])) -> PathBuf {
    let (source, program) = (scratch.write("source.c", source), scratch.path(name));
    let mut command = scratch.command(compiler);
    run(command.args(["-O2", "-pthread", "-o"]).arg(&program).args(flags).arg(&source)).success();
    program
}

/// A control file of a session.
struct ControlFile<'a> {
    scratch: &'a Scratch,
    place: &'a str,
    name: &'a str,
}

impl ControlFile<'_> {
    fn get(&self) -> String {
        run(&mut self.scratch.lookback(&["get", "--session", self.place, self.name])).success().stdout
    }

    fn set(&self, value: &str) {
        let set = ["set", "-q", "--session", self.place, self.name, value];
        run(&mut self.scratch.lookback(&set)).success();
    }
}

fn file<'a>(scratch: &'a Scratch, place: &'a str, name: &'a str) -> ControlFile<'a> {
    ControlFile { scratch, place, name }
}

/// The first number of `dyn_ftrace_total_info`.
fn converted(scratch: &Scratch, place: &str) -> u64 {
    let info = file(scratch, place, "dyn_ftrace_total_info").get();
    let (number, rest) = info.split_once(' ').unwrap();
    assert_eq!(rest, "failed: 0 skipped: 0\n");
    number.parse().unwrap()
}

#[test]
fn every_call_is_recorded_with_who_makes_it() {
    let scratch = Scratch::new();
    for kind in KINDS {
        let program = build(&scratch, "calls", PROGRAM, kind);
        assert_calls_are_recorded(&scratch, &program, &format!("{kind:?}"));
        let chosen = ["-p", "function", "-l", "leaf"];
        run(&mut scratch.record(&chosen, &[path(&program), "2"])).success();
        let found = calls(&run(&mut scratch.report(&[])).success().stdout);
        assert_eq!(found, vec!["leaf <-middle"; 4], "{kind:?}");
    }
}

#[test]
fn calls_become_nops_and_calls_again() {
    let scratch = Scratch::new();
    for kind in [KINDS[0], KINDS[4], KINDS[5]] {
        let program = build(&scratch, "calls", PROGRAM, kind);
        let place = session(&scratch, &["-e", "sched_process_exit"]);
        let words = ["run", "--session", &place, path(&program), "100000", "slowly"];
        let running = start(&mut scratch.lookback(&words));
        let shown = || calls(&file(&scratch, &place, "trace").get());
        let listed = || run(&mut scratch.lookback(&["list", "--session", &place, "-f", "*"])).stdout;
        within(30, || {
            listed() == "leaf [calls]\nmain [calls]\nmiddle [calls]\n" || listed().lines().count() == 3
        });
        assert_eq!(converted(&scratch, &place), 0, "nobody has traced functions");
        file(&scratch, &place, "set_ftrace_filter").set("middle");
        file(&scratch, &place, "current_tracer").set("function");
        within(30, || shown().len() > 20);
        assert!(shown().iter().all(|call| call == "middle <-main"));
        within(30, || converted(&scratch, &place) >= 2);
        file(&scratch, &place, "set_ftrace_filter").set("leaf");
        within(30, || shown().last().is_some_and(|call| call == "leaf <-middle"));
        file(&scratch, &place, "current_tracer").set("nop");
        within(30, || {
            file(&scratch, &place, "trace").set("");
            std::thread::sleep(Duration::from_millis(50));
            shown().is_empty()
        });
        assert_eq!(converted(&scratch, &place), 3, "each once");
        running.signal(rustix::process::Signal::TERM);
        running.wait();
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
}

#[test]
fn conversion_is_stopped_started_and_forced() {
    let scratch = Scratch::new();
    let program = build(&scratch, "calls", PROGRAM, KINDS[0]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let enabled = file(&scratch, &place, "ftraced_enabled");
    assert_eq!(enabled.get(), "enabled\n");
    enabled.set("disable");
    assert_eq!(enabled.get(), "disabled\n");
    file(&scratch, &place, "set_ftrace_filter").set("main");
    file(&scratch, &place, "current_tracer").set("function");
    let words = ["run", "--session", &place, path(&program), "100000", "slowly"];
    let running = start(&mut scratch.lookback(&words));
    let shown = || calls(&file(&scratch, &place, "trace").get());
    within(30, || shown().len() == 1);
    // Longer than from one batch to the next.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(converted(&scratch, &place), 0);
    enabled.set("0");
    within(30, || converted(&scratch, &place) == 2);
    assert_eq!(enabled.get(), "disabled\n");
    running.signal(rustix::process::Signal::TERM);
    running.wait();
}

/// How often gprof says that functions were called, by the file in this directory.
fn counted(scratch: &Scratch, directory: &Path, program: &Path) -> Vec<String> {
    let mut gprof = scratch.command("gprof");
    let flat = run(gprof.args(["-b", "-p"]).arg(program).arg(directory.join("gmon.out"))).success().stdout;
    let mut lines: Vec<String> = flat
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let calls: u64 = words.get(3)?.parse().ok()?;
            Some(format!("{} {calls}", words.last()?))
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn profiles_of_gprof_count_what_is_not_traced() {
    let scratch = Scratch::new();
    for kind in [KINDS[0], KINDS[4]] {
        let program = build(&scratch, "calls", PROGRAM, kind);
        let profiled = |command: &mut std::process::Command| {
            let directory = tempfile::tempdir().unwrap();
            run(command.current_dir(&directory)).success();
            counted(&scratch, directory.path(), &program)
        };
        let plain = profiled(scratch.command(&program).arg("50"));
        assert_eq!(plain, ["leaf 100", "middle 50"], "{kind:?}");
        let place = session(&scratch, &["-e", "@file"]);
        let words = ["run", "--session", &place, path(&program), "50"];
        assert_eq!(profiled(&mut scratch.lookback(&words)), plain, "{kind:?}");
        file(&scratch, &place, "ftraced_enabled").set("disable");
        file(&scratch, &place, "set_ftrace_filter").set("leaf");
        file(&scratch, &place, "current_tracer").set("function");
        assert_eq!(profiled(&mut scratch.lookback(&words)), ["middle 50"], "{kind:?}");
        assert_eq!(calls(&file(&scratch, &place, "trace").get()).len(), 100);
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
}

#[test]
fn nothing_breaks_while_calls_are_converted_and_switched() {
    let scratch = Scratch::new();
    for kind in [KINDS[0], KINDS[3], KINDS[6]] {
        let program = build(&scratch, "storm", STORM, kind);
        let place = session(&scratch, &["-b", "64", "-e", "sched_process_exit"]);
        // On a busy machine a program may end before it has come to it.
        let mut runs = 0..20;
        while converted(&scratch, &place) == 0 {
            assert!(runs.next().is_some(), "{kind:?}");
            let running = start(&mut scratch.lookback(&["run", "--session", &place, path(&program)]));
            for round in 0..15 {
                file(&scratch, &place, "current_tracer").set("function");
                file(&scratch, &place, "set_ftrace_filter").set(if round % 2 == 0 { "*" } else { "n*" });
                file(&scratch, &place, "ftraced_enabled").set(if round % 2 == 0 { "1" } else { "0" });
                file(&scratch, &place, "current_tracer").set("nop");
            }
            assert_eq!(running.wait().success().stdout, "ok\n", "{kind:?}");
        }
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
}

#[test]
fn libraries_that_come_and_go_are_traced() {
    let scratch = Scratch::new();
    for flags in [&["-pg"][..], &["-pg", "-mfentry"]] {
        let library =
            compile(&scratch, "libplugin.so", LIBRARY, &[&["-O2", "-fPIC", "-shared"], flags].concat());
        let host = compile(&scratch, "host", HOST, &["-O2", "-ldl"]);
        run(&mut scratch.record(&["-p", "function"], &[path(&host), path(&library)])).success();
        let found = calls(&run(&mut scratch.report(&[])).success().stdout);
        let round = ["plugin_run <-main", "plugin_step <-plugin_run", "plugin_step <-plugin_run"];
        assert_eq!(found, [round; 3].concat(), "{flags:?}");
    }
}
