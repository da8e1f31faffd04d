//! Which programs are meant, and those that can't be attached: they are left as they were.

use crate::attaching::{ATTACHED, attach, attach_one, begin, events_of, opened, tell};
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
}

#[test]
fn whether_processes_could_be_attached_is_listed_by_the_same_checks() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let begin = |command: &mut std::process::Command| {
        let mut running = start(command.env("LOOKBACK_SESSION", &place).stdin(Stdio::piped()));
        running.wait_for("ready");
        running
    };
    let program = compile(&scratch, "attached", ATTACHED, &["-O1", "-w", "-ldl"]);
    let with_libc = begin(&mut scratch.command(&program));
    let mut limited = scratch.command("sh");
    limited.args(["-c", "ulimit -v 1000000; exec \"$0\"", path(&program)]);
    let limited = begin(&mut limited);
    let stopped = begin(&mut scratch.command(&program));
    stopped.signal(Signal::STOP);
    stopped.wait_until(|| field(stopped.pid(), "State:").starts_with('T'));
    let quiet = compile(&scratch, "static", ATTACHED, &["-O1", "-w", "-static", "-ldl"]);
    let quiet = begin(&mut scratch.command(&quiet));
    let list = |options: &[&str]| {
        run(scratch.lookback(&["list", "--session", &place]).args(options)).success().stdout
    };
    let before = list(&[]);
    let (text, json) = (list(&["--why"]), list(&["--why", "--json"]));
    for (running, expected) in [
        (&with_libc, None),
        (&limited, Some("its address space is limited to 1000000 KB (ulimit -v)")),
        (&stopped, Some("it is stopped (SIGSTOP, SIGTSTP), and stays so until SIGCONT")),
        (&quiet, None),
    ] {
        let pid = running.pid().to_string();
        let line = |text: &str| {
            let is_line = |line: &&str| line.split_whitespace().next() == Some(&pid);
            text.lines().find(is_line).unwrap_or_else(|| panic!("{text}")).to_owned()
        };
        let (text, before) = (line(&text), line(&before));
        let more = text.strip_prefix(&before).unwrap_or_else(|| panic!("{before}, {text}"));
        match expected {
            None => assert_eq!(more, "  (`lookback attach` can attach it)"),
            Some(why) => {
                assert!(more.starts_with(&format!("  (`lookback attach` can't attach it: {why}")), "{more}");
                attach(&scratch, &place, &[&pid]).failure(125, &[why]);
            }
        }
        let object = &json[json.find(&format!("\"pid\":{pid},")).unwrap()..];
        let possible = format!("\"possible\":\"{}\"", if expected.is_none() { "yes" } else { "no" });
        assert!(object.split("\"pid\"").nth(1).unwrap().contains(&possible), "{object}");
    }
    attach_one(&scratch, &place, &with_libc);
    stopped.signal(Signal::CONT);
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
