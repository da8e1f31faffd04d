//! Where the system gives less than is asked for: full devices, small files, long arguments.

use crate::common::*;
use std::fs::File;
use std::process::{Command, Stdio};

/// Runs `command` with standard error on a device that is full; its exit code or signal.
fn with_full_error(command: &mut Command) -> (Option<i32>, String) {
    use std::os::unix::process::ExitStatusExt;
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = command.stderr(full).stdout(Stdio::piped()).output().unwrap();
    let code = output.status.code().or(output.status.signal().map(|signal| 1000 + signal));
    (code, String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_full_standard_error_changes_no_status() {
    let scratch = Scratch::new();
    for (program, code) in [("echo said", 0), ("exit 7", 7), ("kill -TERM $$", 1015)] {
        let (found, said) = with_full_error(&mut scratch.record(&[], &["sh", "-c", program]));
        assert_eq!((found, said.as_str()), (Some(code), if code == 0 { "said\n" } else { "" }));
    }
    assert_eq!(with_full_error(&mut scratch.record(&[], &["/no/such"])).0, Some(127));
    assert_eq!(with_full_error(&mut scratch.lookback(&["record", "--no-such"])).0, Some(125));
    let session = scratch.outside("session").display().to_string();
    for task in ["start", "stop", "delete"] {
        assert_eq!(
            with_full_error(&mut scratch.lookback(&[task, "--session", &session])).0,
            Some(0),
            "{task}"
        );
    }
}

#[test]
fn a_full_standard_output_is_told() {
    let scratch = Scratch::new();
    for arguments in [&["--help"][..], &["events"], &["list", "--sessions"], &["preload"], &["report", "-h"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = scratch.lookback(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{arguments:?} {said}");
        assert!(said.contains("No space left on device"), "{arguments:?} {said}");
    }
}

/// Runs a shell script, which finds lookback in `$LOOKBACK`, with a session next to in `$SESSION`.
fn script(scratch: &Scratch, script: &str) -> Command {
    let mut command = scratch.command("bash");
    command.args(["-c", script]).env("LOOKBACK", LOOKBACK).env("SESSION", scratch.outside("session"));
    command.env("TRACE", scratch.outside("trace.dat"));
    command
}

#[test]
fn a_limit_of_the_size_of_files_is_told() {
    let scratch = Scratch::new();
    let hint = "the size of files is limited (ulimit -f)";
    run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" start --session $SESSION")).failure(125, &[hint]);
    run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" record -o $TRACE -- ls")).failure(125, &[hint]);
    assert_eq!(run(&mut script(&scratch, "ulimit -f 100; \"$LOOKBACK\" list --sessions")).code(), Some(0));
}

/// What bash prints about the signal, and what a program finds.
const TOO_LARGE: &str = "dd if=/dev/zero of=large bs=1024 count=200 2>/dev/null; echo $?
    grep ^Sig[IC] /proc/self/status";

#[test]
fn programs_meet_the_limit_of_files_as_without() {
    let scratch = Scratch::new();
    run(&mut script(&scratch, "\"$LOOKBACK\" start -q --snapshot-on none --session $SESSION")).success();
    for before in ["", "trap '' XFSZ;"] {
        let plain = run(&mut script(&scratch, &format!("ulimit -f 100; {before} sh -c '{TOO_LARGE}'")));
        let command =
            format!("ulimit -f 100; {before} \"$LOOKBACK\" run --session $SESSION -- sh -c '{TOO_LARGE}'");
        assert_eq!(run(&mut script(&scratch, &command)).visible(), plain.visible());
        let command =
            format!("{before} \"$LOOKBACK\" record -q -o $TRACE -- sh -c 'ulimit -f 100; {TOO_LARGE}'");
        assert_eq!(run(&mut script(&scratch, &command)).visible(), plain.visible());
    }
    run(&mut script(&scratch, "\"$LOOKBACK\" delete --session $SESSION")).success();
}

/// Executes `/bin/true` with as many arguments as the system takes, by execve(2) or posix_spawn(3).
const LONGEST: &str = r#"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int run(char **arguments, int spawns) {
    pid_t child;
    if (spawns) {
        int error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
        if (error) return error;
    } else if (!(child = vfork())) {
        execv("/bin/true", arguments);
        _exit(errno);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(int count, char **options) {
    // The program's own, without what lookback adds.
    static char padding[100000], *arguments[100] = {"true"};
    memset(padding, 'x', sizeof padding - 1);
    unsetenv("LD_PRELOAD");
    unsetenv("LOOKBACK_SESSION");
    int filled = 1;
    do arguments[filled++] = padding; while (!run(arguments, 0) && filled < 98);
    arguments[--filled] = NULL;
    char *last = strdup(padding);
    size_t low = 0, high = sizeof padding - 1;
    arguments[filled] = last;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        memcpy(last, padding, middle);
        last[middle] = 0;
        *(run(arguments, 0) ? &high : &low) = middle;
        memset(last, 'x', middle + 1);
    }
    last[low] = 0;
    printf("%d %d ", run(arguments, 0), run(arguments, 1));
    last[low] = 'x', last[high] = 0;
    printf("%d %d\n%zu\n", run(arguments, 0), run(arguments, 1), low);
}
"#;

#[test]
fn programs_pass_on_as_long_arguments_as_without() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "longest", LONGEST, &[]);
    let plain = run(&mut scratch.command(&program)).success();
    assert!(plain.stdout.starts_with("0 0 7 7\n"), "{}", plain.stdout);
    let recorded = run(&mut scratch.record(&["-q"], &[program.to_str().unwrap()]));
    assert_eq!(recorded.visible(), plain.visible());
}

/// Becomes the command `sys.argv[1]`, with `sys.argv[2:]` and as much more as the system takes.
const FILL: &str = "import os, sys
def runs(more):
    child = os.fork()
    if child == 0:
        os.dup2(os.open('/dev/null', os.O_WRONLY), 1)
        try: os.execv(sys.argv[1], ['l', '--help'] + sys.argv[3:] + more)
        except OSError: os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 99
more = []
while runs(more + ['x' * 100000]): more.append('x' * 100000)
low, high = 0, 100000
while high - low > 1:
    middle = (low + high) // 2
    low, high = (middle, high) if runs(more + ['x' * middle]) else (low, middle)
os.execv(sys.argv[1], ['l'] + sys.argv[2:] + more + ['x' * (low - 10)])";

#[test]
fn a_program_with_the_longest_arguments_runs_unrecorded() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    // What is added to the environment is longer than what goes from the arguments.
    let directory = scratch.path(&"d".repeat(250));
    std::fs::create_dir(&directory).unwrap();
    run(scratch.lookback(&["start", "-q", "--session", "./s"]).current_dir(&directory)).success();
    for task in [&["run", "--session", "./s"][..], &["record", "-q", "--session", "./s", "-o", "t"]] {
        let mut command = scratch.command("python3");
        command.args(["-c", FILL, LOOKBACK]).args(task).args(["--", "/bin/echo"]).current_dir(&directory);
        let outcome = run(&mut command).success();
        let warned = outcome.stderr.lines().filter(|line| line.contains("/bin/echo runs unrecorded"));
        assert_eq!(warned.count(), 1, "{}", outcome.stderr);
        assert!(outcome.stdout.starts_with("xxx"));
        assert!(outcome.stdout.len() > 1_000_000, "{}", outcome.stdout.len());
    }
    run(scratch.lookback(&["delete", "--session", "./s"]).current_dir(&directory)).success();
}
