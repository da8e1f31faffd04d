//! Whose functions are traced: `set_ftrace_pid`, `set_ftrace_notrace_pid`, `function-fork`.

use crate::common::*;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// For each line that it reads it calls `work`, and has a child do so; then it says that it has.
const PROGRAM: &str = "
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int work(int x) { __asm__(\"\"); return x + 1; }
int main(void)
{
	char line[80];
	while (fgets(line, sizeof line, stdin)) {
		work(1);
		pid_t child = fork();
		if (!child) {
			work(2);
			_exit(0);
		}
		waitpid(child, 0, 0);
		puts(\"done\");
		fflush(stdout);
	}
	return 0;
}
";

/// A session that traces `work`.
pub struct Functions {
    pub scratch: Scratch,
    pub session: String,
    program: String,
}

impl Functions {
    pub fn new() -> Functions {
        let scratch = Scratch::new();
        let program = compile(&scratch, "work", PROGRAM, &["-O2", "-fpatchable-function-entry=5"]);
        let text = |path: std::path::PathBuf| path.into_os_string().into_string().unwrap();
        let session = text(scratch.outside("session"));
        let start = ["start", "-q", "--session", &session, "-p", "function", "-l", "work"];
        run(&mut scratch.lookback(&start)).success();
        Functions { scratch, session, program: text(program) }
    }

    #[track_caller]
    pub fn set(&self, file: &str, value: &str) {
        run(&mut self.scratch.lookback(&["set", "-q", "--session", &self.session, file, value])).success();
    }

    #[track_caller]
    pub fn get(&self, file: &str) -> String {
        run(&mut self.scratch.lookback(&["get", "--session", &self.session, file])).success().stdout
    }

    /// The threads whose functions are in the trace, which is emptied.
    #[track_caller]
    pub fn traced(&self) -> Vec<u32> {
        let trace = self.get("instances/flight/trace");
        run(&mut self.scratch.lookback(&["clear", "--session", &self.session])).success();
        let tid = |line: &str| line.split_once(" [")?.0.rsplit_once('-')?.1.trim().parse().ok();
        trace.lines().filter(|line| line.contains(": work <-")).filter_map(tid).collect()
    }

    pub fn start(&self) -> Worker {
        let mut command = self.scratch.lookback(&["run", "--session", &self.session, &self.program]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Worker { child, input: Some(input), output: BufReader::new(output) }
    }
}

pub struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    pub fn work(&mut self) {
        self.input.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert_eq!(line, "done\n");
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

#[test]
fn functions_of_chosen_threads_are_traced() {
    let functions = Functions::new();
    let (mut one, mut other) = (functions.start(), functions.start());
    let mut traced = || {
        one.work();
        other.work();
        functions.traced()
    };
    let all = traced();
    assert_eq!(all.len(), 4, "{all:?}");
    let (first, second) = (all[0], all[2]);
    functions.set("set_ftrace_pid", &first.to_string());
    assert_eq!(traced(), [first]);
    functions.set("options/function-fork", "1");
    let with_child = traced();
    assert_eq!((with_child.len(), with_child[0]), (2, first));
    assert_eq!(functions.get("set_ftrace_pid"), format!("{first}\n"), "who ends is forgotten");
    functions.set("set_ftrace_notrace_pid", &first.to_string());
    assert_eq!(traced(), []);
    functions.set("options/function-fork", "0");
    functions.set("set_ftrace_pid", "");
    let others = traced();
    assert_eq!((others.len(), others.contains(&first), others.contains(&second)), (3, false, true));
    functions.set("set_ftrace_notrace_pid", "");
    assert_eq!(traced().len(), 4);
    assert_eq!((one.pid(), other.pid()), (first, second));
}

#[test]
fn events_and_functions_have_lists_of_their_own() {
    let functions = Functions::new();
    functions.set("events/sched/sched_process_fork/enable", "1");
    functions.set("set_event_pid", "1");
    let mut worker = functions.start();
    worker.work();
    assert!(!functions.get("instances/flight/trace").contains("sched_process_fork"));
    assert_eq!(functions.traced().len(), 2, "of events alone");
    functions.set("set_event_pid", "");
    functions.set("set_ftrace_pid", "1");
    worker.work();
    assert!(functions.get("instances/flight/trace").contains("sched_process_fork"));
    assert_eq!(functions.traced(), []);
    // The lists outlast programs, and hold for those that start later.
    drop(worker);
    functions.start().work();
    assert_eq!(functions.traced(), []);
}

#[test]
fn start_chooses_threads_for_both() {
    let functions = Functions::new();
    let mut worker = functions.start();
    let pid = worker.pid().to_string();
    let start = ["start", "-q", "--session", &functions.session, "-P", &pid, "-c"];
    run(&mut functions.scratch.lookback(&start)).success();
    worker.work();
    functions.start().work();
    let traced = functions.traced();
    assert_eq!((traced.len(), traced[0]), (2, worker.pid()));
    let stat = run(&mut functions.scratch.lookback(&["stat", "--session", &functions.session])).success();
    assert!(stat.stdout.contains(&format!("functions of only {pid}, and their children")), "{}", stat.stdout);
}
