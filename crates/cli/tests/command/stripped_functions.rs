//! Functions of programs whose symbols were stripped.

use crate::common::*;
use crate::functions::{calls, path, session};
use std::path::{Path, PathBuf};

/// Calls functions that nobody else sees, of which one has a part that is put elsewhere.
const PLAIN: &str = "
#include <stdio.h>
#include <stdlib.h>
#define HIDDEN __attribute__((noipa, aligned(16))) static
HIDDEN __attribute__((cold, noreturn)) void fail(int x) { printf(\"%d\\n\", x); abort(); }
HIDDEN int leaf(int x) { if (x < 0) fail(x); return x * 3 + 1; }
HIDDEN long framed(long a, long b) { volatile long kept[20]; kept[3] = a; return kept[3] + b + leaf(b); }
int main(int count, char **words)
{
	long sum = 0;
	for (int i = 0; i < atoi(words[1]); i++)
		sum += framed(i, 2) + leaf(i);
	printf(\"%ld\\n\", sum);
	return 0;
}
";

/// The program, and the functions that its table of symbols had.
struct Stripped {
    program: PathBuf,
    functions: Vec<(String, String)>,
}

impl Stripped {
    fn build(scratch: &Scratch) -> Stripped {
        let (source, program) = (scratch.write("plain.c", PLAIN), scratch.path("plain"));
        run(scratch.command("gcc").args(["-O2", "-o"]).arg(&program).arg(source)).success();
        let listed = run(scratch.command("nm").arg(&program)).success().stdout;
        let of_line = |line: &str| {
            let (address, rest) = line.split_once(' ')?;
            Some((rest.get(2..)?.to_string(), format!("sub_{}", address.trim_start_matches('0'))))
        };
        let functions = listed.lines().filter_map(of_line).collect();
        run(scratch.command("strip").arg("-s").arg(&program)).success();
        Stripped { program, functions }
    }

    /// What a function is called now.
    fn name(&self, function: &str) -> &str {
        let found = self.functions.iter().find(|(name, _)| name == function);
        &found.unwrap_or_else(|| panic!("{function}: {:?}", self.functions)).1
    }
}

#[test]
fn they_are_traced_by_their_addresses() {
    let scratch = Scratch::new();
    let plain = Stripped::build(&scratch);
    let expected = run(scratch.command(path(&plain.program)).arg("3")).success().stdout;
    let [main, framed, leaf] = ["main", "framed", "leaf"].map(|name| plain.name(name));
    // Callers are places in the file.
    let round = [framed, leaf, leaf].map(|name| format!("{name} <-plain"));
    for chosen in [&["sub_*:mod:plain"][..], &[":mod:plain"], &[framed, leaf]] {
        let names = chosen.iter().flat_map(|name| ["-l", name]);
        let options: Vec<&str> = ["-p", "function"].into_iter().chain(names).collect();
        let output = run(&mut scratch.record(&options, &[path(&plain.program), "3"])).success();
        assert_eq!(output.stdout, expected, "{chosen:?}");
        let mut found = calls(&run(&mut scratch.report(&[])).success().stdout);
        found.retain(|call| !call.starts_with(main));
        assert_eq!(found, vec![round.clone(); 3].concat(), "{chosen:?}");
    }
}

#[test]
fn their_calls_and_returns_are_nested() {
    let scratch = Scratch::new();
    let plain = Stripped::build(&scratch);
    let [framed, leaf] = ["framed", "leaf"].map(|name| plain.name(name));
    let options = ["-p", "function_graph", "-l", framed, "-l", leaf];
    run(&mut scratch.record(&options, &[path(&plain.program), "1"])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let texts = report.lines().filter_map(|line| line.split_once('|')).map(|(_, text)| text.trim_end());
    let texts: Vec<&str> = texts.filter(|text| text.contains("sub_")).collect();
    let expected = [format!("  {framed}() {{"), format!("    {leaf}();"), format!("  {leaf}();")];
    assert_eq!(texts, expected, "{report}");
}

#[test]
fn they_are_listed_where_nothing_else_names_them() {
    let scratch = Scratch::new();
    let plain = Stripped::build(&scratch);
    let place = session(&scratch, &["-e", "sched_process_exit"]);
    // Another file than the one that was stripped, by its build id.
    let whole = scratch.path("whole");
    run(scratch.command("gcc").args(["-O2", "-g", "-o"]).arg(&whole).arg(scratch.path("plain.c"))).success();
    for program in [&plain.program, &whole] {
        run(&mut scratch.lookback(&["run", "--session", &place, path(program), "1"])).success();
    }
    let list = |pattern: &str| {
        let listed =
            run(&mut scratch.lookback(&["list", "--session", &place, "-f", pattern, "--why"])).success();
        listed.stdout.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let names = |lines: &[String]| {
        let names = lines.iter().filter_map(|line| line.split(' ').next());
        names.map(str::to_string).collect::<Vec<_>>()
    };
    let mut expected = ["main", "fail", "leaf", "framed"].map(|name| plain.name(name).to_string());
    expected.sort_by_key(|name| (name.len(), name.clone()));
    let listed = list("*:mod:plain");
    assert_eq!(names(&listed), expected, "not the part of leaf, nor what a process begins with");
    let by = format!("{} [plain]  (by a jump", plain.name("framed"));
    assert!(listed.iter().any(|line| line.starts_with(&by)), "{listed:?}");
    let whole = names(&list("*:mod:whole"));
    assert!(whole.iter().any(|name| name == "leaf"), "{whole:?}");
    assert!(!whole.iter().any(|name| name.starts_with("sub_") || name.contains(".cold")), "{whole:?}");
    assert!(plain.functions.iter().any(|(name, _)| name == "leaf.cold"), "{:?}", plain.functions);
}

#[test]
fn probes_find_them() {
    let scratch = Scratch::new();
    let plain = Stripped::build(&scratch);
    let framed = plain.name("framed");
    let definition = format!("{}:{framed} %di:s32", path(&plain.program));
    run(&mut scratch.record(&["--probe", &definition], &[path(&plain.program), "2"])).success();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let events = crate::probes::probed(&report);
    assert_eq!(events, [0, 1].map(|value| format!("{framed}: arg1={value}")), "{report}");
    refuses_what_is_no_function(&scratch, &plain.program);
}

fn refuses_what_is_no_function(scratch: &Scratch, program: &Path) {
    let definition = format!("{}:sub_1", path(program));
    let said = run(&mut scratch.record(&["--probe", &definition], &[path(program), "1"]));
    assert!(!said.status.success(), "{}", said.stderr);
}
