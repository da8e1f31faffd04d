//! Which thread runs: the kernel's events of that, and what is made of them.

use crate::common::*;
use crate::waits::{Measured, is_as_measured, is_on, measured, number, of};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

const INSTANCES: &str = "/sys/kernel/tracing/instances";

/// The instances that recordings of this process have made.
pub fn instances_of(pid: u32) -> Vec<String> {
    let entries = fs::read_dir(INSTANCES).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(&format!("lookback-record-{pid}-"))).collect()
}

fn compiled(scratch: &Scratch, name: &str, source: &str) -> String {
    compile(scratch, name, source, &["-pthread"]).to_str().unwrap().to_owned()
}

/// It slept from when it was seen to until it was woken at least, or could not yet do so.
#[track_caller]
fn is_off_as_measured(object: &str, measured: Measured) {
    let off = number(object, "off_cpu");
    let inexact = off / 1000 + 1000;
    let (least, most) = (off + number(object, "preempted") + inexact, measured.at_most + inexact);
    assert!(least >= measured.at_least && off <= most, "{object}");
}

/// The objects of `report --waits --json`.
fn waits(scratch: &Scratch) -> Vec<String> {
    let json = run(&mut scratch.report(&["--waits", "--json"])).success().stdout;
    json.lines().map(str::to_owned).collect()
}

#[test]
fn formats_are_the_kernels() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    for event in ["sched_switch", "sched_waking", "sched_wakeup"] {
        let kernels = fs::read_to_string(format!("/sys/kernel/tracing/events/sched/{event}/format")).unwrap();
        let ours = run(&mut scratch.lookback(&["events", "--format", &format!("sched:{event}")])).success();
        let own = |text: &str| {
            let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            let is_own = |line: &String| {
                (line.starts_with("field:") || line.starts_with("print fmt:")) && !line.contains(" common_")
            };
            lines.filter(is_own).collect::<Vec<_>>()
        };
        let (kernels, ours) = (own(&kernels), own(&ours.stdout));
        assert!(!kernels.is_empty());
        assert_eq!(kernels, ours);
    }
}

#[test]
fn times_off_cpu_are_as_the_program_has_measured_them() {
    if is_missing(&["cc"]) || is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let program = compiled(&scratch, "waits", include_str!("programs/waits.c"));
    let events = ["-q", "-e", "@default", "-e", "@lock", "-e", "@switch"];
    let recorded = run(&mut scratch.record(&events, &[&program])).success();
    let printed = &recorded.stdout;
    assert_eq!(recorded.stderr, "");
    assert_eq!(instances_of(recorded.pid), Vec::<String>::new(), "it is removed again");

    let waits = waits(&scratch);
    for (wait, kind) in [("mutex", "mutex"), ("pipe", "descriptor"), ("condition", "condition")] {
        let (object, measured) = (of(&waits, "waiter", kind), measured(printed, wait));
        is_as_measured(object, measured);
        is_off_as_measured(object, measured);
    }
    is_on(of(&waits, "waiter", "descriptor"), "helper", "write");
    assert!(number(of(&waits, "waiter", "sleep"), "off_cpu") > 0);
    let trace = scratch.trace();
    let woken = trace.matching("sched_waking", "comm=waiter");
    assert!(woken.filter(|event| event.comm == "helper").count() >= 3, "{trace:#?}");
    let table = run(&mut scratch.report(&["--waits"])).success().stdout;
    assert!(table.lines().next().unwrap().contains("OFF CPU PREEMPTED"), "{table}");
    assert!(!table.contains("doesn't have when threads ran"), "{table}");
}

#[test]
fn preempted_threads_are_told_from_those_that_wait() {
    if is_missing(&["cc"]) || is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let program = compiled(&scratch, "preempted", include_str!("programs/preempted.c"));
    run(&mut scratch.record(&["-q", "-e", "@default", "-e", "@switch"], &[&program])).success();
    let waits = waits(&scratch);
    let busy = waits.iter().find(|object| object.contains("\"comm\":\"busy\",\"kind\":null")).unwrap();
    assert!(number(busy, "preempted") > 0, "{busy}");
    // As the events say: from each switch that leaves it able to run until the next to it.
    let trace = scratch.trace();
    let out = trace.matching("sched_switch", "prev_comm=busy");
    assert!(out.filter(|event| event.get("prev_state").starts_with('R')).count() >= 3, "{trace:#?}");
}

#[test]
fn filters_and_single_events_are_as_the_kernels() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let filter = "sched_switch if prev_state == 1 && prev_comm ~ \"sle*\"";
    run(&mut scratch.record(&["-q", "-e", filter], &["sleep", "0.01"])).success();
    let trace = scratch.trace();
    assert!(!trace.events.is_empty());
    for event in &trace.events {
        assert_eq!((event.name.as_str(), event.comm.as_str()), ("sched_switch", "sleep"));
        assert!(event.text.contains("prev_state=S ==> "), "{event:?}");
    }
    run(&mut scratch.record(&["-q", "-e", "sched_switch if prev_stat == 1"], &["true"]))
        .failure(125, &["Field not found"]);
    // Nobody pays for it who hasn't asked for it.
    run(&mut scratch.record(&["-q"], &["sleep", "0.01"])).success();
    assert_eq!(scratch.trace().named("sched_switch").count(), 0);
}

#[test]
fn what_a_killed_recording_has_left_goes_with_the_next() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let script = "echo ready; read line";
    let mut command = scratch.record(&["-q", "-e", "@switch"], &["sh", "-c", script]);
    let mut running = start(command.stdin(Stdio::piped()));
    running.wait_for("ready\n");
    let pid = running.pid();
    assert_eq!(instances_of(pid).len(), 1);
    // While it runs nobody else takes it for abandoned.
    let other = Scratch::new();
    run(&mut other.record(&["-q", "-e", "@switch"], &["true"])).success();
    assert_eq!(instances_of(pid).len(), 1);
    running.signal(Signal::KILL);
    drop(running.input());
    assert_eq!(running.wait().signal(), Some(9));
    run(&mut other.record(&["-q", "-e", "@switch"], &["true"])).success();
    assert_eq!(instances_of(pid), Vec::<String>::new());
}

#[test]
fn a_program_that_is_not_found_leaves_nothing() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    fs::write(scratch.path("empty"), "").unwrap();
    let failed = run(&mut scratch.record(&["-q", "-e", "@switch"], &["./empty"])).failure(126, &["empty"]);
    assert_eq!(instances_of(failed.pid), Vec::<String>::new());
}

/// Records a program of ours as nobody. What both have printed; nothing where perf can't be had.
fn recorded_as_nobody(scratch: &Scratch, events: &[&str], (name, source): (&str, &str)) -> Option<Outcome> {
    if is_missing(&["cc"]) {
        return None;
    }
    let program = compiled(scratch, name, source);
    let mut command = as_nobody(scratch)?;
    fs::set_permissions(scratch.outside(""), fs::Permissions::from_mode(0o777)).unwrap();
    let events: Vec<&str> = events.iter().flat_map(|event| ["-e", *event]).collect();
    command.args(["record", "-o"]).arg(scratch.outside("trace.dat")).args(events).args(["--", &program]);
    Some(run(&mut command).success()).filter(|recorded| !is_without_perf(recorded))
}

/// Whether this machine lets nobody have perf's records: then that is told, and nothing recorded.
fn is_without_perf(recorded: &Outcome) -> bool {
    recorded.stderr.contains("context_switch: perf_event_open: ")
}

#[test]
fn a_persistent_session_says_that_it_has_none() {
    let scratch = Scratch::new();
    let start = |name: &str, options: &[&str]| {
        let session = scratch.outside(name).to_str().unwrap().to_owned();
        let start = ["start", "-b", "64", "--session", &session];
        run(&mut scratch.lookback(&[&start, options].concat())).success().stderr
    };
    let told = "sched_switch, sched_waking, sched_wakeup: \
                only `lookback record` and `persist` have which thread runs";
    let started = start("asked", &["-e", "sched"]);
    assert!(started.contains(told), "{started}");
    let started = start("default", &[]);
    assert!(!started.contains("which thread runs"), "{started}");
}

#[test]
fn what_the_kernel_refuses_is_told() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let without_perf = compiled(&scratch, "without_perf", include_str!("programs/without_perf.c"));
    let events = ["record", "-e", "@process", "-e", "context_switch", "-o"];
    let mut command = scratch.command(&without_perf);
    command.arg(LOOKBACK).args(events).arg(scratch.outside("trace.dat")).args(["--", "true"]);
    let recorded = run(&mut command).success();
    let told = "missing  context_switch: perf_event_open: Operation not permitted (os error 1) \
                (see /proc/sys/kernel/perf_event_paranoid; some containers allow no perf)";
    assert!(recorded.stderr.contains(told), "{}", recorded.stderr);
    let trace = scratch.trace();
    assert_eq!(trace.named("context_switch").count(), 0);
    assert!(trace.named("sched_process_exit").count() > 0, "{trace:#?}");
}

#[test]
fn who_is_not_root_knows_when_threads_run() {
    let scratch = Scratch::new();
    let program = ("waits", include_str!("programs/waits.c"));
    let events = ["@default", "@lock", "@switch"];
    let Some(recorded) = recorded_as_nobody(&scratch, &events, program) else { return };
    let missing = "sched_switch, sched_waking, sched_wakeup: only root may use the kernel's tracefs; \
                   context_switch was recorded instead";
    assert!(recorded.stderr.contains(missing), "{}", recorded.stderr);
    let trace = scratch.trace();
    assert_eq!(trace.named("sched_switch").count(), 0);
    // Nothing of lookback itself.
    assert!(trace.named("context_switch").all(|event| event.pid as u32 != recorded.pid));
    let waits = waits(&scratch);
    for (wait, kind) in [("mutex", "mutex"), ("pipe", "descriptor"), ("condition", "condition")] {
        let (object, measured) = (of(&waits, "waiter", kind), measured(&recorded.stdout, wait));
        is_off_as_measured(object, measured);
    }
    is_on(of(&waits, "waiter", "descriptor"), "helper", "write");
}

#[test]
fn who_is_not_root_has_our_own_event_for_the_kernels() {
    let scratch = Scratch::new();
    let program = ("waits", include_str!("programs/waits.c"));
    let events = ["@process", "sched:sched_switch"];
    let Some(recorded) = recorded_as_nobody(&scratch, &events, program) else { return };
    let told =
        "missing  sched_switch: only root may use the kernel's tracefs; context_switch was recorded instead";
    assert!(recorded.stderr.contains(told), "{}", recorded.stderr);
    assert!(scratch.trace().named("context_switch").count() > 2, "{}", recorded.stderr);
}

#[test]
fn who_is_not_root_knows_what_was_preempted() {
    let scratch = Scratch::new();
    let program = ("preempted", include_str!("programs/preempted.c"));
    let Some(recorded) = recorded_as_nobody(&scratch, &["@default", "context_switch"], program) else {
        return;
    };
    assert!(!recorded.stderr.contains("missing"), "{}", recorded.stderr);
    let trace = scratch.trace();
    let busy = trace.events.iter().filter(|event| event.comm == "busy" && event.name == "context_switch");
    assert!(busy.filter(|event| event.text == "direction=preempted").count() >= 3, "{trace:#?}");
    let waits = waits(&scratch);
    let busy = waits.iter().find(|object| object.contains("\"comm\":\"busy\",\"kind\":null")).unwrap();
    assert!(number(busy, "preempted") > 0, "{busy}");
}
