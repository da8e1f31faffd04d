//! A persistent session sees a thousand processes at once, and ten thousand threads.

use super::Persistent;
use crate::common::*;
use abi::control::Table;
use session::Instance;
use std::collections::BTreeSet;
use std::fs::OpenOptions;

/// A thousand processes that are there at once: each looks for a file of its own, says so, and waits until
/// the first one closes `hold`, which it does when somebody has opened `go`.
const CROWD: &str = r#"
    mkfifo hold go
    exec 3<> hold
    i=0
    while [ $i -lt 1000 ]; do
        sh -c "[ -e /child-$1-$i ]; echo up; read line" < hold 3>&- &
        i=$((i + 1))
    done
    read line < go
    exec 3>&-
    wait
    rm hold go
"#;

/// Ten thousand threads, a few at a time; then how many KB of its own it has more than after the first 2000.
const THREADS: &str = r#"
import os, threading
def kb():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon"))
for number in range(0, 10_000, 20):
    threads = [threading.Thread(target=os.access, args=(f"/thread-{number + i}", 0)) for i in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    if number == 2000: before = kb()
print(kb() - before)
"#;

/// Nothing was lost, and everybody's entries are free for others.
#[track_caller]
fn assert_complete(persistent: &Persistent) -> Instance {
    let session = Instance::open(&persistent.path).unwrap();
    let control = session.control();
    for table in [Table::Processes, Table::Tasks, Table::Objects, Table::Events] {
        assert_eq!(control.refused(table), 0);
    }
    for block in 0..session.buffer().geometry().blocks() {
        let statistics = session.buffer().statistics(block);
        assert_eq!((statistics.overrun, statistics.dropped_events()), (0, 0), "block {block}");
    }
    assert_eq!(control.processes().filter(|process| process.end_time == 0).count(), 0);
    assert_eq!(control.tasks().filter(|task| task.end_time == 0).count(), 0);
    session
}

fn memory(session: &Instance) -> u64 {
    use std::os::unix::fs::MetadataExt;
    session.file().metadata().unwrap().blocks() * 512
}

#[test]
fn a_thousand_processes_at_once_are_all_there() {
    let persistent = Persistent::of_size("16384", &["-e", "@file", "-e", "sched:"]);
    let mut before = None;
    // Three times, so that entries have to be used again: there are 4096, and each needs two.
    for round in 0..3 {
        let number = round.to_string();
        let running = start(&mut persistent.running(&["sh", "-c", CROWD, "sh", &number]));
        running.wait_until(|| running.printed().lines().count() == 1000);
        let listed = persistent.done("list", &["--json"]).stdout;
        let (attached, others) = listed.split_once("\"not_attached\":").unwrap();
        assert_eq!(attached.matches("\"comm\":\"sh\"").count(), 1001, "{listed:.1000}");
        assert_eq!(others.trim_end(), "[]}");
        OpenOptions::new().write(true).open(persistent.scratch.path("go")).unwrap();
        running.wait().success();
        let session = assert_complete(&persistent);
        let kept = *before.get_or_insert_with(|| memory(&session));
        assert_eq!(memory(&session), kept, "the session doesn't grow");
    }
    let trace = persistent.shown(&[]);
    let looked_for: BTreeSet<&str> =
        trace.events.iter().filter_map(|event| event.field("pathname")).collect();
    for number in 0..3000 {
        let path = format!("/child-{}-{}", number / 1000, number % 1000);
        assert!(looked_for.contains(path.as_str()), "{path}");
    }
    // The first of each round, its children, and mkfifo and rm.
    assert_eq!(trace.count("sched_process_exec", ""), 3 * (1 + 1000 + 2));
    assert_eq!(trace.count("sched_process_exit", ""), 3 * (1 + 1000 + 2));
    // Entries that were used again have lost their names, but not those of the last.
    let last = trace.events.iter().filter(|event| event.text.contains("\"/child-2-"));
    assert!(last.clone().count() >= 1000 && last.clone().all(|event| event.comm == "sh"));
}

#[test]
fn ten_thousand_threads_leave_nothing() {
    let persistent = Persistent::of_size("16384", &["-e", "libc:access_exit", "-e", "sched:"]);
    persistent.run(&["true"]).success();
    let before = memory(&assert_complete(&persistent));
    let grown: i64 = persistent.run(&["python3", "-c", THREADS]).success().stdout.trim().parse().unwrap();
    assert!(grown < 256, "the process grows by {grown} KB");
    assert_eq!(memory(&assert_complete(&persistent)), before, "the session doesn't grow");
    let trace = persistent.shown(&["-e", "access_exit"]);
    let looked_for: BTreeSet<&str> =
        trace.events.iter().filter_map(|event| event.field("pathname")).collect();
    assert_eq!(looked_for.iter().filter(|path| path.starts_with("/thread-")).count(), 10_000);
}
