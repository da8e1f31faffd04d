//! Descriptors and memory: what the program has is all that there is, and whatever it does to it, recording
//! goes on.

use crate::support::{Program, Trace, run};
use std::process::Command;

fn program() -> Program {
    Program::c("descriptors", &[])
}

/// The program has called something after it did what it did.
fn goes_on(trace: &Trace) {
    assert_eq!(trace.only("access_exit", "/marked").field("error"), Some("ENOENT"));
}

/// A shell that does something before it becomes the program.
fn in_shell(before: &str, program: &Program, argument: &str) -> Program {
    program.clone().arg(argument).under(&["/bin/sh", "-c", before])
}

#[test]
fn no_descriptor_is_ours() {
    program().arg("list").keeps_the_law();
}

#[test]
fn closing_everything_does_no_harm() {
    let program = program();
    goes_on(&program.clone().arg("loop").keeps_the_law());
    goes_on(&program.clone().arg("range").keeps_the_law());
    let program = program.arg("everything");
    assert_eq!(program.untraced().status.code(), Some(42));
    let (run, trace) = program.traced();
    assert_eq!(run.status.code(), Some(42), "{run}");
    goes_on(&trace);
}

#[test]
fn programs_start_without_standard_streams() {
    let program = in_shell("exec \"$0\" \"$@\" <&- >&- 2>&-", &program(), "closed");
    let untraced = program.untraced();
    assert_eq!(untraced.status.code(), Some(42), "{untraced}");
    let (traced, trace) = program.traced();
    assert_eq!(untraced, traced);
    goes_on(&trace);
}

#[test]
fn a_single_free_descriptor_is_enough() {
    goes_on(&in_shell("ulimit -n 4; exec \"$0\" \"$@\"", &program(), "1").keeps_the_law());
}

#[test]
fn with_no_free_descriptor_a_program_runs_untraced() {
    let program = Program::c("descriptors", &["-static"]);
    in_shell("ulimit -n 3; exec \"$0\" \"$@\"", &program, "0").keeps_the_law();
}

/// The program under a limit of addresses that was set by the kernel's call, which nobody sees: so it is no
/// higher for what the session takes.
fn with_few_addresses() -> Program {
    const LIMITED: &str = "
import ctypes, os, sys
limit = (ctypes.c_ulong * 2)(8000 << 10, 8000 << 10)
libc = ctypes.CDLL(None)
SYS_setrlimit, RLIMIT_AS = 160, 9
assert libc.syscall(SYS_setrlimit, RLIMIT_AS, limit) == 0
os.execv(sys.argv[1], sys.argv[1:])
";
    program().arg("list").under(&["/usr/bin/env", "python3", "-c", LIMITED])
}

#[test]
fn with_too_few_addresses_for_the_buffers_a_program_runs_untraced() {
    let trace = with_few_addresses().keeps_the_law();
    let opened = trace.named("opendir").filter(|event| event.comm.contains("descriptors"));
    assert_eq!(opened.count(), 0, "the limit is too high for this test:\n{trace}");
}

#[test]
fn a_process_that_is_not_attached_says_why_when_asked() {
    let (run, _) = with_few_addresses().env("LOOKBACK_DEBUG", "1").traced();
    assert_eq!(run.errors, "lookback: not attached: the process may have too few addresses\n");
}

#[test]
fn the_command_itself_leaves_no_descriptor_to_the_program() {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "ls /proc/self/fd | wc -l"]);
    let untraced = run(shell);
    let (traced, _) = Program::at("/bin/sh").arg("-c").arg("ls /proc/self/fd | wc -l").traced();
    assert_eq!(untraced, traced);
}
