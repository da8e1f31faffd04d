//! Snapshots that programs take, for reasons that `lookback snapshots` shows.

use super::*;

/// Takes one in a handler, for a reason that is longer than what is kept of it.
const IN_HANDLER: &str = r#"
#include <lookback.h>
#include <signal.h>
#include <stdlib.h>

static void handle(int number)
{
	(void)number;
	lookback_snapshot("reload asked for, and then some more words than the session keeps of any such reason, or of most others");
}

int main(void)
{
	signal(SIGHUP, handle);
	LB_PRINTK("before");
	raise(SIGHUP);
	LB_PRINTK("after");
	lookback_snapshot(0);
	return 3;
}
"#;

/// A session with memory for a snapshot, in which messages are enabled.
fn session(options: &[&str]) -> Persistent {
    let session = Persistent::new(&[&["-e", "ftrace:print"], options].concat());
    session.done("set", &["snapshot_enabled", "1"]);
    session
}

/// The messages in a trace that is shown.
fn messages(shown: &str) -> Vec<&str> {
    let lines = shown.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.rsplit_once(": ")?.1)).collect()
}

#[test]
fn a_program_says_why() {
    let session = session(&["--snapshots", "2"]);
    let program = build_example("snapshot", &[]);
    let outcome = session.run(&[&program]);
    assert_eq!(outcome.stdout, "served\n");
    let listed = session.done("snapshots", &[]).stdout;
    let row = format!("snapshot-{}  -     the queue is full\n", outcome.pid);
    assert!(listed.starts_with("NUMBER  TAKEN ") && listed.contains(&row), "{listed}");
    assert!(listed.ends_with("\n1 snapshot of 2 kept\n"), "{listed}");
    let json = session.done("snapshots", &["--json"]).stdout;
    let parts =
        ["\"by\":\"program\",", "\"reason\":\"the queue is full\"}", "\"refused\":0,\"snapshots\":[{"];
    assert!(parts.iter().all(|part| json.contains(part)), "{json}");
    assert!(who_line(&session).ends_with(&format!("by snapshot-{}: the queue is full", outcome.pid)));
    let kept = session.done("snapshots", &["show", "0"]).stdout;
    assert_eq!(messages(&kept), ["the queue has 1 entries", "the queue has 2 entries"]);
    assert_eq!(messages(&session.done("show", &[]).stdout), ["the queue has 3 entries"]);
    kept_is_shown_as(&session, "0", &kept);
    // There is memory for one: the next takes its place.
    session.run(&[&program]);
    let listed = session.done("snapshots", &[]).stdout;
    assert!(listed.contains("\n     1  ") && listed.ends_with("\n1 snapshot of 2 kept\n"), "{listed}");
}

fn who_line(session: &Persistent) -> String {
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    let mut lines = stat.lines().skip_while(|line| !line.contains("number 0:"));
    lines.nth(1).unwrap().to_string()
}

/// What is written to a file is what is shown.
fn kept_is_shown_as(session: &Persistent, number: &str, kept: &str) {
    let file = session.scratch.outside("kept.dat");
    let saved = session.done("snapshots", &["save", number, "-o", file.to_str().unwrap()]);
    assert!(saved.stderr.contains(&format!("snapshot {number}: taken 20")), "{saved:?}");
    let report = run(session.scratch.lookback(&["report"]).arg(&file)).success().stdout;
    Trace::new(&report).expect_same(&Trace::new(kept));
    run(&mut session.task("snapshots", &["show", "9"]))
        .failure(125, &["has no snapshot 9: `lookback snapshots"]);
    run(&mut session.task("snapshots", &["--json", "show", "0"]))
        .failure(125, &["--json of snapshots lists them: give it after show, or leave it out"]);
    run(&mut session.task("snapshots", &["show", "x"]))
        .failure(125, &["expected a snapshot's number like 3"]);
}

#[test]
fn a_program_without_memory_for_one_is_refused() {
    let session = Persistent::new(&["-e", "ftrace:print", "--snapshot-on", "none"]);
    let empty = session.done("snapshots", &[]).stdout;
    assert!(empty.starts_with("0 snapshots of 1 kept: `lookback snapshot -s"), "{empty}");
    let program = build_example("snapshot", &[]);
    session.run(&[&program]);
    let listed = session.done("snapshots", &[]).stdout;
    assert!(listed.starts_with("0 snapshots of 1 kept; 1 refused, as there was no memory"), "{listed}");
    assert_eq!(messages(&session.done("show", &[]).stdout).len(), 3, "nothing was taken away");
    // A recording keeps everything, and has no snapshots.
    let scratch = Scratch::new();
    let outcome = run(&mut scratch.record(&["-q", "-e", "ftrace:print"], &[&program])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!((outcome.stdout.as_str(), messages(&report).len()), ("served\n", 3), "{report}");
    assert_eq!(run(&mut scratch.command(&program)).success().stdout, "served\n", "not recorded at all");
}

#[test]
fn a_handler_in_c_takes_snapshots() {
    let session = session(&["--snapshots", "2"]);
    // Which reserves memory for all.
    session.done("set", &["events/libc/raise_exit/trigger", "snapshot if ret < 0"]);
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tracepoint/include");
    let options = ["-I", include.to_str().unwrap()];
    let program = compile(&session.scratch, "handler", IN_HANDLER, &options);
    let program = program.to_str().unwrap();
    assert_eq!(run(&mut session.running(&[program])).code(), Some(3));
    let kept = session.done("snapshots", &["show", "0"]).stdout;
    assert_eq!(messages(&kept), ["before"]);
    let listed = session.done("snapshots", &[]).stdout;
    assert!(listed.contains("reload asked for, and then") && listed.contains(" the program\n"), "{listed}");
    assert!(listed.contains("or of most\n"), "96 bytes are kept: {listed}");
    assert_eq!(run(&mut session.scratch.command(program)).code(), Some(3), "not recorded");
    let off = compile(&session.scratch, "off", IN_HANDLER, &[options[0], options[1], "-DLOOKBACK_OFF"]);
    assert_eq!(run(&mut session.running(&[off.to_str().unwrap()])).code(), Some(3));
    assert_eq!(session.done("snapshots", &[]).stdout, listed, "nothing was taken");
}
