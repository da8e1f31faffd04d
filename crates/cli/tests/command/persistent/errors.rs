//! Errors that take snapshots: whatever a program ends by, it ends as without lookback, and what led to it is
//! kept.

use super::*;
use std::os::unix::process::ExitStatusExt;

pub(super) const ALL_ERRORS: &str = "signal,panic,abort,assert,terminate,exit,kill";

/// A session whose errors take snapshots, and that records little else.
pub(super) fn session(errors: &str) -> Persistent {
    Persistent::new(&[
        "--snapshot-on",
        errors,
        "--snapshots",
        "2",
        "-e",
        "libc:access_exit",
        "-e",
        "signal:signal_deliver",
        "-e",
        "exceptions:page_fault_user",
    ])
}

fn build(scratch: &Scratch) -> String {
    let program = compile(scratch, "errors", include_str!("../programs/errors.c"), &["-w", "-O0"]);
    program.to_str().unwrap().to_string()
}

/// A command that leaves a core, if its end is one that does.
fn with_core<'a>(program: &[&'a str]) -> Vec<&'a str> {
    [&["sh", "-c", "ulimit -c unlimited; exec \"$0\" \"$@\""], program].concat()
}

/// What `snapshots` says of why they were taken.
pub(super) fn reasons(session: &Persistent) -> Vec<String> {
    reasons_in(&session.done("snapshots", &["--json"]).stdout)
}

/// What `snapshots --json` has said of that.
pub(super) fn reasons_in(json: &str) -> Vec<String> {
    let parts = |name: &'static str| {
        let start = format!("\"{name}\":");
        json.split("{\"number\":").skip(1).map(move |object| {
            let value = object.split_once(&start).unwrap().1;
            value.split([',', '}']).next().unwrap().trim_matches('"').to_string()
        })
    };
    let all = parts("by").zip(parts("signal")).zip(parts("status")).zip(parts("reason"));
    all.map(|(((by, signal), status), reason)| {
        [by, signal, status, reason].into_iter().filter(|part| part != "null").collect::<Vec<_>>().join(" ")
    })
    .collect()
}

/// Runs a program with and without lookback, which has to make no difference. Why it took snapshots.
#[track_caller]
pub(super) fn ends_alike(session: &Persistent, program: &[&str]) -> Vec<String> {
    let program = with_core(program);
    let mut without = session.scratch.command(program[0]);
    let without = run(without.args(&program[1..]));
    let with = run(&mut session.running(&program));
    assert_eq!(with.visible(), without.visible(), "{program:?}");
    assert_eq!(with.status.core_dumped(), without.status.core_dumped(), "{program:?}");
    reasons(session)
}

/// How a program can end, and why there is a snapshot then: `killed` where nobody saw how.
const ENDS: &[(&[&str], &str)] = &[
    (&["null"], "signal SIGSEGV"),
    (&["wild"], "signal SIGSEGV"),
    (&["hlt"], "signal SIGSEGV"),
    (&["sent"], "signal SIGSEGV"),
    (&["truncated"], "signal SIGBUS"),
    (&["raised"], "signal SIGBUS"),
    (&["divide"], "signal SIGFPE"),
    (&["queued"], "signal SIGFPE"),
    (&["illegal"], "signal SIGILL"),
    (&["trap"], "signal SIGTRAP"),
    (&["system"], "signal SIGSYS"),
    (&["raises_abort"], "signal SIGABRT"),
    (&["freed"], "signal SIGABRT"),
    (&["aborts"], "abort"),
    (&["exits"], "exit 3"),
    (&["exits_at_once"], "exit 4"),
    (&["nothing"], "exit 5"),
    (&["terminated"], "killed"),
    (&["killed"], "killed"),
    // In other threads, processes and places.
    (&["threaded"], "signal SIGSEGV"),
    (&["threaded", "divide"], "signal SIGFPE"),
    (&["threaded", "aborts"], "abort"),
    (&["handled"], "signal SIGSEGV"),
    (&["handled", "trap"], "signal SIGTRAP"),
    (&["on_stack"], "signal SIGSEGV"),
    (&["on_stack", "aborts"], "abort"),
    (&["overflows_on_stack"], "signal SIGSEGV"),
    (&["overflows"], "killed"),
    // By handlers of the program's own.
    (&["jumps"], ""),
    (&["raises_again"], "signal SIGSEGV"),
    (&["returns"], "signal SIGSEGV"),
    (&["resets"], "signal SIGSEGV"),
    // What is ignored has not the default disposition.
    (&["ignores"], "killed"),
    (&["ignores", "trap"], "signal SIGTRAP"),
    (&["asks"], "signal SIGSEGV"),
    (&["asks", "raises_abort"], "signal SIGABRT"),
    // Where nothing may be asked of the kernel.
    (&["filtered"], "killed"),
    (&["filtered", "illegal"], "killed"),
];

#[test]
fn programs_end_as_without_and_say_why() {
    let scratch = Scratch::new();
    let program = build(&scratch);
    for (way, reason) in ENDS {
        let session = session(ALL_ERRORS);
        let reasons = ends_alike(&session, &[&[program.as_str()], *way].concat());
        let expected: Vec<&str> = Some(*reason).into_iter().filter(|reason| !reason.is_empty()).collect();
        assert_eq!(reasons, expected, "{way:?}");
        if !expected.is_empty() && *way != ["nothing"] {
            let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
            kept.expect("access_exit", "ret=-1");
        }
    }
}

/// Whose end nobody sees, whatever it was.
#[test]
fn what_has_not_attached_takes_no_snapshot() {
    let session = session("kill");
    session.run(&["env", "-u", "LD_PRELOAD", "true"]);
    assert_eq!(reasons(&session), [""; 0]);
}

#[test]
fn children_end_as_without_and_the_parent_goes_on() {
    let scratch = Scratch::new();
    let program = build(&scratch);
    let ends = |way: &[&str]| ends_alike(&session(ALL_ERRORS), &[&[program.as_str()], way].concat());
    assert_eq!(ends(&["forked"]), ["signal SIGSEGV"]);
    assert_eq!(ends(&["forked", "aborts"]), ["abort"]);
    assert_eq!(ends(&["forked", "killed"]), ["killed SIGKILL"], "the parent says it");
    assert_eq!(ends(&["forked", "overflows"]), ["killed SIGSEGV"], "the parent says it");
    assert_eq!(ends(&["vforked"]), ["signal SIGSEGV"], "the parent ends within a second");
    assert_eq!(ends(&["vforked", "aborts"]), ["abort"]);
    assert_eq!(ends(&["vforked", "trap"]), ["signal SIGTRAP"]);
}

#[test]
fn the_last_events_are_in_the_snapshot() {
    let session = session("signal");
    let program = build(&session.scratch);
    let outcome = run(&mut session.running(&[&program, "null"]));
    let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
    let names: Vec<&str> = kept.events.iter().rev().take(3).map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["signal_deliver", "page_fault_user", "access_exit"], "{kept:?}");
    let fault = kept.expect("page_fault_user", "error_code=0x6");
    assert!(fault.text.contains("ip=null "), "{fault:?}");
    kept.expect("signal_deliver", "sig=SIGSEGV code=1");
    let listed = session.done("snapshots", &[]).stdout;
    let row = format!("errors-{}  {}  SIGSEGV\n", outcome.pid, user());
    assert!(listed.contains(&row), "{listed}");
    assert_eq!(session.shown(&[]).events, [], "and the buffer is empty");
}

fn user() -> String {
    run(Command::new("id").arg("-un")).success().stdout.trim().to_string()
}

#[test]
fn an_assertion_says_what_has_failed() {
    let session = session("assert");
    let program = build(&session.scratch);
    let reasons = ends_alike(&session, &[&program, "asserts"]);
    let [reason] = reasons.as_slice() else { panic!("{reasons:?}") };
    assert!(reason.starts_with("assertion ") && reason.ends_with("errors.c:44: zero > 41"), "{reason}");
    for way in ["null", "aborts", "raises_abort", "exits"] {
        assert_eq!(ends_alike(&self::session("assert"), &[&program, way]), [""; 0], "{way}");
    }
}

/// The core of a program that has ended so: the registers, and what the kernel has said of the signal.
fn core_of(command: &mut Command, program: &str, scratch: &Scratch) -> String {
    let core = scratch.path("core");
    let _ = std::fs::remove_file(&core);
    run(command);
    let show = [
        "p $_siginfo.si_signo",
        "p $_siginfo.si_code",
        "p/x $_siginfo._sifields._sigfault.si_addr",
        "p $sp",
        "p $pc",
    ];
    let show = show.iter().flat_map(|show| ["-ex", show]);
    let mut gdb = scratch.command("gdb");
    let shown = run(gdb.args(["-nx", "-batch"]).args(show).arg(program).arg(&core)).success().stdout;
    shown.lines().filter(|line| line.starts_with('$')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn cores_are_those_of_programs_without() {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    if pattern.trim() != "core" || is_missing(&["gdb", "setarch"]) {
        return;
    }
    for way in ["null", "divide", "illegal", "trap", "hlt", "on_stack"] {
        let session = session("signal");
        let program = build(&session.scratch);
        // The stack is where it is without the session's variables in the environment.
        let whole = with_core(&["setarch", "-R", "env", "-i", &program, way]);
        let mut without = session.scratch.command(whole[0]);
        let without = core_of(without.args(&whole[1..]), &program, &session.scratch);
        let with = core_of(&mut session.running(&whole), &program, &session.scratch);
        let same =
            |core: &str| core.lines().filter(|line| !line.starts_with("$4")).collect::<Vec<_>>().join("\n");
        assert!(without.contains("$5 = "), "{without}");
        assert_eq!(same(&with), same(&without), "{way}");
        assert_eq!(reasons(&session).len(), 1, "{way}");
    }
}

#[test]
fn a_panic_takes_a_snapshot_and_the_program_goes_on() {
    let program = build_tracing_example("panics");
    let session = Persistent::new(&["-e", "process:panic"]);
    let outcome = session.run(&[&program]);
    assert_eq!(outcome.stdout, "panicked\n");
    assert!(outcome.stderr.contains("no order 7"), "the hook before runs: {outcome:?}");
    let [reason] = reasons(&session).try_into().unwrap();
    assert!(reason.starts_with("panic ") && reason.ends_with("panics.rs:7: no order 7"), "{reason}");
    let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
    assert_eq!(kept.expect("panic", "line=7").comm, "worker");
    let listed = session.done("snapshots", &[]).stdout;
    assert!(listed.contains("  worker-") && listed.contains("  a panic: crates/"), "{listed}");
    session.done("start", &["-q", "--snapshot-on", "signal"]);
    session.done("snapshot", &["-r", "-q"]);
    session.run(&[&program]);
    assert!(reasons(&session).is_empty(), "not chosen");
    let alone = run(&mut session.scratch.command(&program)).success();
    assert_eq!(alone.stdout, "panicked\n", "not recorded");
}

#[test]
fn whoever_is_killed_from_outside_is_named() {
    let session = session("signal,kill");
    for (signal, status, reason) in [("SEGV", "139", "signal SIGSEGV"), ("KILL", "137", "killed SIGKILL")] {
        // It has attached when there is its file.
        let script = format!(
            "rm -f up pipe; mkfifo pipe; sh -c ': > up; read line < pipe' & echo $!
             until [ -e up ]; do sleep 0.02; done; kill -{signal} $!; wait $!; echo $?"
        );
        let outcome = session.run(&["sh", "-c", &script]);
        let (pid, said) = outcome.stdout.split_once('\n').unwrap();
        assert_eq!(said.trim(), status);
        let listed = session.done("snapshots", &[]).stdout;
        assert!(listed.contains(&format!("-{pid}  ")), "{listed}");
        assert_eq!(reasons(&session).last().unwrap(), reason);
        session.done("snapshot", &["-r", "-q"]);
        // The next error is to take one again.
        std::thread::sleep(std::time::Duration::from_millis(1100));
    }
}

/// Nobody who is recorded waits for it: the next who looks at the session sees that it was killed.
#[test]
fn whoever_looks_sees_who_was_killed() {
    let session = Persistent::new(&["--snapshot-on", "kill", "-e", "sched_process_exit"]);
    let mut running = start(&mut session.running(&["sh", "-c", "echo ready; exec sleep 100"]));
    running.wait_for("ready");
    running.signal(rustix::process::Signal::KILL);
    within(10, || reasons(&session) == ["killed SIGKILL"]);
    let pid = running.wait().pid;
    let listed = session.done("snapshots", &[]).stdout;
    assert!(listed.contains(&format!("-{pid}  ")) && listed.contains("the end by SIGKILL"), "{listed}");
    let kept = Trace::new(&session.done("snapshots", &["show", "0"]).stdout);
    kept.expect("sched_process_exit", &format!("pid={pid} noticed_by=observer signal=SIGKILL"));
}

#[test]
fn errors_in_a_row_take_one_snapshot() {
    let session = session("abort");
    let program = build(&session.scratch);
    let script = format!("for i in 1 2 3; do {program} aborts; done");
    run(&mut session.running(&["sh", "-c", &script]));
    assert_eq!(reasons(&session), ["abort"]);
    let said = "; 2 errors took none, less than a second after another\n";
    assert!(session.done("snapshots", &[]).stdout.ends_with(said));
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains(&format!("errors     abort take snapshots{said}")), "{stat}");
}

#[test]
fn a_session_chooses_its_errors() {
    let session = Persistent::new(&["-e", "libc:access_exit"]);
    let program = build(&session.scratch);
    let read = |status: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    let caught = |session: &Persistent| read(&session.run(&["cat", "/proc/self/status"]).stdout);
    let ours = [11, 7, 8, 4, 31, 5, 6].iter().fold(0, |set, number| set | 1_u64 << (number - 1));
    assert_eq!(caught(&session) & ours, ours, "SigCgt shows the handlers");
    let shown = |session: &Persistent| session.done("stat", &["--interval", "0", "--json"]).stdout;
    assert!(shown(&session).contains("\"snapshot_on\":\"signal,panic,abort,assert,terminate\""));
    session.done("start", &["-q", "--snapshot-on", "none"]);
    let without = run(Command::new("cat").arg("/proc/self/status")).stdout;
    assert_eq!(caught(&session), read(&without));
    run(&mut session.running(&[&program, "null"]));
    assert_eq!(reasons(&session), [""; 0]);
    session.done("start", &["-q", "--snapshot-on", "abort"]);
    assert_eq!(caught(&session) & ours, 1 << 5);
    run(&mut session.running(&[&program, "null"]));
    assert_eq!(reasons(&session), [""; 0]);
    session.done("start", &["-q"]);
    run(&mut session.running(&[&program, "aborts"]));
    assert_eq!(reasons(&session), ["abort"], "it stays");
    run(&mut session.task("start", &["--snapshot-on", "segv"]))
        .failure(125, &["no error is called \"segv\": expected none, or some of signal, panic, abort"]);
    // A session without snapshots has none for errors, unless that is asked for.
    let bare = Persistent::new(&["--snapshots", "0"]);
    assert!(shown(&bare).contains("\"snapshot_on\":\"none\""));
    run(&mut bare.task("start", &["--snapshot-on", "abort"])).failure(125, &["snapshot"]);
}

#[test]
fn a_start_that_fails_chooses_nothing() {
    let session = session("signal");
    run(&mut session.task("start", &["--snapshot-on", "none", "-b", "128"])).failure(125, &["leave out -b"]);
    assert_eq!(session.done("get", &["snapshot_on"]).stdout, "signal\n");
    session.done("delete", &[]);
    for options in [&["--snapshot-on", "signal"], &["--errors", "libc:open > 5/s"]] {
        let none = [&["--snapshots", "0"][..], options].concat();
        run(&mut session.task("start", &none)).failure(125, &["space for one: --snapshots is 0"]);
    }
    assert!(!session.path.exists());
}
