//! Functions that have several names, and names that several functions have.

use crate::common::*;
use crate::functions::{calls, path};
use crate::probe_variables::recorded;
use std::path::PathBuf;

/// A function with two names, of which `take` has an old version that is another function.
const LIBRARY: &str = r#"
#define FRAMED __attribute__((noinline, aligned(16))) int
FRAMED take_old(int many) { volatile int kept[20]; kept[3] = many; return kept[3] - 1; }
FRAMED take_new(int many) { volatile int kept[20]; kept[3] = many; return kept[3] + 1; }
__asm__(".symver take_old, take@V0\n.symver take_new, take@@V1");
int give(int many) __attribute__((alias("take_new")));
"#;

const VERSIONS: &str = "V0 { global: take; local: *; };\nV1 { global: take; give; } V0;\n";

const PROGRAM: &str = r#"
#include <stdio.h>
int take(int many), give(int many);
int main(void)
{
	printf("%d\n", take(1) + give(2));
	return 0;
}
"#;

/// The program, and the library that it needs.
fn build(scratch: &Scratch) -> (PathBuf, PathBuf) {
    let (program, library) = (scratch.path("program"), scratch.path("libsome.so"));
    let script = format!("-Wl,--version-script={}", path(&scratch.write("versions", VERSIONS)));
    let gcc = |source: PathBuf, output: &PathBuf, options: &[&str]| {
        let mut gcc = scratch.command("gcc");
        run(gcc.args(["-g", "-O1", "-Wl,--build-id"]).arg(source).arg("-o").arg(output).args(options))
            .success();
    };
    gcc(scratch.write("some.c", LIBRARY), &library, &["-fPIC", "-shared", &script]);
    let rpath = format!("-Wl,-rpath,{}", path(library.parent().unwrap()));
    gcc(scratch.write("program.c", PROGRAM), &program, &[path(&library), &rpath]);
    (program, library)
}

#[test]
fn a_function_is_found_by_each_of_its_names() {
    let scratch = Scratch::new();
    let (program, library) = build(&scratch);
    for name in ["take", "give", "take_new"] {
        let definition = format!("{}:{name} many", path(&library));
        let (printed, events) = recorded(&scratch, &definition, path(&program));
        assert_eq!(printed, "5\n");
        assert_eq!(events, [1, 2].map(|many| format!("{name}: many={many}")), "{name}");
        let options = ["-p", "function", "-l", name];
        run(&mut scratch.record(&options, &[path(&program)])).success();
        assert_eq!(calls(&run(&mut scratch.report(&[])).success().stdout).len(), 2, "{name}");
    }
    let definition = format!("{}:take@V0 many", path(&library));
    assert_eq!(recorded(&scratch, &definition, path(&program)).1, [""; 0], "that nobody calls");
}

#[test]
fn without_symbols_a_name_means_the_version_that_programs_are_linked_with() {
    let scratch = Scratch::new();
    let (program, library) = build(&scratch);
    run(scratch.command("strip").arg("-s").arg(&library)).success();
    for name in ["take", "give"] {
        let definition = format!("{}:{name} many=%di:s32", path(&library));
        let (printed, events) = recorded(&scratch, &definition, path(&program));
        assert_eq!(printed, "5\n");
        assert_eq!(events, [1, 2].map(|many| format!("{name}: many={many}")), "{name}");
    }
}
