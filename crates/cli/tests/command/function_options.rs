//! Options of the tracer `function`: stacks, and calls that are repeated.

use crate::common::*;

/// `main` calls `run`, which calls `leaf` N times and then `other`. A child does so, too, after a call of
/// `leaf`.
const PROGRAM: &str = "
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int x) { __asm__(\"\"); return x * 3 + 1; }
__attribute__((noinline)) int other(int x) { __asm__(\"\"); return x + 1; }
__attribute__((noinline)) int run(int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += leaf(i);
	return other(sum);
}
int main(int count, char **words)
{
	volatile int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += leaf(i);
	if (count > 2) {
		if (!fork()) {
			sum += run(2);
			_exit(0);
		}
		wait(0);
	}
	sum += run(atoi(words[1]));
	return 0;
}
";

/// A session that traces functions, and the program.
struct Functions {
    scratch: Scratch,
    session: String,
    program: String,
}

impl Functions {
    fn new(options: &[&str]) -> Functions {
        let scratch = Scratch::new();
        let program = compile(&scratch, "calls", PROGRAM, &["-O1", "-g", "-fpatchable-function-entry=5"]);
        let text = |path: std::path::PathBuf| path.into_os_string().into_string().unwrap();
        let session = text(scratch.outside("session"));
        let start = ["start", "-q", "--session", &session, "-p", "function", "-n", "main"];
        run(scratch.lookback(&start).args(options)).success();
        Functions { scratch, session, program: text(program) }
    }

    fn set(&self, file: &str, value: &str) -> Outcome {
        run(&mut self.scratch.lookback(&["set", "-q", "--session", &self.session, file, value]))
    }

    #[track_caller]
    fn get(&self, file: &str) -> String {
        run(&mut self.scratch.lookback(&["get", "--session", &self.session, file])).success().stdout
    }

    #[track_caller]
    fn run(&self, words: &[&str]) {
        let words = [&["run", "--session", &self.session, &self.program], words].concat();
        run(&mut self.scratch.lookback(&words)).success();
    }

    /// The lines of a trace without what they begin with, and without times.
    #[track_caller]
    fn lines(&self, file: &str) -> Vec<String> {
        let content = self.get(file);
        let lines = content.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let text = |line: &str| {
            let text = line.split_once(": ").map_or(line, |(_, text)| text);
            text.split_once(", last_ts: ").map_or(text.to_string(), |(text, _)| format!("{text})"))
        };
        lines.map(text).collect()
    }
}

#[test]
fn calls_have_stacks_from_the_function_on() {
    let functions = Functions::new(&[]);
    functions.set("set_ftrace_filter", "other").success();
    functions.set("options/func_stack_trace", "1").success();
    functions.run(&["1"]);
    let lines = functions.lines("trace");
    assert_eq!(lines[..4], ["other <-run", "<stack trace>", " => other", " => run"]);
    assert_eq!(lines[4], " => main");
    functions.set("options/func_stack_trace", "0").success();
    functions.set("trace", "").success();
    functions.run(&["1"]);
    assert_eq!(functions.lines("trace"), ["other <-run"]);
}

#[test]
fn repeated_calls_are_counted() {
    let functions = Functions::new(&[]);
    functions.set("options/func-no-repeats", "1").success();
    run(&mut functions.scratch.lookback(&[
        "start",
        "-q",
        "--session",
        &functions.session,
        "-B",
        "all",
        "-p",
        "function",
        "-l",
        "leaf",
    ]))
    .success();
    functions.run(&["5"]);
    let expected = [
        "leaf <-main",
        "leaf <-main (repeats: 2)",
        "run <-main",
        "leaf <-run",
        "leaf <-run (repeats: 4)",
        "other <-run",
    ];
    assert_eq!(functions.lines("trace"), expected);
    assert_eq!(functions.lines("instances/all/trace").len(), 8, "another instance has all");
    // The last of them was before the event that says so, and after the first.
    let trace = functions.get("trace");
    let times: Vec<f64> = trace
        .lines()
        .filter(|line| line.contains("leaf <-run"))
        .map(|line| line.split_once(": ").unwrap().0.rsplit_once(' ').unwrap().1.parse().unwrap())
        .collect();
    let (_, last) = trace.split_once("leaf <-run (repeats: 4, last_ts: ").unwrap();
    let last: f64 = last.split_once(')').unwrap().0.trim().parse().unwrap();
    assert!(times[0] <= last && last <= times[1], "{times:?} {last}");
}

#[test]
fn a_child_counts_its_own_and_counts_end_at_65535() {
    let functions = Functions::new(&[]);
    functions.set("options/func-no-repeats", "1").success();
    functions.run(&["65538", "fork"]);
    let child = ["leaf <-main", "run <-main", "leaf <-run", "leaf <-run (repeats: 1)", "other <-run"]
        .map(str::to_string);
    let parent = [
        "leaf <-main (repeats: 2)",
        "run <-main",
        "leaf <-run",
        "leaf <-run (repeats: 65535)",
        "leaf <-run",
        "leaf <-run (repeats: 1)",
        "other <-run",
    ];
    assert_eq!(functions.lines("trace"), [&child[..], &parent.map(str::to_string)].concat());
}

#[test]
fn stacks_go_with_counts_and_arguments_with_neither() {
    let functions = Functions::new(&[]);
    functions.set("options/func_stack_trace", "1").success();
    functions.set("options/func-no-repeats", "1").success();
    functions.run(&["2"]);
    let lines = functions.lines("trace");
    assert_eq!(lines.iter().filter(|line| *line == "<stack trace>").count(), 4, "{lines:?}");
    assert!(lines.iter().any(|line| line == "leaf <-run (repeats: 1)"), "{lines:?}");
    let refused = functions.set("options/func-args", "1");
    assert!(refused.stderr.contains("Invalid argument (os error 22)"), "{}", refused.stderr);
    assert_eq!(functions.get("options/func-args"), "0\n");
    // As in the kernel they are looked at when they are of the current tracer.
    functions.set("current_tracer", "nop").success();
    functions.set("options/func-args", "1").success();
    assert!(functions.set("current_tracer", "function").stderr.contains("os error 22"));
    assert_eq!(functions.get("current_tracer"), "nop\n");
    functions.set("options/func_stack_trace", "0").success();
    functions.set("options/func-no-repeats", "0").success();
    functions.set("current_tracer", "function").success();
    functions.run(&["1"]);
    assert!(functions.lines("trace").iter().any(|line| line.starts_with("other(x=")));
}
