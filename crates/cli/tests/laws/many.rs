//! More processes and threads than tables have space for at once.

use crate::support::{Program, Trace, lookback, scratch};
use abi::control::Table;
use session::{Instance, Selection};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Longer than it takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Switches what is meant on and off.
fn switch(session: &Instance, selection: &Selection, on: bool) {
    let meant = |event: &session::EventInfo| selection.matches(&event.system, &event.name, event.class);
    for event in session.events().filter(meant) {
        session.control().enable(event.id, 0, on);
    }
}

#[test]
fn a_thousand_processes_come_and_go_while_events_are_switched() {
    let program = Program::c("children", &[]);
    let (path, file) = (scratch().join("switched"), scratch().join("switched.dat"));
    let mut command = lookback();
    command.args(["record", "-q", "-b", "65536", "-o"]).arg(&file).arg("--session").arg(&path);
    command.args(["--", program.path()]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let calls: [Selection; 3] = ["@file", "@mem", "@process"].map(|text| text.parse().unwrap());
    let (start, mut switches) = (Instant::now(), 0);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < LIMIT, "it takes too long");
        if let Ok(session) = Instance::open(&path) {
            for (index, selection) in calls.iter().enumerate() {
                // The life of processes stays on.
                let on = switches >> index & 1 == 0;
                switch(&session, selection, on || index == 2);
            }
            let refused = [Table::Processes, Table::Tasks].map(|table| session.control().refused(table));
            assert_eq!(refused, [0, 0]);
            let running = session.control().processes().filter(|process| process.end_time == 0);
            assert!(running.count() <= 20 + 20 + 1, "processes that have ended are known as such");
        }
        switches += 1;
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success());
    assert!(switches > 50, "{switches}");
    let trace = Trace::read(&file);
    trace.assert_ordered();
    assert!(!trace.is_incomplete);
    assert_eq!(trace.count("sched_process_fork"), 1 + 1000);
    assert_eq!(trace.count("sched_process_exit"), 1 + 1000);
    let accesses = trace.count("access_exit");
    assert!((1..=5 * 1000).contains(&accesses), "{accesses}");
    for event in trace.named("access_exit").filter(|event| event.text.contains("/child-")) {
        assert_eq!(event.field("error"), Some("ENOENT"), "{event:?}");
    }
}

#[test]
fn ten_thousand_threads_are_all_there() {
    let program = Program::c("children", &[]).arg("threads");
    let options = ["-q", "-b", "131072", "-e", "@default", "-e", "@mem"];
    let (run, trace) = program.traced_with(&options);
    assert!(run.is_ok(), "{run}");
    trace.assert_consistent();
    assert_eq!(trace.count("sched_process_fork"), 1 + 10_000);
    assert_eq!(trace.count("sched_process_exit"), 1 + 10_000);
    assert_eq!(trace.named("access_exit").filter(|event| event.text.contains("/thread")).count(), 10_000);
    assert_eq!(trace.count("pthread_join_exit"), 10_000);
}
