//! Names of functions: from all places where a file may have them, and never those of another file.

use crate::common::*;
use crate::functions::{NOPS, calls, path, session};
use rustix::process::Signal;
use std::fs;

/// A library that the program calls, and that is somewhere else in each process.
const LIBRARY: &str = "
__attribute__((noinline)) int library_step(int x) { __asm__ volatile(\"\"); return x + 1; }
int library_run(int x) { return library_step(x) + library_step(x); }
";

const PROGRAM: &str = "
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int library_run(int x);
__attribute__((noinline)) int local_step(int x)
{
	int result = library_run(x);
	__asm__ volatile(\"\");
	return result;
}
int main(int count, char **words)
{
	if (count == 2 && !fork())
		execl(words[0], words[0], (char *)0);
	printf(\"%d\\n\", local_step(1));
	if (count > 2) {
		fflush(stdout);
		pause();
	}
	while (wait(0) > 0)
		;
	return 0;
}
";

/// The program, linked with the library, with these options for both.
fn build(scratch: &Scratch, options: &[&str]) -> (std::path::PathBuf, std::path::PathBuf) {
    let library =
        compile(scratch, "libsome.so", LIBRARY, &[&["-O2", "-fPIC", "-shared", NOPS], options].concat());
    let directory = format!("-L{}", path(library.parent().unwrap()));
    let rpath = format!("-Wl,-rpath,{}", path(library.parent().unwrap()));
    // Before what it needs, the linker drops it.
    let linked = ["-O2", NOPS, "-Wl,--no-as-needed", "-lsome", &directory, &rpath];
    let program = compile(scratch, "program", PROGRAM, &[&linked[..], options].concat());
    (program, library)
}

const ROUND: [&str; 4] = [
    "local_step <-main",
    "library_run <-local_step",
    "library_step <-library_run",
    "library_step <-library_run",
];

fn found(report: &str) -> Vec<String> {
    calls(report).into_iter().filter(|call| !call.starts_with("main ")).collect()
}

#[test]
fn several_processes_and_other_tools_have_the_names() {
    let scratch = Scratch::new();
    let (program, _) = build(&scratch, &[]);
    run(&mut scratch.record(&["-p", "function"], &[path(&program), "twice"])).success();
    let mut lines = found(&run(&mut scratch.report(&[])).success().stdout);
    lines.sort();
    let mut expected = [ROUND, ROUND].concat();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let mut other = scratch.command("trace-cmd");
    let shown = run(other.arg("report").arg("-i").arg(scratch.outside("trace.dat"))).success().stdout;
    for name in ["local_step", "library_run", "library_step"] {
        assert!(shown.contains(name), "{name}: {shown}");
    }
}

#[test]
fn the_table_for_dynamic_linking_is_enough_for_what_is_in_it() {
    let scratch = Scratch::new();
    let (program, library) = build(&scratch, &[]);
    run(scratch.command("strip").arg(&library)).success();
    run(&mut scratch.record(&["-p", "function", "-l", "library_*"], &[path(&program)])).success();
    let lines = found(&run(&mut scratch.report(&[])).success().stdout);
    assert_eq!(lines, ROUND[1..], "{lines:?}");
}

#[test]
fn a_file_that_is_gone_or_another_by_now_gives_no_names() {
    let scratch = Scratch::new();
    for options in [&["-Wl,--build-id=sha1"][..], &["-Wl,--build-id=none"]] {
        let (program, library) = build(&scratch, options);
        let place = session(&scratch, &["-p", "function"]);
        run(&mut scratch.lookback(&["run", "--session", &place, path(&program)])).success();
        // One with other names at these addresses, in the same place.
        let other = LIBRARY.replace("library_", "confusing_") + "int more[9] = { 1 };";
        fs::remove_file(&library).unwrap();
        let flags = [&["-O2", "-fPIC", "-shared", NOPS], options].concat();
        compile(&scratch, "libsome.so", &other, &flags);
        fs::remove_file(&program).unwrap();
        let trace = scratch.outside("trace.dat");
        let extract = ["extract", "--session", &place, "-o", path(&trace)];
        let said = run(&mut scratch.lookback(&extract)).success().stderr;
        for (file, why) in
            [(&library, "is another file by now"), (&program, "is no longer there, or can't be read")]
        {
            let expected = format!("{} {why}: its functions have no names", file.display());
            assert!(said.contains(&expected), "{options:?}: {said}");
        }
        let report = run(&mut scratch.report(&[])).success().stdout;
        assert!(!report.contains("confusing_") && report.contains(": libsome.so"), "{options:?}: {report}");
        run(&mut scratch.lookback(&["delete", "--session", &place])).success();
    }
}

#[test]
fn a_file_that_a_process_has_mapped_still_gives_its_names() {
    if needs_root("read what others have mapped") {
        return;
    }
    let scratch = Scratch::new();
    let (program, library) = build(&scratch, &["-Wl,--build-id=sha1"]);
    let place = session(&scratch, &["-p", "function"]);
    let words = ["run", "--session", &place, path(&program), "and", "stay"];
    let mut running = start(&mut scratch.lookback(&words));
    running.wait_for("\n");
    fs::remove_file(&program).unwrap();
    fs::remove_file(&library).unwrap();
    fs::write(&library, "another file").unwrap();
    let trace = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
    let lines = found(&trace);
    assert_eq!(lines, ROUND);
    running.signal(Signal::KILL);
    running.wait();
}
