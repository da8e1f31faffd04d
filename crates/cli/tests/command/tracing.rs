//! Programs that use `tracing` and `log`.

use crate::common::*;
use session::{Instance, Session, SessionOptions};
use std::collections::HashSet;
use std::path::Path;

/// The texts of a program's events, without those of the agent. Numbers of spans are `#1`, `#2`, as they
/// come.
fn texts(trace: &Trace) -> Vec<String> {
    let mut spans: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for event in &trace.events {
        let mut words = vec![format!("{}:", event.name)];
        for word in event.text.split_whitespace() {
            let number =
                word.strip_prefix("span=").or(word.strip_prefix("parent=")).filter(|number| *number != "0");
            words.push(number.map_or(word.to_string(), |number| {
                let known = spans.iter().position(|span| span == number).unwrap_or_else(|| {
                    spans.push(number.to_string());
                    spans.len() - 1
                });
                word.replace(number, &format!("#{}", known + 1))
            }));
        }
        texts.push(words.join(" "));
    }
    texts
}

/// The events of `crates/tracing_layer/examples/spans.rs`.
const SPANS: &str = r#"
outer: span=#1 parent=0 kind=1
outer_enter: span=#1
values: span=#1 message="done" a=7 b=-7 yes=true text="text" ratio="1.5" list="[1, 2]"
generic: span=#1 value=5
generic: span=#1 value="five"
generic: span=#1 value=6
task: span=#2 parent=#1 name="mover"
task_enter: span=#2
step: span=#2 polls=1
task_exit: span=#2
task_enter: span=#2
step: span=#2 polls=2
task_exit: span=#2
task_enter: span=#2
step: span=#2 polls=3
task_exit: span=#2
task_close: span=#2
warn: [spans::log] "1 KB" left
outer_exit: span=#1
outer_close: span=#1
"#;

#[test]
fn spans_and_events_are_recorded_with_their_fields() {
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    run(&mut scratch.record(&["-q", "-e", "spans:", "-e", "log:"], &[&program])).success();
    let trace = scratch.trace();
    assert_eq!(texts(&trace), SPANS.trim().lines().collect::<Vec<_>>());
    // The task was on another thread each time.
    let mut threads: Vec<i32> = trace.named("step").map(|event| event.pid).collect();
    threads.dedup();
    assert_eq!(threads.len(), 3);
}

#[test]
fn what_is_off_is_not_recorded() {
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    let options = ["-q", "-e", "spans:task_*", "-e", "spans:generic", "-e", "log:error"];
    run(&mut scratch.record(&options, &[&program])).success();
    let names: Vec<String> = scratch.trace().events.into_iter().map(|event| event.name).collect();
    let moves = ["task_enter", "task_exit"].repeat(3);
    assert_eq!(names, [["generic"; 3].as_slice(), &moves, &["task_close"]].concat());
}

#[test]
fn a_callsite_is_enabled_while_the_program_runs() {
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    let session = scratch.outside("session");
    let options = ["-q", "-e", "sched:", "--session", session.to_str().unwrap()];
    let mut running = start(&mut scratch.record(&options, &[&program, "wait"]));
    running.wait_for("ready");
    Instance::open(&session).unwrap().set(&"spans:later".parse().unwrap(), true).unwrap();
    running.wait().success();
    assert_eq!(scratch.trace().count("later", ""), 1);
}

/// A trigger makes no system call that would wake the layer.
#[test]
fn a_callsite_is_enabled_by_a_trigger() {
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    let path = scratch.path("session");
    let options = SessionOptions { buffer_kb: 256, snapshots: 1, instances: 0, ..SessionOptions::default() };
    let session = Session::create(&path, &options).unwrap();
    let on = |arguments: &[&str]| {
        let mut command = scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", &path);
        command
    };
    let enable = |is_on| session.set(&"spans:later".parse().unwrap(), is_on).unwrap();
    // The session knows an event once it has happened.
    enable(true);
    run(&mut on(&["run", "-q", "--", &program, "wait"])).success();
    enable(false);
    let find = |name: &str| session.events().find(|event| event.name == name).unwrap().id;
    let (chdir, later) = (find("chdir"), find("later"));
    // In a program that runs, and in one that starts then.
    let mut running = start(&mut on(&["run", "-q", "--", &program, "trigger"]));
    running.wait_for("ready");
    session.set_trigger(chdir, "enable_event:spans:later").unwrap();
    running.wait().success();
    assert!(session.control().is_enabled(later, 0));
    enable(false);
    run(&mut on(&["run", "-q", "--", &program, "trigger"])).success();
    let trace = Trace::new(&run(&mut on(&["show"])).success().stdout);
    let recorded: Vec<&str> = trace.named("later").map(|event| event.get("was_on")).collect();
    assert_eq!(recorded, ["false", "true", "true"], "not before the trigger has enabled it");
    assert_eq!(trace.count("chdir", ""), 0);
    // What no trigger is about is not looked at any more.
    enable(false);
    session.set_trigger(later, "traceoff").unwrap();
    session.set_trigger(chdir, "!enable_event:spans:later").unwrap();
    assert_eq!(session.soft_events(), [later], "it has one of its own");
    session.set_trigger(later, "!traceoff").unwrap();
    assert!(session.soft_events().is_empty() && !session.control().is_looked_at("spans", "later"));
}

#[test]
fn each_span_is_entered_under_its_own_name() {
    let scratch = Scratch::new();
    let program = build_tracing_example("spans");
    run(&mut scratch
        .record(&["-q", "-e", "spans:wanted_enter", "-e", "spans:wanted_exit"], &[&program, "both"]))
    .success();
    let trace = scratch.trace();
    assert_eq!(trace.events.len(), 60_000);
    for pair in trace.events.chunks(2) {
        assert_eq!([&pair[0].name, &pair[1].name], ["wanted_enter", "wanted_exit"]);
        assert_eq!(pair[0].text, pair[1].text, "it is the same span");
    }
    // Of those that were open at once none has the number of another.
    let open: HashSet<&str> = trace.events[40_000..].iter().map(|event| event.text.as_str()).collect();
    assert_eq!(open.len(), 10_000);
}

/// What `examples/service/main.rs` records of three requests.
const SERVICE: &str = r#"
serve: span=#1 parent=0 id=1
serve_enter: span=#1
request: id=1 method=GET path="/"
lookup: span=#2 parent=#1 path="/"
lookup_enter: span=#2
lookup_exit: span=#2
lookup_close: span=#2
answered: request 1: 200, 7 bytes
serve_exit: span=#1
serve_close: span=#1
serve: span=#3 parent=0 id=2
serve_enter: span=#3
request: id=2 method=GET path="/items/7"
lookup: span=#4 parent=#3 path="/items/7"
lookup_enter: span=#4
lookup_exit: span=#4
lookup_close: span=#4
answered: request 2: 200, 9 bytes
serve_exit: span=#3
serve_close: span=#3
serve: span=#5 parent=0 id=3
serve_enter: span=#5
request: id=3 method=GET path="/favicon.ico"
lookup: span=#6 parent=#5 path="/favicon.ico"
lookup_enter: span=#6
missing: span=#6 message="no such page" path="/favicon.ico"
lookup_exit: span=#6
lookup_close: span=#6
answered: request 3: 404, 9 bytes
serve_exit: span=#5
serve_close: span=#5
"#;

#[test]
fn the_example_of_a_web_service_is_recorded() {
    let scratch = Scratch::new();
    let program = build_tracing_example("service");
    run(&mut scratch.record(&["-q", "-e", "service:"], &[&program, "demo"])).success();
    assert_eq!(texts(&scratch.trace()), SERVICE.trim().lines().collect::<Vec<_>>());
}

#[test]
fn the_example_of_a_shell_script_is_recorded() {
    let scratch = Scratch::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/script/backup.sh");
    let outcome = run(&mut scratch.record(&["-q"], &["sh", script.to_str().unwrap()])).success();
    assert_eq!(outcome.stdout, "1 file saved\n");
    let trace = scratch.trace();
    for comm in ["cp", "gzip", "ls", "wc"] {
        trace.expect_of(comm, "sched_process_exec", "");
        trace.expect_of(comm, "sched_process_exit", "group_dead=true");
    }
    trace.expect_of("gzip", "openat_exit", "pathname=notes.txt.gz");
}
