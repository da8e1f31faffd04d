//! Processes that trace no functions, as something is not as it should be: they go on, and it is said.

use crate::common::*;
use crate::functions::{NOPS, PROGRAM, calls, path, session};
use std::time::Duration;

/// Changes the first bytes of `leaf` to another nop, then calls it until the file `go` is there, and once
/// more.
const CHANGED: &str = "
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) int leaf(int x) { __asm__(\"\"); return x * 3 + 1; }
__attribute__((noinline)) int middle(int x) { __asm__(\"\"); return leaf(x) + leaf(x + 1); }
int main(void)
{
	char *page = (char *)((unsigned long)leaf & ~4095ul);
	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	memcpy((void *)leaf, \"\\x0f\\x1f\\x44\\x00\\x01\", 5);
	if (mprotect(page, 8192, PROT_READ | PROT_EXEC))
		return 1;
	long sum = 0;
	for (int i = 0; i < 100000 && access(\"go\", F_OK); i++) {
		sum += middle(i);
		usleep(1000);
	}
	puts(middle(1) == 11 ? \"ok\" : \"wrong\");
	return 0;
}
";

/// Forbids itself and its successors to make code of what can be written, and executes its arguments.
const FORBIDDING: &str = "
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words)
{
	if (prctl(65, 1, 0, 0, 0))
		return 77;
	execv(words[1], words + 1);
	return 1;
}
";

#[test]
fn code_that_somebody_else_has_changed_is_left_alone_and_named() {
    let scratch = Scratch::new();
    let program = compile_by("clang", &scratch, "changed", CHANGED, &["-O1", NOPS]);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let get = |words: &[&str]| {
        run(scratch.lookback(&[words[0], "--session", &place]).args(&words[1..])).success().stdout
    };
    let running = start(&mut scratch.lookback(&["run", "--session", &place, path(&program)]));
    within(30, || get(&["list"]).contains("changed"));
    std::thread::sleep(Duration::from_millis(200));
    run(&mut scratch.lookback(&["set", "-q", "--session", &place, "current_tracer", "function"])).success();
    let expected = [
        "functions off: somebody else has changed the code of leaf at 0x",
        "/changed: expected 0f 1f 44 00 08, found 0f 1f 44 00 01",
    ];
    within(30, || get(&["list"]).contains(expected[0]));
    assert!(get(&["list"]).contains(expected[1]), "{}", get(&["list"]));
    assert!(get(&["list", "--json"]).contains("\"functions_off_because\":\"somebody else"), "in JSON");
    let statistics = get(&["stat"]);
    assert!(statistics.contains("functions  off in changed-"), "{statistics}");
    std::fs::write(scratch.path("go"), "").unwrap();
    assert_eq!(running.wait().success().stdout, "ok\n");
    let shown = calls(&get(&["get", "trace"]));
    assert!(shown.iter().all(|call| !call.starts_with("leaf")), "{shown:?}");
}

#[test]
fn where_code_must_not_be_written_it_is_said() {
    let scratch = Scratch::new();
    let forbidding = compile(&scratch, "forbidding", FORBIDDING, &["-O1"]);
    if run(scratch.command(&forbidding).arg("/bin/true")).status.code() == Some(77) {
        return; // Before Linux 6.3.
    }
    let program = compile(&scratch, "calls", PROGRAM, &["-O2", NOPS]);
    let recorded =
        run(&mut scratch.record(&["-p", "function"], &[path(&forbidding), path(&program), "2"])).success();
    assert_eq!(recorded.stdout, "16\n");
    let said = &recorded.stderr;
    assert!(said.contains("functions off in calls-"), "{said}");
    assert!(said.contains("the system doesn't let code be written"), "{said}");
    assert!(said.contains("PR_SET_MDWE"), "{said}");
}

#[test]
fn functions_that_it_is_too_late_for_say_so() {
    let scratch = Scratch::new();
    let flags = ["-O2", NOPS, "-no-pie", "-fno-pie"];
    let program = compile(&scratch, "calls", PROGRAM, &flags);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    let words = ["run", "--session", &place, path(&program), "100000", "slowly"];
    let running = start(&mut scratch.lookback(&words));
    let listed = || run(&mut scratch.lookback(&["list", "--session", &place, "-f", "leaf"])).stdout;
    within(30, || listed() == "leaf [calls]\n");
    run(&mut scratch.lookback(&["set", "-q", "--session", &place, "current_tracer", "function"])).success();
    let expected = "leaf [calls]  (too late in a program that runs, whose threads may be between its nops; \
                    programs that start while functions are traced have it)\n";
    within(30, || listed() == expected);
    running.signal(rustix::process::Signal::TERM);
    running.wait();
}

#[test]
fn functions_whose_sites_are_of_no_use_are_listed_with_the_reason() {
    let scratch = Scratch::new();
    for (nops, reason) in [
        ("-fpatchable-function-entry=3", "3 bytes of nops, and a call takes 5"),
        ("-fpatchable-function-entry=5,5", "all of its nops are before its entry"),
    ] {
        let program = compile(&scratch, "calls", PROGRAM, &["-O2", nops]);
        let place = session(&scratch, &["-p", "function"]);
        run(&mut scratch.lookback(&["run", "--session", &place, path(&program), "2"])).success();
        let listed =
            run(&mut scratch.lookback(&["list", "--session", &place, "-f", "leaf"])).success().stdout;
        assert_eq!(listed, format!("leaf [calls]  ({reason})\n"));
        let available = ["get", "--session", &place, "available_filter_functions"];
        assert_eq!(run(&mut scratch.lookback(&available)).success().stdout, "");
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
}
