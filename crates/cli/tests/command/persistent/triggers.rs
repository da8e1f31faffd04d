//! Triggers that traced programs act on, at the event, as often as they may and not once more.

use super::{Persistent, opens};
use crate::common::*;

/// Four processes that look for 10,000 files each, all at once.
const CROWD: &str = "
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int start[2];
    char byte;
    if (pipe(start)) return 1;
    for (int child = 0; child < 4; child++)
        if (fork() == 0) {
            close(start[1]);
            if (read(start[0], &byte, 1)) _exit(1);
            for (int i = 0; i < 10000; i++) {
                access(\"/one\", F_OK);
                chdir(\"/missing\");
            }
            _exit(0);
        }
    close(start[0]);
    close(start[1]);
    while (wait(0) > 0) {}
    return 0;
}";

impl Persistent {
    /// What a file of the tree has.
    fn get(&self, path: &str) -> String {
        self.done("get", &[path]).stdout
    }

    /// `echo TEXT > PATH`.
    fn put(&self, path: &str, text: &str) {
        self.done("set", &[path, text]);
    }

    fn crowd(&self) -> String {
        compile(&self.scratch, "crowd", CROWD, &[]).to_str().unwrap().to_string()
    }
}

#[test]
fn recording_stops_after_the_event() {
    let persistent =
        Persistent::of_size("1024", &["-e", "libc:open*_exit", "-R", r#"traceoff if pathname == "/stop""#]);
    persistent.run(&["cat", "/first", "/second", "/stop", "/third", "/fourth"]);
    assert_eq!(persistent.opened(&[]), ["/first", "/second", "/stop"]);
    assert_eq!(persistent.get("tracing_on"), "0\n");
    persistent.put("tracing_on", "1");
    persistent.run(&opens("/fifth"));
    assert_eq!(persistent.opened(&[]).last().unwrap(), "/fifth");
    // It goes on with an event of another kind that is off.
    persistent.put("events/libc/chdir/trigger", "traceon:1 if common_pid > 0");
    persistent.run(&["sh", "-c", "cat /stop /lost; cd /; cat /on /stop /lost; cd /; cat /lost"]);
    let opened = persistent.opened(&[]);
    assert_eq!(opened[opened.len() - 3..], ["/stop", "/on", "/stop"], "{opened:?}");
    assert_eq!(persistent.shown(&[]).count("chdir", ""), 0);
    assert_eq!(persistent.get("events/libc/chdir/enable"), "0*\n");
}

#[test]
fn a_slow_call_takes_a_snapshot() {
    let slow = "poll(0, 0, 90)";
    let source = format!(
        "#include <poll.h>\n#include <unistd.h>\nint main(void) {{ close(-1); poll(0, 0, 1); {slow}; close(-2); }}"
    );
    let persistent = Persistent::new(&["-e", "libc:close", "--snapshots", "1"]);
    persistent.put("events/libc/poll_exit/trigger", "snapshot:1 if duration >= 80ms && duration < 60s");
    let program = compile(&persistent.scratch, "slow", &source, &[]);
    persistent.run(&[program.to_str().unwrap()]);
    assert_eq!(
        persistent.get("events/libc/poll_exit/trigger"),
        "snapshot:count=0 if duration >= 80ms && duration < 60s\n"
    );
    let closed = |options: &[&str]| {
        persistent.shown(options).events.iter().map(|event| event.get("fd").to_string()).collect::<Vec<_>>()
    };
    assert_eq!((closed(&["-s"]), closed(&[])), (vec!["-1".to_string()], vec!["-2".to_string()]));
    let bad = persistent.task("set", &["events/libc/poll_exit/trigger", "traceoff if duration > 1h"]);
    run(&mut { bad }).failure(125, &["Invalid argument"]);
}

#[test]
fn a_call_during_which_recording_goes_on_has_its_whole_duration() {
    let source =
        "#include <poll.h>\n#include <unistd.h>\nint main(void) { write(1, \".\", 1); poll(0, 0, 1500); }";
    let persistent = Persistent::new(&["-e", "libc:poll*"]);
    let program = compile(&persistent.scratch, "waits", source, &[]);
    persistent.put("tracing_on", "0");
    let mut running = start(&mut persistent.running(&[program.to_str().unwrap()]));
    running.wait_for(".");
    persistent.put("tracing_on", "1");
    running.wait();
    let shown = persistent.shown(&[]);
    assert_eq!(shown.count("poll", ""), 0);
    let duration: u64 = shown.expect("poll_exit", "").get("duration").parse().unwrap();
    assert!((1_500_000_000..20_000_000_000).contains(&duration), "{duration}");
}

#[test]
fn counts_are_exact_over_all_processes() {
    let persistent = Persistent::of_size("4096", &["-e", "libc:access", "--snapshots", "7"]);
    let crowd = persistent.crowd();
    persistent.put("events/libc/chdir/trigger", "snapshot:3");
    persistent.put("events/libc/chdir/trigger", "enable_event:libc:chdir_exit:1");
    persistent.run(&[&crowd]);
    assert_eq!(
        persistent.get("events/libc/chdir/trigger"),
        "enable_event:libc:chdir_exit:count=0\nsnapshot:count=0\n"
    );
    let stat = persistent.done("stat", &["--json", "--interval", "0"]).stdout;
    assert!(stat.contains(r#""snapshots_refused":0,"#), "{stat}");
    assert_eq!(stat.matches(r#""age_ns":"#).count(), 3, "{stat}");
    let counted: usize = ["0", "1", "2"]
        .map(|number| persistent.shown(&[&format!("--snapshot={number}")]).count("access", ""))
        .iter()
        .sum();
    assert_eq!(counted + persistent.shown(&[]).count("access", ""), 40_000, "nothing is lost in between");
    assert_eq!(persistent.get("events/libc/chdir_exit/enable"), "1*\n");
    // Off and on again as often as it may: each time one of them has done it.
    persistent.put("events/libc/access/trigger", "enable_event:libc:chdir:500");
    persistent.put("events/libc/chdir/trigger", "disable_event:libc:chdir:400");
    persistent.run(&[&crowd]);
    assert_eq!(persistent.get("events/libc/access/trigger"), "enable_event:libc:chdir:count=99\n");
    assert!(persistent.get("events/libc/chdir/trigger").starts_with("disable_event:libc:chdir:count=0\n"));
    assert_eq!(persistent.get("events/libc/chdir/enable"), "1*\n");
}

#[test]
fn the_first_of_many_stops_recording_for_all() {
    let persistent =
        Persistent::of_size("4096", &["-e", "libc:access", "-e", "libc:chdir", "-R", "traceoff:1"]);
    let crowd = persistent.crowd();
    persistent.run(&[&crowd]);
    let trace = persistent.shown(&[]);
    // Each process may have been about to write when another stopped it.
    assert!((1..=4).contains(&trace.count("chdir", "")), "{:?}", trace.events.last());
    assert_eq!(persistent.get("events/libc/chdir/trigger"), "traceoff:count=0\n");
    persistent.put("tracing_on", "1");
    persistent.done("clear", &[]);
    persistent.run(&[&crowd]);
    assert_eq!(persistent.get("tracing_on"), "1\n", "it has acted once");
    assert_eq!(persistent.shown(&[]).count("chdir", ""), 40_000);
}

#[test]
fn a_snapshot_has_what_led_to_it() {
    let persistent =
        Persistent::of_size("256", &["-e", "libc:open*_exit", "-R", r#"snapshot if pathname ~ "/keep*""#]);
    persistent.run(&["cat", "/a", "/keep1", "/b", "/c", "/keep2", "/d"]);
    assert_eq!(persistent.opened(&["-s"]), ["/b", "/c", "/keep2"], "the newest: one is kept");
    assert_eq!(persistent.opened(&[]), ["/d"]);
    let stat = persistent.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains("libc:open_exit snapshot:unlimited if pathname ~ \"/keep*\""), "{stat}");
    let held = persistent.done("snapshot", &[]);
    assert_eq!(Trace::new(&held.stdout).events.len(), 3);
}

#[test]
fn each_instance_has_triggers_of_its_own() {
    let persistent = Persistent::of_size("256", &["-e", "libc:open*_exit"]);
    persistent
        .done("start", &["-B", "one", "-e", "libc:open*_exit", "-R", r#"traceoff if pathname == "/stop""#]);
    persistent.run(&["cat", "/first", "/stop", "/last"]);
    assert_eq!(persistent.opened(&[]), ["/first", "/stop", "/last"]);
    assert_eq!(persistent.opened(&["-B", "one"]), ["/first", "/stop"]);
    assert_eq!(persistent.get("instances/one/tracing_on"), "0\n");
    persistent.done("delete", &["-B", "one"]);
    persistent.done("start", &["-B", "two", "-e", "libc:open*_exit"]);
    persistent.run(&["cat", "/stop", "/last"]);
    assert_eq!(persistent.opened(&["-B", "two"]), ["/stop", "/last"], "nothing is left of the first");
}

#[test]
fn who_is_killed_leaves_triggers_whole() {
    let persistent = Persistent::of_size("4096", &["-e", "libc:access"]);
    let path = "events/libc/access/trigger";
    for turn in 0..40 {
        let filter =
            format!("enable_event:libc:chdir:{turn} if name != {turn}").replace("name", "common_pid");
        let mut command = persistent.task("set", &[path, &filter]);
        let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(turn * 150));
        let _ = child.kill();
        child.wait().unwrap();
        let found = persistent.get(path);
        let whole = format!("enable_event:libc:chdir:count={turn} if common_pid != {turn}\n");
        assert!(found == whole || found.starts_with("# Available triggers"), "{found}");
        persistent.put(path, "!enable_event:libc:chdir");
    }
    assert_eq!(persistent.get("events/libc/chdir/enable"), "0\n");
    persistent.run(&[&persistent.crowd()]);
    assert_eq!(persistent.shown(&[]).count("access", ""), 40_000);
}

#[test]
fn a_trigger_that_many_events_have_is_a_line() {
    let of_many = ["-e", "libc:open*_exit", "-e", "libc:*at_exit", "-R", "snapshot:1 if duration > 10s"];
    let options = [&of_many[..], &["-e", "libc:open", "-R", "traceoff if mode == 7"]].concat();
    let persistent = Persistent::new(&options);
    let stat = persistent.done("stat", &["--interval", "0"]).stdout;
    let triggers: Vec<&str> = stat.lines().skip_while(|line| !line.starts_with("triggers")).take(3).collect();
    assert_eq!(triggers[0], "triggers   libc:open traceoff:unlimited if mode == 7", "{stat}");
    assert!(triggers[1].starts_with("           libc:openat_exit and "), "{stat}");
    assert!(triggers[1].ends_with(" more: snapshot:count=1 if duration > 10s"), "{stat}");
    assert!(triggers[2].starts_with("memory"), "{stat}");
}

#[test]
fn a_recording_has_triggers_of_its_own() {
    let scratch = Scratch::new();
    let options = ["-q", "-e", "libc:open*_exit", "-R", r#"traceoff if pathname == "/stop""#];
    run(&mut scratch.record(&options, &["sh", "-c", "cat /first /stop /last; true"])).success();
    let trace = scratch.trace();
    let opened: Vec<&str> = trace.events.iter().map(|event| event.get("pathname")).collect();
    assert!(opened.contains(&"/stop") && !opened.contains(&"/last"), "{opened:?}");
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    let session = persistent.path.to_str().unwrap();
    run(&mut persistent
        .scratch
        .record(&[&["--session", session], &options[..]].concat(), &["cat", "/etc/passwd"]))
    .success();
    assert!(persistent.get("events/libc/open_exit/trigger").starts_with("# Available"), "taken away again");
}

#[test]
fn what_is_wrong_is_told() {
    let scratch = Scratch::new();
    let session = scratch.outside("session");
    let session = session.to_str().unwrap();
    for (options, parts) in [
        (&["-R", "traceoff"][..], &["-R \"traceoff\" has no event", "-e EVENT before it"][..]),
        (&["-e", "libc:open", "-R", "stop"], &["\"stop\" is no trigger: expected one of traceon traceoff"]),
        (&["-e", "libc:open", "-R", "traceoff:x"], &["expected 'if FILTER'"]),
        (&["-e", "libc:open", "-R", "traceoff if x == 1"], &["parse_error: Field not found", "fields:"]),
        (&["-e", "shop:*", "-R", "traceoff"], &["no program has added events called shop:*"]),
        (&["-c"], &["--pid"]),
    ] {
        let failed = run(&mut scratch.lookback(&[&["start", "--session", session], options].concat()));
        let code = failed.code().unwrap();
        assert!(code != 0, "{failed:?}");
        failed.failure(code, parts);
        assert!(!std::path::Path::new(session).exists(), "{options:?}");
    }
}
