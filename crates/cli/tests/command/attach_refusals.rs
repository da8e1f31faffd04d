//! Which programs are meant, and those that can't be attached: they are left as they were.

use crate::attaching::{ATTACHED, attach, begin, events_of, opened, tell};
use crate::common::*;
use crate::function_interruptions::field;
use crate::functions::{path, session};
use rustix::process::Signal;
use std::process::Stdio;

#[test]
fn names_mean_one_process_unless_all_are_wanted() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    // No other test has programs of this name.
    let name = format!("namesake{}", std::process::id());
    let program = compile(&scratch, &name, ATTACHED, &["-O1", "-w", "-ldl"]);
    let begin = || {
        let mut running = start(scratch.command(&program).stdin(Stdio::piped()));
        running.wait_for("ready");
        running
    };
    attach(&scratch, &place, &[&name]).failure(125, &["there is no process with the name namesake"]);
    let mut both = [begin(), begin()];
    let [first, second] = both.each_ref().map(Running::pid);
    attach(&scratch, &place, &[&name]).failure(
        125,
        &[
            &format!("2 processes are called {name}"),
            &first.to_string(),
            &second.to_string(),
            "name one by its PID, or all with --all",
        ],
    );
    let said = attach(&scratch, &place, &["--all", &name, &first.to_string()]).success().stderr;
    assert_eq!(said.matches("is attached; ").count(), 2, "{said}");
    for running in &mut both {
        tell(running, "c");
        assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"]);
    }
}

#[test]
fn what_cannot_be_attached_is_said_with_why_and_goes_on() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let refused = |running: &mut Running, why: &str| {
        let pid = running.pid();
        let said = attach(&scratch, &place, &[&pid.to_string()]);
        let expected = format!("lookback: attached-{pid} was not attached: {why}");
        said.failure(125, &[&expected]);
    };
    attach(&scratch, &place, &["4294967295"]).failure(125, &["there is no process with the PID 4294967295"]);
    attach(&scratch, "nowhere", &["1"]).failure(125, &["no session"]);
    let mut stopped = begin(&scratch, &[]);
    stopped.signal(Signal::STOP);
    stopped.wait_until(|| field(stopped.pid(), "State:").starts_with('T'));
    refused(&mut stopped, "it is stopped (SIGSTOP, SIGTSTP), and stays so until SIGCONT");
    assert!(field(stopped.pid(), "State:").starts_with('T'));
    stopped.signal(Signal::CONT);
    tell(&mut stopped, "c");
    let program = scratch.outside("attached");
    let mut limited = scratch.command("sh");
    limited.args(["-c", "ulimit -v 1000000; exec \"$0\"", path(&program)]).stdin(Stdio::piped());
    let mut limited = start(&mut limited);
    limited.wait_for("ready");
    refused(&mut limited, "its address space is limited to 1000000 KB (ulimit -v)");
    tell(&mut limited, "c");
    let mut other = begin(&scratch, &[]);
    let elsewhere = path(&scratch.outside("lookback-elsewhere")).to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "64", "--session", &elsewhere])).success();
    attach(&scratch, &elsewhere, &[&other.pid().to_string()]).success();
    refused(&mut other, "it is attached to another session: ");
    attach(&scratch, &elsewhere, &[&other.pid().to_string()]).failure(125, &["it is attached already"]);
    tell(&mut other, "c");
    // No space in the threads' own memory: the dynamic linker says so.
    let mut full = scratch.command(&program);
    full.env("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0:glibc.rtld.nns=1").stdin(Stdio::piped());
    let mut full = start(&mut full);
    full.wait_for("ready");
    refused(&mut full, "its dynamic linker has not loaded the agent: ");
    tell(&mut full, "c");
    let quiet = compile(&scratch, "static", ATTACHED, &["-O1", "-w", "-static", "-ldl"]);
    let mut quiet = start(scratch.command(&quiet).stdin(Stdio::piped()));
    quiet.wait_for("ready");
    attach(&scratch, &place, &[&quiet.pid().to_string()]).failure(125, &["it is a static program"]);
    tell(&mut quiet, "c");
}

#[test]
fn what_root_may_lock_is_left_alone() {
    if needs_root("lock memory") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let mut locked = begin(&scratch, &["locked"]);
    attach(&scratch, &place, &[&locked.pid().to_string()]).failure(125, &["its memory is locked (mlockall)"]);
    tell(&mut locked, "c");
}

#[test]
fn other_users_and_debuggers_are_told_apart() {
    if is_missing(&["strace"]) {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let running = begin(&scratch, &[]);
    let pid = running.pid().to_string();
    let mut strace = scratch.command("strace");
    let strace = start(strace.args(["-p", &pid, "-o", "/dev/null"]).stdin(Stdio::null()));
    strace.wait_until(|| field(running.pid(), "TracerPid:") == strace.pid().to_string());
    let expected = format!("was not attached: process {} traces it already", strace.pid());
    attach(&scratch, &place, &[&pid]).failure(125, &[&expected]);
    strace.signal(Signal::INT);
    strace.wait();
    let program = path(&scratch.outside("attached")).to_string();
    if is_missing(&["setpriv"]) || needs_root("become somebody else") {
        return;
    }
    let mut setpriv = scratch.command("setpriv");
    setpriv.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", &program]).stdin(Stdio::piped());
    let mut other = start(&mut setpriv);
    other.wait_for("ready");
    attach(&scratch, &place, &[&other.pid().to_string()])
        .failure(125, &["its user, 65534, may not open the session: `lookback start --group`"]);
    tell(&mut other, "c");
}
