//! Programs with filters of system calls (seccomp) are attached if those allow it, and never ended by it.

use crate::attaching::{ATTACHED, attach, attach_one, begin, events_of, opened, tell};
use crate::common::*;
use crate::detaching::detach;
use crate::function_interruptions::field;
use crate::functions::{NOPS, calls, session};
use remote_call::NeededCall;
use std::process::Stdio;

/// The calls of the program: it reads, opens, writes, forks, waits, handles signals, ends.
const OWN: [i64; 17] = [
    libc::SYS_poll,
    libc::SYS_getrandom,
    libc::SYS_read,
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_write,
    libc::SYS_clone,
    libc::SYS_set_robust_list,
    libc::SYS_wait4,
    libc::SYS_exit_group,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigaction,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_tgkill,
    libc::SYS_rt_sigreturn,
    libc::SYS_fstat,
];

/// Begins the program with a filter that ends it for any other call than its own and these.
fn begin_with(scratch: &Scratch, allowed: impl Iterator<Item = i64>) -> Running {
    begin_waiting(scratch, allowed, &[])
}

fn begin_waiting(
    scratch: &Scratch,
    allowed: impl Iterator<Item = i64>,
    variables: &[(&str, &str)],
) -> Running {
    let numbers: Vec<String> = OWN.into_iter().chain(allowed).map(|number| number.to_string()).collect();
    let program = scratch.outside("attached");
    if !program.exists() {
        compile(scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    }
    let mut command = scratch.command(&program);
    command.arg("filter").env("ALLOWED", numbers.join(" ")).envs(variables.iter().copied());
    let mut running = start(command.stdin(Stdio::piped()));
    running.wait_for("ready");
    running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    running
}

fn numbers(calls: impl Iterator<Item = NeededCall>) -> impl Iterator<Item = i64> {
    calls.map(|call| call.number)
}

/// Has the program do all that it does, and end.
#[track_caller]
fn does_all(mut running: Running) {
    ["c", "f", "h", "s"].iter().for_each(|byte| tell(&mut running, byte));
    std::io::Write::write_all(running.child_input(), b"q").unwrap();
    assert_eq!(running.wait().code(), Some(7));
}

/// Detaches the program, attaches it again, and has it do all.
#[track_caller]
fn goes_and_comes(scratch: &Scratch, place: &str, mut running: Running) {
    detach(scratch, place, running.pid()).success();
    tell(&mut running, "c");
    attach_one(scratch, place, &running);
    does_all(running);
}

fn functions(scratch: &Scratch, place: &str) -> Vec<String> {
    let trace = run(&mut scratch.lookback(&["get", "--session", place, "trace"])).success().stdout;
    calls(&trace)
}

#[test]
fn a_filter_that_allows_all_is_as_none() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-e", "@signal", "-p", "function", "-l", "leaf"]);
    let allowed = numbers(NeededCall::to_attach().chain(NeededCall::of_agent()));
    let mut running = begin_with(&scratch, allowed);
    let said = attach_one(&scratch, &place, &running);
    assert!(!said.contains("seccomp"), "{said}");
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"]);
    assert_eq!(functions(&scratch, &place), ["leaf <-act"]);
    // Its code is changed from outside, too: it makes no call.
    run(&mut scratch.lookback(&["set", "--now", "--session", &place, "set_ftrace_filter", "act"])).success();
    tell(&mut running, "c");
    assert_eq!(functions(&scratch, &place), ["leaf <-act", "act <-main"]);
    goes_and_comes(&scratch, &place, running);
}

#[test]
fn a_filter_that_forbids_what_the_agent_may_do_leaves_its_calls_recorded() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let mut running = begin_with(&scratch, numbers(NeededCall::to_attach()));
    let said = attach_one(&scratch, &place, &running);
    let why =
        "has filters of system calls (seccomp), which may not allow access: its code, its fatal signals";
    assert!(said.contains(why), "{said}");
    tell(&mut running, "c");
    assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"]);
    assert!(functions(&scratch, &place).is_empty());
    goes_and_comes(&scratch, &place, running);
}

#[test]
fn a_filter_that_forbids_what_attaching_takes_is_named_with_it() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    for (name, number) in [
        ("restart_syscall", libc::SYS_restart_syscall),
        ("mmap", libc::SYS_mmap),
        ("pread64", libc::SYS_pread64),
        ("recvmsg", libc::SYS_recvmsg),
    ] {
        let allowed = numbers(NeededCall::to_attach()).filter(|allowed| *allowed != number);
        let running = begin_with(&scratch, allowed);
        let expected = format!("it has a filter of system calls (seccomp), which may not allow {name}");
        attach(&scratch, &place, &[&running.pid().to_string()]).failure(125, &[&expected]);
        does_all(running);
    }
}

#[test]
fn a_filter_looks_at_what_calls_are_made_with() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    // A thread's own counts as well: the agent is in all of them.
    for state in ["no-code", "filtered-thread"] {
        let mut running = begin(&scratch, &[state]);
        let said = attach_one(&scratch, &place, &running);
        assert!(said.contains("which may not allow mprotect: its code"), "{state}: {said}");
        tell(&mut running, "c");
        assert_eq!(opened(&events_of(&scratch, &place, running.pid())), ["/dev/null"], "{state}");
        if state == "filtered-thread" {
            tell(&mut running, "t");
        }
    }
    assert!(functions(&scratch, &place).is_empty());
}

#[test]
fn a_filter_that_cannot_be_read_is_left_alone() {
    if is_missing(&["setpriv"]) {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let running = begin_with(&scratch, numbers(NeededCall::to_attach()));
    let pid = running.pid().to_string();
    let mut command = scratch.command("setpriv");
    command.args([
        "--bounding-set",
        "-sys_admin",
        "--inh-caps",
        "-sys_admin",
        LOOKBACK,
        "attach",
        "--session",
    ]);
    let why = "it has a filter of system calls (seccomp), which only root can read, outside of containers";
    run(command.args([&place, &pid])).failure(125, &[why]);
    does_all(running);
}

#[test]
fn a_call_that_was_stopped_is_made_again_by_a_number_that_is_allowed() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    for restarts in [true, false] {
        let allowed = numbers(NeededCall::to_attach());
        let allowed = allowed.filter(|number| restarts || *number != libc::SYS_restart_syscall);
        let running = begin_waiting(&scratch, allowed, &[("POLLS", "1")]);
        let pid = running.pid();
        match restarts {
            true => assert!(attach_one(&scratch, &place, &running).contains("is attached")),
            false => {
                attach(&scratch, &place, &[&pid.to_string()])
                    .failure(125, &["may not allow restart_syscall"]);
            }
        }
        running.wait_until(|| field(pid, "State:").starts_with('S'));
        does_all(running);
    }
}
