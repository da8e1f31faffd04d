//! The profile of functions: how often they are called on each CPU, and how long they take.

mod programs;

use crate::common::*;
use crate::functions::{HOST, LIBRARY, NOPS, path, session};
use programs::{FORKING, PROGRAM, STORM};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a line says of a function: how often it was called, and microseconds in all, on average, squared.
type Line = (u64, [f64; 3]);

/// A session with a profile, in which the default filter is set.
struct Profile {
    scratch: Scratch,
    place: String,
    program: PathBuf,
}

impl Profile {
    fn new() -> Profile {
        let scratch = Scratch::new();
        let program = compile(&scratch, "profiled", PROGRAM, &["-O2", "-fno-optimize-sibling-calls", NOPS]);
        let place = session(&scratch, &["-e", "sched_process_exit"]);
        Profile { scratch, place, program }
    }

    fn lookback(&self, words: &[&str]) -> std::process::Command {
        self.scratch.lookback(&[&words[..1], &["--session", &self.place], &words[1..]].concat())
    }

    fn set(&self, file: &str, value: &str) {
        run(&mut self.lookback(&["set", "-q", file, value])).success();
    }

    fn get(&self, file: &str) -> String {
        run(&mut self.lookback(&["get", file])).success().stdout
    }

    /// Runs it on a CPU. What it prints.
    fn run_on(&self, cpu: u32, program: &[&str]) -> String {
        let cpu = cpu.to_string();
        run(&mut self.lookback(&[&["run", "taskset", "-c", &cpu], program].concat())).success().stdout
    }

    /// The lines of a CPU's file.
    fn on(&self, cpu: u32) -> BTreeMap<String, Line> {
        let text = self.get(&format!("trace_stat/function{cpu}"));
        let mut lines = text.lines();
        assert!(lines.next().unwrap().starts_with("  Function                               Hit    Time"));
        assert!(lines.next().unwrap().starts_with("  --------"));
        let mut last = f64::INFINITY;
        lines
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let [name, hits, time, "us", average, "us", variance, "us"] = words[..] else {
                    panic!("{text}")
                };
                let figures = [time, average, variance].map(|figure| figure.parse::<f64>().unwrap());
                assert!(figures[0] <= last, "sorted by time: {text}");
                last = figures[0];
                (name.to_string(), (hits.parse().unwrap(), figures))
            })
            .collect()
    }

    fn hits_on(&self, cpu: u32) -> Vec<(String, u64)> {
        self.on(cpu).into_iter().map(|(name, (hits, _))| (name, hits)).collect()
    }
}

fn hits(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(name, hits)| (name.to_string(), *hits)).collect()
}

fn has_cpus(count: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() >= count)
}

#[test]
fn calls_of_all_processes_are_counted_where_they_begin() {
    let profile = Profile::new();
    let program = path(&profile.program).to_string();
    assert_eq!(profile.get("function_profile_enabled"), "0\n");
    assert_eq!(profile.hits_on(0), []);
    profile.set("set_ftrace_filter", "middle leaf slow");
    profile.set("function_profile_enabled", "1");
    profile.run_on(0, &[&program, "100"]);
    let (_, [first, _, none]) = profile.on(0)["slow"];
    profile.run_on(0, &[&program, "7"]);
    let expected = hits(&[("leaf", 214), ("middle", 107), ("slow", 2)]);
    assert_eq!(profile.hits_on(0), expected);
    let (_, [time, average, variance]) = profile.on(0)["slow"];
    assert!(first >= 20_000.0 && time - first >= 20_000.0 && none == 0.0, "{first} {time} {none}");
    assert!((average - time / 2.0).abs() < 0.2, "{time} {average}");
    // Of two durations that is half the square of their difference; the file has hundredths of microseconds,
    // or tenths.
    let difference = (time - 2.0 * first).abs();
    let (least, most) = (difference - 0.4, difference + 0.4);
    assert!(
        variance * 2.0 >= least.max(0.0).powi(2) && variance * 2.0 <= most.powi(2),
        "{first} {time} {variance}"
    );
    if has_cpus(2) {
        assert_eq!(profile.hits_on(1), []);
        profile.run_on(1, &[&program, "3"]);
        assert_eq!(profile.hits_on(1), hits(&[("leaf", 6), ("middle", 3), ("slow", 1)]));
    }
    profile.set("function_profile_enabled", "0");
    profile.run_on(0, &[&program, "100"]);
    assert_eq!(profile.hits_on(0), expected, "what was counted stays");
    profile.set("function_profile_enabled", "1");
    assert_eq!(profile.hits_on(0), []);
    profile.run_on(0, &[&program, "1"]);
    assert_eq!(profile.hits_on(0), hits(&[("leaf", 2), ("middle", 1), ("slow", 1)]));
}

#[test]
fn what_killed_processes_have_called_stays() {
    let profile = Profile::new();
    profile.set("set_ftrace_notrace", "leaf");
    profile.set("function_profile_enabled", "1");
    let program = path(&profile.program).to_string();
    let mut running = start(&mut profile.lookback(&["run", "taskset", "-c", "0", &program, "5", "stays"]));
    running.wait_for("\n");
    running.wait_until(|| profile.on(0).contains_key("stays"));
    let expected = hits(&[("main", 1), ("middle", 5), ("outer", 1), ("slow", 1), ("stays", 1)]);
    let before = profile.on(0);
    assert_eq!(profile.hits_on(0), expected, "while it runs");
    assert_eq!((before["main"].1, before["stays"].1), ([0.0; 3], [0.0; 3]), "they have not returned");
    running.signal(rustix::process::Signal::KILL);
    running.wait();
    assert_eq!(profile.on(0), before);
}

#[test]
fn no_call_is_lost_among_threads_signals_and_jumps() {
    let profile = Profile::new();
    let program = compile(&profile.scratch, "storm", STORM, &["-O2", "-pthread", NOPS]);
    profile.set("function_profile_enabled", "1");
    let printed = run(&mut profile.lookback(&["run", path(&program)])).success().stdout;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let files = run(&mut profile.lookback(&["ls", "trace_stat"])).success().stdout;
    for cpu in 0..files.lines().count() as u32 {
        for (name, hits) in profile.hits_on(cpu) {
            *found.entry(name).or_default() += hits;
        }
    }
    let calls = 4 * 50_000;
    let found: Vec<(String, u64)> = found.into_iter().collect();
    let signals = printed.trim().parse().unwrap();
    assert_eq!(found, hits(&[("counted", calls), ("handled", signals), ("inner", calls)]));
}

#[test]
fn times_have_those_of_functions_within_or_not() {
    let profile = Profile::new();
    let program = path(&profile.program).to_string();
    profile.set("set_ftrace_filter", "outer slow");
    profile.set("function_profile_enabled", "1");
    profile.run_on(0, &[&program, "1"]);
    let time = |name: &str| profile.on(0)[name].1[0];
    assert!(time("outer") >= time("slow") && time("slow") >= 20_000.0);
    profile.set("function_profile_enabled", "0");
    profile.set("options/graph-time", "0");
    profile.set("function_profile_enabled", "1");
    profile.run_on(0, &[&program, "1"]);
    assert!(time("slow") >= 20_000.0, "nothing that is traced is called within");
    assert!(time("outer") < time("slow"), "{} {}", time("outer"), time("slow"));
}

#[test]
fn a_child_has_not_called_what_it_returns_from() {
    let profile = Profile::new();
    let program = compile(&profile.scratch, "forking", FORKING, &["-O2", NOPS]);
    profile.set("function_profile_enabled", "1");
    let printed = profile.run_on(0, &[path(&program)]);
    let took: f64 = printed.lines().map(|line| line.parse::<f64>().unwrap()).sum();
    let (hits, [time, ..]) = profile.on(0)["forks"];
    assert!(hits == 1 && time > 0.0 && time < took / 1000.0, "{time} {printed}");
}

#[test]
fn functions_of_libraries_are_counted_each_time_they_are_loaded() {
    let profile = Profile::new();
    let library = compile(&profile.scratch, "libplugin.so", LIBRARY, &["-O2", "-fPIC", "-shared", NOPS]);
    let host = compile(&profile.scratch, "host", HOST, &["-O2", "-ldl"]);
    profile.set("function_profile_enabled", "1");
    profile.run_on(0, &[path(&host), path(&library)]);
    assert_eq!(profile.hits_on(0), hits(&[("plugin_run", 3), ("plugin_step", 6)]));
    std::fs::remove_file(&library).unwrap();
    let names: Vec<String> = profile.on(0).into_keys().collect();
    assert!(names.iter().all(|name| name.starts_with("libplugin.so+0x")), "{names:?}");
}

#[test]
fn functions_that_have_no_site_at_their_start_are_counted() {
    let profile = Profile::new();
    let program = build_traced_example();
    profile.set("function_profile_enabled", "1");
    profile.run_on(0, &[&program]);
    let lines = profile.on(0);
    assert!(!lines.is_empty() && lines.values().any(|(_, [time, ..])| *time > 0.0), "{lines:?}");
}

#[test]
fn tracers_and_the_profile_have_functions_of_their_own() {
    let profile = Profile::new();
    let program = path(&profile.program).to_string();
    run(&mut profile.lookback(&["start", "-q", "-B", "graph", "-p", "function_graph", "-l", "middle"]))
        .success();
    profile.set("set_ftrace_filter", "leaf");
    profile.set("function_profile_enabled", "1");
    let traced = || {
        let text = profile.get("instances/graph/trace");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let calls = lines.filter_map(|line| line.split_once("|  "));
        calls.map(|(_, call)| call.trim().to_string()).collect::<Vec<_>>()
    };
    profile.run_on(0, &[&program, "3"]);
    assert_eq!(profile.hits_on(0), hits(&[("leaf", 6)]));
    assert_eq!(traced(), ["middle();"; 3]);
    // Both have the same function, in the form that is common and in others.
    profile.set("set_ftrace_filter", "middle leaf");
    for option in ["0", "1"] {
        profile.set("function_profile_enabled", "0");
        profile.set("function_profile_enabled", "1");
        profile.set("instances/graph/options/funcgraph-retaddr", option);
        profile.set("instances/graph/trace", "");
        profile.run_on(0, &[&program, "3"]);
        assert_eq!(profile.hits_on(0), hits(&[("leaf", 6), ("middle", 3)]), "{option}");
        assert_eq!(traced().len(), 3, "{option}");
    }
    // The first instance alone has its own common case.
    profile.set("instances/graph/current_tracer", "nop");
    profile.set("instances/flight/set_ftrace_filter", "slow");
    profile.set("instances/flight/current_tracer", "function_graph");
    profile.run_on(0, &[&program, "3"]);
    assert_eq!(profile.hits_on(0), hits(&[("leaf", 12), ("middle", 6)]));
    assert_eq!(profile.get("instances/flight/trace").matches("slow();").count(), 1);
}

#[test]
fn who_runs_follows_and_is_listed() {
    let profile = Profile::new();
    let source = crate::functions::PROGRAM;
    let program = compile(&profile.scratch, "calls", source, &["-O2", NOPS]);
    let running = start(&mut profile.lookback(&["run", path(&program), "1000000", "slowly"]));
    running.wait_until(|| !profile.get("available_filter_functions").is_empty());
    profile.set("set_ftrace_filter", "middle");
    profile.set("function_profile_enabled", "1");
    let is_counted = || {
        profile.get("trace_stat/function0").contains("middle")
            || (1..64).any(|cpu| {
                let text = run(&mut profile.lookback(&["get", &format!("trace_stat/function{cpu}")]));
                text.stdout.contains("middle")
            })
    };
    running.wait_until(is_counted);
    assert_eq!(profile.get("enabled_functions"), "middle [calls] (1)\n");
    profile.set("set_ftrace_filter", "leaf");
    running.wait_until(|| profile.get("enabled_functions") == "leaf [calls] (1)\n");
    profile.set("function_profile_enabled", "0");
    running.wait_until(|| profile.get("enabled_functions").is_empty());
    running.signal(rustix::process::Signal::KILL);
    running.wait();
}
