//! Functions that are traced: in programs of each compiler, from the start and while they run.

use crate::common::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const NOPS: &str = "-fpatchable-function-entry=5";

/// Sleds in all functions, short ones, too; without LLVM's runtime, which need not be installed.
pub const XRAY: &[&str] = &["-fxray-instrument", "-fxray-instruction-threshold=1", "-fnoxray-link-deps"];

/// Calls `middle` N times, which calls `leaf` twice; slowly if there is a second argument.
pub const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
int main(int count, char **words)
{
	long sum = 0;
	for (int i = 0; i < atoi(words[1]); i++) {
		sum += middle(i);
		if (count > 2)
			usleep(1000);
	}
	printf(\"%ld\\n\", sum);
	return 0;
}
";

/// Eight threads call functions with all kinds of arguments and check what they get, with signals in between.
pub const STORM: &str = "
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
struct large { long v[8]; };
__attribute__((noinline)) long plain(long x) { return x + 1; }
__attribute__((noinline)) long nested(long x) { return plain(x) * 3; }
__attribute__((noinline)) double floats(double x, double y) { return x * y + 1; }
__attribute__((noinline)) int variadic(const char *f, ...)
{
	va_list l;
	va_start(l, f);
	double d = va_arg(l, double);
	int i = va_arg(l, int);
	va_end(l);
	return d == 1.5 && i == 7;
}
__attribute__((noinline)) struct large many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	struct large r = {{ a, b, c, d, e, f, g, h }};
	return r;
}
static void *work(void *arg)
{
	long n = 0;
	while (!stop) {
		for (int i = 0; i < 500; i++, n++) {
			struct large r = many(1, 2, 3, 4, 5, 6, 7, n);
			if (nested(n) != (n + 1) * 3 || floats(2, 3) != 7 || !variadic(\"\", 1.5, 7) || r.v[0] != 1 || r.v[7] != n)
				abort();
		}
		usleep(1);
	}
	return 0;
}
static void handler(int signal) { plain(signal); }
int main(void)
{
	pthread_t threads[8];
	signal(SIGUSR1, handler);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < 2000; i++) {
		usleep(500);
		pthread_kill(threads[i % 8], SIGUSR1);
		if (i % 100 == 0) {
			pid_t child = fork();
			if (!child)
				_exit(nested(1) != 6);
			int status;
			waitpid(child, &status, 0);
			if (status)
				abort();
		}
	}
	stop = 1;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], 0);
	puts(\"ok\");
	return 0;
}
";

pub const LIBRARY: &str = "
__attribute__((noinline)) int plugin_step(int x) { return x * 2; }
int plugin_run(int x) { return plugin_step(x) + plugin_step(x + 1); }
";

/// Loads the library, calls it and unloads it, three times.
pub const HOST: &str = "
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words)
{
	long sum = 0;
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(words[1], RTLD_NOW);
		int (*run)(int) = (int (*)(int))dlsym(library, \"plugin_run\");
		usleep(1);
		sum += run(i);
		dlclose(library);
	}
	printf(\"%ld\\n\", sum);
	return 0;
}
";

pub fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The lines of function events in a report: `FUNCTION <-CALLER`.
pub fn calls(report: &str) -> Vec<String> {
    let lines = report.lines().filter(|line| line.contains(" <-"));
    lines.map(|line| line.rsplit_once(": ").unwrap().1.to_string()).collect()
}

/// Records two rounds of [`PROGRAM`], which prints what it prints without us.
#[track_caller]
pub fn assert_calls_are_recorded(scratch: &Scratch, program: &Path, kind: &str) {
    let plain =
        run(scratch.command(program).current_dir(program.parent().unwrap()).arg("2")).success().stdout;
    let recorded = run(&mut scratch.record(&["-p", "function"], &[path(program), "2"])).success();
    assert_eq!(recorded.stdout, plain, "{kind}");
    let found = calls(&run(&mut scratch.report(&[])).success().stdout);
    let round = ["middle <-main", "leaf <-middle", "leaf <-middle"];
    assert_eq!(found[1..], [round, round].concat(), "{kind}");
    assert!(found[0].starts_with("main <-"), "{kind}: {found:?}");
}

/// One program, as compilers make it with these flags.
fn built(scratch: &Scratch) -> Vec<(String, PathBuf)> {
    let recorded = ["-pg", "-mrecord-mcount", "-fno-pic", "-no-pie"];
    let kinds: [(&str, &[&str]); 13] = [
        ("gcc", &[NOPS]),
        ("gcc", &[NOPS, "-no-pie", "-fno-pie"]),
        ("gcc", &[NOPS, "-fcf-protection=full"]),
        ("gcc", &["-pg", "-mfentry", "-mnop-mcount", "-mrecord-mcount", "-fno-pic", "-no-pie"]),
        ("gcc", &recorded),
        ("gcc", &[&recorded[..], &["-mnop-mcount"]].concat()),
        ("gcc", &[&recorded[..], &["-mfentry"]].concat()),
        ("gcc", &["-fpatchable-function-entry=7,2"]),
        ("clang", &["-fpatchable-function-entry=7,2", "-fcf-protection=full"]),
        ("clang", &[NOPS]),
        ("clang", &[NOPS, "-fcf-protection=full"]),
        ("clang", XRAY),
        ("clang", &[XRAY[0], XRAY[1], XRAY[2], "-no-pie", "-fno-pie"]),
    ];
    let source = scratch.write("calls.c", PROGRAM);
    let build = |(index, (compiler, flags)): (usize, &(&str, &[&str]))| {
        let program = scratch.path(&format!("calls{index}"));
        let mut command = scratch.command(compiler);
        run(command.args(["-O2", "-o"]).arg(&program).args(*flags).arg(&source)).success();
        (format!("{compiler} {flags:?}"), program)
    };
    kinds.iter().enumerate().map(build).collect()
}

#[test]
fn every_call_is_recorded_with_who_makes_it() {
    let scratch = Scratch::new();
    for (kind, program) in built(&scratch) {
        assert_calls_are_recorded(&scratch, &program, &kind);
    }
}

#[test]
fn functions_are_chosen_by_name() {
    let scratch = Scratch::new();
    let (_, program) = built(&scratch).remove(0);
    for (options, expected) in [
        (&["-l", "l?af"][..], vec!["leaf <-middle"; 4]),
        (&["-l", "*:mod:calls*", "-n", "leaf", "-n", "main"], vec!["middle <-main"; 2]),
        (&["-l", "leaf:mod:other"], vec![]),
    ] {
        let options = [&["-p", "function"], options].concat();
        run(&mut scratch.record(&options, &[path(&program), "2"])).success();
        assert_eq!(calls(&run(&mut scratch.report(&[])).success().stdout), expected, "{options:?}");
    }
    let outcome = run(&mut scratch.record(&["-p", "function"], &["true"])).success();
    assert!(
        outcome.stderr.contains("name some with -l, or build programs with -fpatchable-function-entry=5")
    );
    run(&mut scratch.record(&["-p", "graph"], &["true"])).failure(125, &["'graph'", "function"]);
    run(&mut scratch.record(&["-l", "leaf"], &["true"])).failure(125, &["--tracer"]);
    run(&mut scratch.record(&["-p", "function", "-l", "a b"], &["true"])).failure(125, &["expected FUNC"]);
}

/// A session for these tests, made by `start` with these options.
pub fn session(scratch: &Scratch, options: &[&str]) -> String {
    let place = path(&scratch.outside("session")).to_string();
    run(scratch.lookback(&["start", "-q", "--session", &place]).args(options)).success();
    place
}

#[test]
fn a_program_that_runs_follows() {
    let scratch = Scratch::new();
    let (_, program) = built(&scratch).remove(0);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let set = |file: &str, value: &str| {
        run(&mut scratch.lookback(&["set", "-q", "--session", &place, file, value])).success();
    };
    let shown =
        || calls(&run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout);
    let mut command = scratch.lookback(&["run", "--session", &place, path(&program), "100000", "slowly"]);
    let running = start(&mut command);
    let listed = || {
        let list = ["list", "--session", &place, "-f", "m*:mod:calls*"];
        run(&mut scratch.lookback(&list)).stdout
    };
    within(20, || listed() == "main [calls0]\nmiddle [calls0]\n");
    set("set_ftrace_filter", "leaf");
    assert!(shown().is_empty(), "no tracer yet");
    set("current_tracer", "function");
    within(20, || shown().len() > 20);
    assert!(shown().iter().all(|call| call == "leaf <-middle"));
    set("set_ftrace_filter", "middle");
    within(20, || shown().last().is_some_and(|call| call == "middle <-main"));
    set("current_tracer", "nop");
    within(20, || {
        set("trace", "");
        std::thread::sleep(Duration::from_millis(50));
        shown().is_empty()
    });
    running.signal(rustix::process::Signal::TERM);
    running.wait();
}

#[test]
fn nothing_breaks_while_functions_are_switched() {
    let scratch = Scratch::new();
    for (compiler, flags) in [
        ("gcc", &[NOPS][..]),
        ("clang", &[NOPS]),
        ("clang", &[NOPS, "-fcf-protection=full"]),
        ("gcc", &[NOPS, "-no-pie"]),
        ("clang", XRAY),
    ] {
        let (source, program) = (scratch.write("storm.c", STORM), scratch.path("storm"));
        let mut compile = scratch.command(compiler);
        run(compile.args(["-O2", "-pthread", "-o"]).arg(&program).args(flags).arg(&source)).success();
        let place = session(&scratch, &["-b", "64", "-e", "sched_process_exit"]);
        let running = start(&mut scratch.lookback(&["run", "--session", &place, path(&program)]));
        for round in 0..15 {
            for (file, value) in
                [("current_tracer", "function"), ("set_ftrace_filter", "n*"), ("current_tracer", "nop")]
            {
                let value = if round % 2 == 0 && value == "n*" { "*" } else { value };
                let mut set = scratch.lookback(&["set", "-q", "--session", &place, file, value]);
                run(&mut set).success();
            }
        }
        assert_eq!(running.wait().success().stdout, "ok\n", "{compiler} {flags:?}");
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
}

#[test]
fn instances_trace_functions_of_their_own() {
    let scratch = Scratch::new();
    let (_, program) = built(&scratch).remove(0);
    let place = session(&scratch, &["-p", "function", "-l", "leaf"]);
    let other = ["start", "-q", "--session", &place, "-B", "other", "-p", "function", "-l", "middle"];
    run(&mut scratch.lookback(&other)).success();
    run(&mut scratch.lookback(&["run", "--session", &place, path(&program), "2"])).success();
    let shown =
        |file: &str| calls(&run(&mut scratch.lookback(&["get", "--session", &place, file])).success().stdout);
    assert_eq!(shown("trace"), vec!["leaf <-middle"; 4]);
    assert_eq!(shown("instances/other/trace"), vec!["middle <-main"; 2]);
}
