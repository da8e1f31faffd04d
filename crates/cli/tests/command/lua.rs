//! The functions of a program that many people use: Lua's interpreter, built with each kind of sites, runs a
//! script that throws, switches coroutines and collects garbage.

use crate::common::*;
use crate::functions::XRAY;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a script.
const HOST: &str = r#"
#include <stdio.h>
#include "lauxlib.h"
#include "lualib.h"
int main(int count, char **words)
{
	lua_State *lua = luaL_newstate();
	luaL_openlibs(lua);
	if (luaL_dofile(lua, words[count - 1])) {
		fprintf(stderr, "%s\n", lua_tostring(lua, -1));
		return 1;
	}
	lua_close(lua);
	return 0;
}
"#;

/// Calls `string.rep` 3,000 times for each round; errors are caught by longjmp(3).
const SCRIPT: &str = r#"
local function checksum(text)
	local sum = 0
	for index = 1, #text do
		sum = (sum * 31 + text:byte(index)) % 1000003
	end
	return sum
end
local function round(number)
	local sum, words = 0, {}
	for index = 1, 1000 do
		words[index] = string.rep("x", index % 7) .. string.rep("y", index % 5) .. string.rep("z", number)
	end
	table.sort(words)
	sum = checksum(table.concat(words))
	for index = 1, 200 do
		local _, thrown = pcall(function() if index % 2 == 0 then error({ index }) end return { 1 } end)
		sum = sum + thrown[1]
	end
	local numbers = coroutine.wrap(function() for index = 1, 300 do coroutine.yield(index) end end)
	for _ = 1, 300 do
		sum = sum + numbers()
	end
	collectgarbage()
	return sum
end
for number = 1, ROUNDS do
	io.write(number, " ", round(number % 3), "\n")
	io.flush()
end
"#;

/// How often a round calls `str_rep`, which is `string.rep`.
const REPETITIONS: usize = 3000;

/// How often it throws: 100 errors, and each of 300 times that a coroutine yields.
const THROWS: usize = 400;

/// How compilers are told to make sites. Without -O2, which would take three times as long.
const KINDS: [(&str, &[&str]); 5] = [
    ("gcc", &["-fpatchable-function-entry=5"]),
    ("clang", &["-fpatchable-function-entry=5"]),
    ("gcc", &["-pg"]),
    ("gcc", &["-pg", "-mfentry"]),
    ("clang", XRAY),
];

/// The interpreter with these sites.
fn interpreter(scratch: &Scratch, compiler: &str, flags: &[&str]) -> PathBuf {
    let (host, program) = (scratch.write("host.c", HOST), scratch.path("lua"));
    let mut compile = scratch.command("sh");
    compile.arg("-c").arg(r#"cd "$0" && exec "$@" *.c -lm -ldl"#).arg(source()).arg(compiler);
    compile.args(["-O1", "-w", "-DLUA_USE_LINUX", "-I."]).args(flags).arg("-o").arg(&program).arg(host);
    run(&mut compile).success();
    program
}

/// Where its source is: a package that cargo has fetched.
fn source() -> PathBuf {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--format-version", "1", "--locked", "--offline"]);
    metadata.args(["--filter-platform", "x86_64-unknown-linux-gnu"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let text = run(&mut metadata).success().stdout;
    let manifests = text.split("\"manifest_path\":\"").filter_map(|text| text.split('"').next());
    let manifest =
        manifests.map(Path::new).find(|path| path.to_str().unwrap().contains("/lua-src-")).unwrap();
    let found = std::fs::read_dir(manifest.parent().unwrap()).unwrap();
    found
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().contains("/lua-5.4."))
        .unwrap()
}

/// A script of so many rounds.
fn script(scratch: &Scratch, rounds: usize) -> String {
    let path = scratch.write("script.lua", SCRIPT.replace("ROUNDS", &rounds.to_string()));
    path.into_os_string().into_string().unwrap()
}

/// The function of each line of a report that is of a function.
fn functions(report: &str) -> Vec<&str> {
    let calls = report.lines().filter_map(|line| line.split_once(" <-"));
    calls.map(|(before, _)| before.rsplit_once(' ').unwrap().1).collect()
}

#[test]
fn what_it_runs_is_named_and_counted() {
    let scratch = Scratch::new();
    let script = script(&scratch, 2);
    for (compiler, flags) in KINDS {
        let program = interpreter(&scratch, compiler, flags);
        let program = program.to_str().unwrap();
        let plain = run(scratch.command(program).arg(&script)).success().stdout;
        let options = ["-p", "function", "-l", "str_*", "-l", "luaD_throw", "-b", "65536"];
        let recorded = run(&mut scratch.record(&options, &[program, &script])).success();
        assert_eq!(recorded.stdout, plain, "{compiler} {flags:?}");
        let report = run(&mut scratch.report(&[])).success().stdout;
        let count = |name: &str| functions(&report).iter().filter(|function| **function == name).count();
        assert_eq!(count("str_rep"), 2 * REPETITIONS, "{compiler} {flags:?}");
        assert_eq!(count("luaD_throw"), 2 * THROWS, "{compiler} {flags:?}");
        assert!(functions(&report).iter().all(|name| name.starts_with("str_") || *name == "luaD_throw"));
    }
}

#[test]
fn it_computes_the_same_while_all_of_it_is_switched() {
    let scratch = Scratch::new();
    let script = script(&scratch, 30);
    let place = scratch.outside("session").into_os_string().into_string().unwrap();
    run(&mut scratch.lookback(&["start", "-q", "--session", &place, "-b", "256", "-e", "openat"])).success();
    for (compiler, flags) in KINDS {
        let program = interpreter(&scratch, compiler, flags);
        let program = program.to_str().unwrap();
        let plain = run(scratch.command(program).arg(&script)).success().stdout;
        let running = start(&mut scratch.lookback(&["run", "--session", &place, program, &script]));
        for filter in ["lua[DVH]_*", "*", "str_*"].iter().cycle().take(9) {
            for (file, value) in [
                ("set_ftrace_filter", *filter),
                ("current_tracer", "function"),
                ("current_tracer", "function_graph"),
                ("current_tracer", "nop"),
            ] {
                run(&mut scratch.lookback(&["set", "-q", "--session", &place, file, value])).success();
            }
        }
        assert_eq!(running.wait().success().stdout, plain, "{compiler} {flags:?}");
    }
}
