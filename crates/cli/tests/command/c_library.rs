//! The library for C and C++: as it is installed, compiled with, and used.

use crate::common::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLE: &str = include_str!("../../../../examples/c/missing_files.c");
const PROGRAM: &str = include_str!("programs/c_library.c");

/// The library as it is installed, and a session.
struct Installed {
    scratch: Scratch,
    prefix: PathBuf,
}

impl Installed {
    fn new() -> Installed {
        let scratch = Scratch::new();
        let installed = Installed { prefix: install_c_library(&scratch), scratch };
        let start = ["start", "-q", "-e", "sched_process_exit", "-b", "64", "--snapshots", "2"];
        run(&mut installed.lookback(&start)).success();
        installed
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session"));
        command
    }

    /// A program compiled by what pkg-config says, every warning an error.
    fn compiled(&self, compiler: &str, source: &str, name: &str) -> PathBuf {
        let mut words = compiler.split(' ');
        let (path, source) = (self.scratch.path(name), self.scratch.write(&format!("{name}.c"), source));
        let mut cc = self.scratch.command(words.next().unwrap());
        cc.args(words).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"]).arg(&path).arg(source);
        run(cc.args(self.pkg_config())).success();
        path
    }

    fn pkg_config(&self) -> Vec<String> {
        let mut command = Command::new("pkg-config");
        command.args(["--cflags", "--libs", "lookback"]);
        let found = run(command.env("PKG_CONFIG_PATH", self.prefix.join("lib/pkgconfig"))).success().stdout;
        found.split_whitespace().map(String::from).collect()
    }

    fn program(&self, program: &Path, arguments: &[&str]) -> Outcome {
        let mut command = self.scratch.command(program);
        command.args(arguments).env("LD_LIBRARY_PATH", self.prefix.join("lib"));
        run(command.env("LOOKBACK_SESSION", self.scratch.path("session")))
    }
}

#[test]
fn a_program_controls_a_session_and_reads_it() {
    if is_missing(&["gcc", "g++", "pkg-config"]) {
        return;
    }
    let installed = Installed::new();
    for compiler in ["gcc -std=c99", "g++ -x c++ -std=c++11"] {
        let program = installed.compiled(compiler, PROGRAM, "program");
        let path = installed.scratch.path("session");
        let outcome = installed.program(&program, &[path.to_str().unwrap()]).success();
        assert_eq!(outcome.stdout, "everything is as it should be\n", "{}", outcome.stderr);
    }
}

#[test]
fn the_example_says_which_files_are_missing() {
    if is_missing(&["gcc", "g++", "pkg-config"]) {
        return;
    }
    let installed = Installed::new();
    installed.compiled("g++ -x c++ -std=c++17", EXAMPLE, "example");
    let example = installed.compiled("gcc -std=c99", EXAMPLE, "example");
    let printed = installed.program(&example, &[]).success().stdout;
    assert!(printed.contains("looking for files that are missing"), "{printed}");
    // Its events are enabled now.
    run(&mut installed.lookback(&["run", "--", "cat", "/nowhere"])).failure(1, &["nowhere"]);
    let printed = installed.program(&example, &[]).success().stdout;
    assert!(printed.contains(" /nowhere: -1\n"), "{printed}");
    // So it is in a file.
    run(&mut installed.lookback(&["extract", "-s", "-o", "kept.dat"])).success();
    let of_file = installed.program(&example, &["kept.dat"]).success().stdout;
    assert!(of_file.contains(" /nowhere: -1\n"), "{of_file}");
    installed.program(&example, &["absent.dat"]).failure(1, &["absent.dat: No such file or directory"]);
    installed.scratch.write("bad.dat", "no trace");
    installed.program(&example, &["bad.dat"]).failure(1, &["bad.dat: "]);
}

/// A program that records, too.
const BOTH: &str = "#include <lookback.h>\n#include <lookback_reader.h>\n#include <lookback_consumer.h>\n\
    int main(void)\n{\n\tDO_TRACE(both, \"%s\", lookback_version());\n\treturn 0;\n}\n";

#[test]
fn a_program_may_read_and_record() {
    if is_missing(&["gcc", "g++", "pkg-config"]) {
        return;
    }
    let installed = Installed::new();
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../tracepoint/include");
    for compiler in ["gcc -std=gnu99", "g++ -x c++ -std=c++11"] {
        let program = installed.compiled(&format!("{compiler} {include}"), BOTH, "both");
        let mut record = installed.scratch.record(&["-q", "-e", "ktrace:*"], &[program.to_str().unwrap()]);
        run(record.env("LD_LIBRARY_PATH", installed.prefix.join("lib"))).success();
        let texts: Vec<String> =
            installed.scratch.trace().named("both").map(|event| event.text.clone()).collect();
        assert_eq!(texts, [env!("CARGO_PKG_VERSION")]);
    }
}

#[test]
fn nothing_but_the_documented_functions_is_exported() {
    if is_missing(&["nm", "readelf"]) {
        return;
    }
    let installed = Installed::new();
    let library = installed.prefix.join("lib/liblookback.so.0");
    let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(&library)).success().stdout;
    let exported: BTreeSet<&str> = symbols.lines().filter_map(|line| line.split(' ').next_back()).collect();
    let headers = ["lookback_session.h", "lookback_reader.h", "lookback_consumer.h"];
    let texts =
        headers.map(|name| std::fs::read_to_string(installed.prefix.join("include").join(name)).unwrap());
    let declared: BTreeSet<&str> = texts.iter().flat_map(|text| declared(text)).collect();
    assert!(declared.len() > 30, "{declared:?}");
    assert_eq!(exported, declared);
    let dynamic = run(Command::new("readelf").arg("-d").arg(&library)).success().stdout;
    assert!(dynamic.contains("soname: [liblookback.so.0]"), "{dynamic}");
}

/// The functions that a header declares.
fn declared(header: &str) -> impl Iterator<Item = &str> {
    let starts = |line: &&str| !line.starts_with([' ', '\t', '/', '#']) && line.contains('(');
    header.lines().filter(starts).filter_map(|line| {
        let name = line.split('(').next()?;
        name.rsplit([' ', '*']).next().filter(|name| name.starts_with("lookback_"))
    })
}
