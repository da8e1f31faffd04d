//! A budget for recording: what costs too much is dropped, said to be so everywhere, and comes back.

use super::*;
use rustix::process::Signal;

/// Reads without end, in a process for each argument; then, told so, asks for paths without end.
const FLOOD: &str = r#"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
static volatile sig_atomic_t is_told;
static void tell(int signal) { is_told = 1; }
int main(int count, char **arguments) {
    char byte;
    pid_t maker = getpid();
    while (--count > 0 && fork() != 0) {}
    if (count > 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != maker)) return 0;
    int zero = open("/dev/zero", O_RDONLY);
    signal(SIGUSR1, tell);
    puts("runs");
    fflush(stdout);
    for (long times = 1; !is_told; times++) {
        read(zero, &byte, 1);
        if (times % 100000 == 0) access("/rare", F_OK);
    }
    puts("told");
    fflush(stdout);
    for (;;) {
        access("/quiet", F_OK);
        usleep(1000);
    }
}"#;

impl Persistent {
    fn stat(&self) -> String {
        self.done("stat", &["--interval", "0"]).stdout
    }

    /// What it says of the budget.
    fn budget_line(&self) -> String {
        let stat = self.stat();
        stat.lines().find(|line| line.starts_with("budget")).unwrap_or_default().to_owned()
    }
}

/// Whoever looks may bring back what is dropped, for as long as it takes to be dropped again: so all that is
/// said is waited for.
#[test]
fn what_costs_too_much_is_dropped_and_comes_back() {
    let session =
        Persistent::new(&["-e", "libc:read_exit", "-e", "libc:access_exit", "-e", "lookback:governor"]);
    session.done("start", &["-q", "--budget", "0.1"]);
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let running = start(&mut session.running(&[flood.to_str().unwrap()]));
    let enabled = || session.done("get", &["set_event"]).stdout;
    let is_dropped = || !enabled().contains("libc:read_exit\n");
    running.wait_until(is_dropped);
    assert!(enabled().contains("libc:access_exit\n"), "others go on");
    let left_out = "libc:read_exit has been left out for ";
    running.wait_until(|| {
        let stat = session.stat();
        let line =
            |name: &str| stat.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        assert!(line("budget").contains("0.1 % of each CPU for recording, at "), "{stat}");
        stat.contains(left_out) && line("complete").contains(", but libc:read_exit was left out")
    });
    running.wait_until(|| {
        let json = session.done("stat", &["--interval", "0", "--json"]).stdout;
        json.contains(r#""budget_ppm":1000,"left_out":[{"event":"libc:read_exit","per_second":"#)
            && json.contains(r#","back_age_ns":null}"#)
    });
    running.wait_until(|| session.done("show", &[]).stdout.contains(&format!("# {left_out}")));
    running.wait_until(|| session.done("extract", &["-o", "flood.dat"]).stderr.contains(left_out));
    running.signal(Signal::USR1);
    // Nobody looks, but for what is enabled.
    running.wait_until(|| !is_dropped());
    assert!(session.stat().contains("libc:read_exit was left out for "), "{}", session.stat());
    running.signal(Signal::KILL);
    running.wait();
}

/// What is dropped, and is back, are events, by which it is known from the trace alone.
#[test]
fn the_trace_says_what_was_dropped() {
    let session =
        Persistent::of_size("1024", &["-e", "libc:read_exit", "-e", "lookback:governor", "--budget", "0.1"]);
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let running = start(&mut session.running(&[flood.to_str().unwrap()]));
    let said = |what: &str| {
        let shown = session.done("show", &["-e", "lookback:governor"]).stdout;
        let mut said = Trace::new(&shown).events.into_iter().map(|event| event.text);
        said.any(|text| text.contains(what))
    };
    running.wait_until(|| said("libc:read_exit is dropped: "));
    assert!(said(", budget 0.1000 %"));
    // Nothing else is recorded: who looks brings it back.
    running.wait_until(|| said("libc:read_exit is back"));
    running.signal(Signal::KILL);
    running.wait();
}

#[test]
fn it_is_chosen_while_programs_run_and_off_by_default() {
    let session = Persistent::new(&[]);
    let budget = || session.done("get", &["budget_percent"]).stdout;
    assert_eq!(budget(), "0\n");
    assert!(!session.stat().contains("budget"));
    let said = session.done("start", &["--budget", "2.5%"]).stderr;
    assert!(said.contains("budget  2.5 % of each CPU for recording"), "{said}");
    assert_eq!(budget(), "2.5\n");
    session.done("start", &["-q", "--budget", "none"]);
    assert_eq!(budget(), "0\n");
    session.done("set", &["budget_percent", "1"]);
    assert_eq!(budget(), "1\n");
    // Other instances have none, and say nothing of it.
    session.done("start", &["-q", "-B", "rare", "-e", "libc:open"]);
    assert!(!session.done("stat", &["--interval", "0", "-B", "rare"]).stdout.contains("budget"));
    for bad in ["0", "101", "much", "-1"] {
        run(&mut session.task("start", &[&format!("--budget={bad}")]))
            .failure(125, &["expected percent from 0.0001 to 100, or none"]);
    }
    run(&mut session.task("set", &["budget_percent", "much"]))
        .failure(125, &["expected percent from 0.0001 to 100, or 0"]);
}

/// The price of an event is at first that of the machine; what programs measure moves it.
#[test]
fn what_an_event_costs_is_measured_where_it_is_recorded() {
    let session = Persistent::new(&["-e", "libc:read_exit", "--budget", "100"]);
    let first = session.budget_line();
    assert!(first.contains(" ns for each event"), "{first}");
    assert_eq!(session.budget_line(), first, "nobody has measured");
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let running = start(&mut session.running(&[flood.to_str().unwrap()]));
    running.wait_until(|| session.budget_line() != first);
    running.signal(Signal::KILL);
    running.wait();
    session.done("set", &["budget_percent", "0"]);
    assert_eq!(session.budget_line(), "");
}

/// Many processes, which were forked, and are killed while events are dropped: in the end all are back.
#[test]
fn nothing_stays_dropped_whoever_is_killed() {
    let events = ["libc:read", "libc:read_exit", "libc:access_exit"];
    let session = Persistent::new(&events.map(|event| ["-e", event]).concat());
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let enabled = || session.done("get", &["set_event"]).stdout;
    for _ in 0..4 {
        session.done("set", &["budget_percent", "0.01"]);
        let running: Vec<Running> = (0..3)
            .map(|_| start(&mut session.running(&[flood.to_str().unwrap(), "child", "child"])))
            .collect();
        running[0].wait_until(|| !enabled().contains("libc:read\n"));
        for running in running {
            running.signal(Signal::KILL);
            running.wait();
        }
        session.done("set", &["budget_percent", "0"]);
        assert_eq!(enabled().lines().count(), events.len(), "{}", enabled());
        assert!(!session.stat().contains(" has been left out "), "{}", session.stat());
    }
}

/// Where nothing else is recorded, and nobody looks but `persist`.
#[test]
fn a_copy_to_disk_brings_back_what_was_dropped() {
    let session = Persistent::new(&["-e", "libc:read_exit", "--budget", "0.1"]);
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let persist = session.persist(&["--interval", "0.01"]);
    let running = start(&mut session.running(&[flood.to_str().unwrap()]));
    let is_dropped = || session.done("get", &["set_event"]).stdout.is_empty();
    running.wait_until(is_dropped);
    running.signal(Signal::USR1);
    running.wait_until(|| !is_dropped());
    running.signal(Signal::KILL);
    running.wait();
    persist.signal(Signal::TERM);
    persist.wait().success();
}

/// Its events are neither counted nor dropped in another instance; a snapshot that was taken before says
/// nothing of what was dropped since.
#[test]
fn it_is_said_where_events_are_missing_alone() {
    let session = Persistent::new(&["-e", "libc:read_exit", "-e", "libc:access_exit"]);
    session.done("start", &["-q", "-B", "other", "-e", "libc:read_exit"]);
    session.run(&["/bin/cat", "/dev/null"]);
    session.done("snapshot", &["-s", "-q"]);
    session.done("set", &["budget_percent", "0.1"]);
    let flood = compile(&session.scratch, "flood", FLOOD, &["-O1"]);
    let running = start(&mut session.running(&[flood.to_str().unwrap()]));
    running
        .wait_until(|| session.done("show", &[]).stdout.contains("# libc:read_exit has been left out for "));
    assert!(!session.done("show", &["--snapshot"]).stdout.contains("left out"));
    assert!(!session.done("show", &["-B", "other"]).stdout.contains("left out"));
    assert_eq!(session.done("get", &["-B", "other", "set_event"]).stdout, "libc:read_exit\n");
    // Who chooses it himself is followed.
    session.done("set", &["-B", "flight", "events/libc/read_exit/enable", "0"]);
    assert!(!session.stat().contains("has been left out"));
    session.done("set", &["budget_percent", "0"]);
    assert_eq!(session.done("get", &["-B", "flight", "set_event"]).stdout, "libc:access_exit\n");
    running.signal(Signal::KILL);
    running.wait();
}
