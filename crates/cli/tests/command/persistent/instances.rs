//! Instances: rare events in a buffer of their own.

use super::Persistent;
use crate::common::*;

/// Opens 20,000 files that aren't there, and one that is, in the middle.
const FLOOD: &str = "
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 20000; i++) {
        if (i == 1000) close(open(\"/etc/passwd\", O_RDONLY));
        access(\"/missing\", F_OK);
    }
    return 0;
}";

#[test]
fn a_rare_event_outlives_a_flood() {
    let persistent = Persistent::new(&["-e", "@file"]);
    persistent.done("start", &["-B", "rare", "-e", "libc:open*", "-e", "libc:close"]);
    let program = compile(&persistent.scratch, "flood", FLOOD, &[]);
    persistent.run(&[program.to_str().unwrap()]);
    assert_eq!(persistent.opened(&[]), Vec::<String>::new(), "overwritten");
    assert_eq!(persistent.opened(&["-B", "rare"]), ["/etc/passwd"]);
    let rare = persistent.shown(&["-B", "rare"]);
    assert_eq!((rare.count("access", ""), rare.count("close", "")), (0, 1));
    assert!(persistent.shown(&[]).count("access", "") > 100);
}

#[test]
fn running_programs_use_a_new_instance_at_once() {
    let persistent = Persistent::new(&["-e", "sched:"]);
    let script = "echo started; while [ ! -e stop ]; do sleep 0.01; done; cat /etc/hostname";
    let mut running =
        start(persistent.running(&["sh", "-c", script]).current_dir(persistent.scratch.path("")));
    running.wait_for("started");
    persistent.done("start", &["-B", "late", "-e", "libc:open*"]);
    std::fs::write(persistent.scratch.path("stop"), "").unwrap();
    running.wait().success();
    assert!(persistent.opened(&["-B", "late"]).contains(&"/etc/hostname".to_string()));
    assert!(persistent.shown(&["-B", "late"]).events.iter().all(|event| event.name.starts_with("open")));
    assert!(persistent.shown(&[]).events.iter().all(|event| event.name.starts_with("sched_")));
}

#[test]
fn each_has_tasks_of_its_own() {
    let persistent = Persistent::new(&["-e", "sched:"]);
    persistent.done("start", &["-B", "a", "-e", "libc:open*"]);
    let cat = || drop(persistent.run(&["cat", "/etc/hostname"]));
    cat();
    persistent.done("snapshot", &["-s", "-B", "a"]);
    assert_eq!(persistent.opened(&["-B", "a"]), Vec::<String>::new());
    assert!(persistent.opened(&["-B", "a", "-s"]).contains(&"/etc/hostname".to_string()));
    persistent.done("stop", &["-B", "a"]);
    cat();
    assert_eq!(persistent.opened(&["-B", "a"]), Vec::<String>::new());
    assert_eq!(persistent.shown(&[]).count("sched_process_exec", ""), 2, "the session goes on");
    persistent.done("clear", &[]);
    persistent.done("start", &["-B", "a"]);
    cat();
    assert!(!persistent.opened(&["-B", "a"]).is_empty());
    let stat = persistent.done("stat", &["--json", "-B", "a"]).stdout;
    assert!(stat.contains("\"instance\":\"a\"") && stat.contains("\"instances\":[\"a\"]"), "{stat}");
    persistent.done("delete", &["-B", "a"]);
    let gone = run(&mut persistent.task("show", &["-B", "a"]));
    assert!(gone.stderr.contains("has no instance \"a\": it has none"), "{gone:?}");
    cat();
    persistent.done("start", &["-B", "b", "-e", "libc:open*"]);
    assert_eq!(persistent.opened(&["-B", "b"]), Vec::<String>::new(), "nothing of before is in its memory");
}

/// What trace-cmd begins with, in its order.
const PROLOGUE: [(&str, &str); 7] = [
    ("tracing_on", "0"),
    ("current_tracer", "nop"),
    ("events/enable", "0"),
    ("events/libc/filter", "0"),
    ("trace", "0"),
    ("trace_clock", "boot"),
    ("tracing_on", "1"),
];

#[test]
fn a_client_at_the_top_level_leaves_the_recording_alone() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    let get = |options: &[&str]| persistent.done("get", options).stdout;
    persistent.run(&["cat", "/first"]);
    assert!(get(&["trace"]).contains("/first"), "it is shown there");
    persistent.done("set", &["events/libc/access/enable", "1"]);
    persistent.done("set", &["events/libc/chdir/trigger", "traceoff:2 if common_pid == 1"]);
    assert!(persistent.done("get", &["-B", "flight", "set_event"]).stdout.contains("libc:access\n"));
    let told: Vec<bool> = PROLOGUE
        .iter()
        .map(|(path, value)| persistent.done("set", &[path, value]).stderr.contains("instance flight"))
        .collect();
    assert_eq!(told, [false, true, false, false, false, false, false], "once");
    persistent.done("set", &["events/libc/close/enable", "1"]);
    persistent.run(&["cat", "/second", "/etc/hostname"]);
    let top = get(&["trace"]);
    assert!(top.contains(" close: ") && !top.contains("open"), "{top}");
    assert_eq!(persistent.opened(&[]), ["/first", "/second", "/etc/hostname"]);
    assert!(get(&["instances/flight/trace"]).contains("/first"));
    assert_eq!(persistent.shown(&["-B", "flight"]).count("close", ""), 0);
    assert!(get(&["-B", "flight", "trace_clock"]).contains("[mono]"));
    assert_eq!(
        get(&["events/libc/chdir/trigger"]),
        "traceoff:count=2 if common_pid == 1\n",
        "it has gone over"
    );
    persistent.done("set", &["events/libc/chdir/trigger", "!traceoff"]);
    let of_flight = get(&["instances/flight/events/libc/chdir/trigger"]);
    assert_eq!(of_flight, "traceoff:count=2 if common_pid == 1\n");
    let refused = run(&mut persistent.task("delete", &["-B", "flight"]));
    assert!(refused.stderr.contains("flight is the default instance"), "{refused:?}");
    persistent.done("set", &["-B", "flight", "trace", ""]);
    assert_eq!(persistent.opened(&[]), Vec::<String>::new(), "it does what its own files say");
}

/// Whichever instance is looked at first, each that wants it has the end of a killed process.
#[test]
fn each_instance_has_the_end_of_a_killed_process() {
    let session = Persistent::new(&["-e", "sched_process_exit"]);
    let calls = ["-e", "lookback:call_in_progress", "-e", "libc:*nanosleep"];
    session.done("start", &[&["-B", "ends", "-e", "sched_process_exit"][..], &calls].concat());
    session.done("start", &["-B", "none", "-e", "libc:chdir"]);
    let mut running = start(&mut session.running(&["sh", "-c", "echo ready; exec sleep 60"]));
    running.wait_for("ready");
    running.wait_until(|| !session.done("list", &[]).stdout.contains(" sh "));
    running.signal(rustix::process::Signal::KILL);
    let pid = running.wait().pid;
    assert_eq!(session.shown(&["-B", "none"]).events, []);
    for instance in [&[][..], &["-B", "ends"]] {
        let trace = session.shown(instance);
        trace.expect("sched_process_exit", &format!("comm=sleep pid={pid} noticed_by=observer"));
        assert_eq!(trace.count("sched_process_exit", ""), 1);
    }
    assert_eq!(session.shown(&["-B", "ends"]).count("call_in_progress", ""), 1);
    assert!(!session.done("show", &[]).stdout.contains("call_in_progress"));
}
