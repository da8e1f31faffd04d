//! Debug information in other files than the program's own, and types in units of their own.

use crate::common::*;
use crate::functions::{NOPS, calls, path};
use crate::probe_languages::CART;
use crate::probe_variables::{ARGUMENTS, SHOP, build, line_of, lines, recorded};
use std::path::{Path, PathBuf};

#[test]
fn debug_information_may_lie_elsewhere_and_be_compressed() {
    let scratch = Scratch::new();
    let program = build(&scratch, "gcc", &["-O2"]);
    let debug = scratch.path("shop.debug");
    let tool = |name: &str, arguments: &[&str]| {
        run(scratch.command(name).args(arguments).current_dir(program.parent().unwrap())).success();
    };
    tool("objcopy", &["--only-keep-debug", "--compress-debug-sections", path(&program), path(&debug)]);
    tool("strip", &[path(&program)]);
    let definition = format!("{}:pay count", path(&program));
    let none = run(&mut scratch.record(&["--probe", &definition], &[path(&program)]));
    none.failure(125, &["has no debug information", "build it with -g, or install"]);
    tool("objcopy", &["--add-gnu-debuglink=shop.debug", path(&program)]);
    let (_, events) = recorded(&scratch, &format!("{definition} item->id"), path(&program));
    assert_eq!(events, ["pay: count=1 id=7", "pay: count=2 id=7", "pay: count=3 id=7"]);
}

/// Compiled, and then linked: so the compiler's file of debug information is `shop.dwo`.
fn build_split(scratch: &Scratch, compiler: &str, options: &[&str]) -> PathBuf {
    scratch.write("shop.c", SHOP);
    let tool = |arguments: &[&str]| {
        let mut command = scratch.command(compiler);
        run(command.args(arguments).current_dir(scratch.path("."))).success();
    };
    tool(&[&["-g", "-gsplit-dwarf", "-c", "shop.c"], options].concat());
    tool(&["-Wl,--build-id", "-o", "shop", "shop.o"]);
    scratch.path("shop")
}

/// That what is recorded by names is what a program prints.
#[track_caller]
fn assert_names_are_found(scratch: &Scratch, program: &Path, how: &str) {
    let at_start = format!("{}:pay {ARGUMENTS}", path(program));
    let line = line_of(SHOP, "MARK");
    let at_line = format!("{}:shop.c:{line} i sum sold item->prices[0].net", path(program));
    for (definition, part) in [(&at_start, "count="), (&at_line, "sold=")] {
        let (printed, events) = recorded(scratch, definition, path(program));
        assert!(events.len() >= 3, "{how}: {events:?}");
        assert_eq!(events, lines(&printed, part), "{how}");
    }
}

#[test]
fn debug_information_may_be_in_files_of_units_or_of_all() {
    // That of binutils packs nothing of DWARF 5, and that of LLVM 14 doesn't come to the end of gcc's.
    for (compiler, options, packer) in [
        ("gcc", ["-O2", "-gdwarf-5"], None),
        ("gcc", ["-O0", "-gdwarf-4"], Some("dwp")),
        ("clang", ["-O1", "-gdwarf-5"], Some("llvm-dwp")),
        ("clang", ["-O0", "-gdwarf-4"], Some("llvm-dwp")),
    ] {
        if is_missing(&[compiler, packer.unwrap_or(compiler)]) {
            continue;
        }
        let scratch = Scratch::new();
        let program = build_split(&scratch, compiler, &options);
        let (split, package) = (scratch.path("shop.dwo"), scratch.path("shop.dwp"));
        let check = || assert_names_are_found(&scratch, &program, &format!("{compiler} {options:?}"));
        check();
        if let Some(packer) = packer {
            run(scratch.command(packer).args(["-o", path(&package), path(&split)])).success();
            std::fs::remove_file(&split).unwrap();
            check();
            std::fs::remove_file(&package).unwrap();
        } else {
            std::fs::remove_file(&split).unwrap();
        }
        let definition = format!("{}:pay count", path(&program));
        let none = run(&mut scratch.record(&["--probe", &definition], &[path(&program)]));
        none.failure(125, &["shop.dwo, which isn't there, nor is it in ", "shop.dwp"]);
    }
}

/// Compiles two programs with the same types, which are then in a file of both.
fn build_shared(scratch: &Scratch, options: &[&str]) -> PathBuf {
    let program = build(scratch, "gcc", options);
    run(scratch.command("cp").args([path(&program), path(&scratch.path("other"))])).success();
    let mut share = scratch.command("dwz");
    share.args(["-m", "shared.debug", "-r", "shop", "other"]).current_dir(scratch.path("."));
    run(&mut share).success();
    program
}

/// The calls that were recorded, with what functions were called with.
fn called(scratch: &Scratch) -> Vec<String> {
    calls(&run(&mut scratch.report(&[])).success().stdout)
}

/// Whether the line is known that something was called in.
fn has_lines(scratch: &Scratch) -> bool {
    run(&mut scratch.report(&["--lines"])).success().stdout.contains("/shop.c:")
}

/// That of a recording it is known what functions were called with, and in which lines.
#[track_caller]
fn assert_calls_and_lines_are_found(scratch: &Scratch, program: &Path) {
    let options = ["-e", "libc:access", "-p", "function", "--func-args", "-l", "pay"];
    run(&mut scratch.record(&options, &[path(program)])).success();
    let calls = called(scratch);
    assert!(calls[0].starts_with("pay(count=1, item=0x") && calls[0].contains("pair=(STRUCT)["), "{calls:?}");
    assert!(has_lines(scratch));
}

#[test]
fn what_programs_share_of_debug_information_may_be_in_a_file_of_theirs() {
    if is_missing(&["dwz"]) {
        return;
    }
    for options in [["-O0", "-gdwarf-4"], ["-O2", "-gdwarf-5"]] {
        let scratch = Scratch::new();
        let program = build_shared(&scratch, &options);
        assert_names_are_found(&scratch, &program, &format!("{options:?}"));
        let vars = run(&mut scratch.lookback(&["probe", "--vars", &format!("{}:pay", path(&program))]));
        let vars = vars.success().stdout;
        assert!(vars.contains("  const struct item *  ") && vars.contains("struct pair  "), "{vars}");
        assert_calls_and_lines_are_found(&scratch, &program);
        // A file of that name which isn't the one that was meant says nothing, and one that isn't there.
        let shared = scratch.path("shared.debug");
        for other in [Some("other"), None] {
            std::fs::remove_file(&shared).unwrap();
            other.inspect(|other| std::fs::rename(scratch.path(other), &shared).unwrap());
            let definition = format!("{}:pay count", path(&program));
            let none = run(&mut scratch.record(&["--probe", &definition], &[path(&program)]));
            none.failure(125, &["shared.debug, which is not there: install the package that has it"]);
            assert_eq!(called(&scratch)[0], "pay() <-main");
        }
    }
}

#[test]
fn types_may_be_in_units_of_their_own() {
    // clang has them only for what is the same in all of a program of C++.
    for (compiler, options) in [
        ("gcc", ["-O0", "-gdwarf-4"]),
        ("gcc", ["-O2", "-gdwarf-5"]),
        ("g++", ["-O2", "-gdwarf-4"]),
        ("clang++", ["-O0", "-gdwarf-4"]),
        ("clang++", ["-O0", "-gdwarf-5"]),
    ] {
        for (is_split, packer) in [(false, None), (true, None), (true, Some("dwp")), (true, Some("llvm-dwp"))]
        {
            // As above.
            let is_packed = match packer {
                Some("dwp") => options[1] == "-gdwarf-4" && compiler != "clang++",
                Some(_) => compiler == "clang++",
                None => true,
            };
            if !is_packed || is_missing(&[compiler, packer.unwrap_or(compiler)]) {
                continue;
            }
            let how = format!("{compiler} {options:?} {is_split} {packer:?}");
            let scratch = Scratch::new();
            let is_c = compiler == "gcc";
            let name = if is_c { "shop.c" } else { "cart.cpp" };
            scratch.write(name, if is_c { SHOP } else { CART });
            let tool = |program: &str, arguments: &[&str]| {
                let mut command = scratch.command(program);
                run(command.args(arguments).current_dir(scratch.path("."))).success();
            };
            let split = if is_split { "-gsplit-dwarf" } else { "-g" };
            tool(compiler, &[&["-g", split, "-fdebug-types-section", "-c", name], &options[..]].concat());
            let stem = name.split('.').next().unwrap();
            tool(compiler, &["-Wl,--build-id", "-o", stem, &format!("{stem}.o")]);
            if let Some(packer) = packer {
                let [package, units] = ["dwp", "dwo"].map(|kind| format!("{stem}.{kind}"));
                tool(packer, &["-o", &package, &units]);
                std::fs::remove_file(scratch.path(&units)).unwrap();
            }
            let program = scratch.path(stem);
            if is_c {
                assert_names_are_found(&scratch, &program, &how);
                continue;
            }
            let definition =
                format!("{}:shop::cart::pay this->total what.count what.id left", path(&program));
            let (printed, events) = recorded(&scratch, &definition, path(&program));
            let cut = |line: &&str| {
                let kept =
                    |word: &&str| !["name=", "copy=", "price=", "sold="].iter().any(|n| word.starts_with(n));
                line.split(' ').filter(kept).collect::<Vec<_>>().join(" ")
            };
            let expected: Vec<String> = lines(&printed, "pay:").iter().map(cut).collect();
            assert_eq!((events.len(), events), (2, expected), "{how}");
        }
    }
}

#[test]
fn parameters_and_lines_are_found_in_files_of_units() {
    let scratch = Scratch::new();
    scratch.write("shop.c", SHOP);
    for options in [["-gdwarf-4", "-O0"], ["-gdwarf-5", "-O0"]] {
        let program =
            build_split(&scratch, "gcc", &[&options[..], &[NOPS, "-fdebug-types-section"]].concat());
        assert_calls_and_lines_are_found(&scratch, &program);
        // Lines are in the program itself.
        std::fs::remove_file(scratch.path("shop.dwo")).unwrap();
        assert_eq!((called(&scratch)[0].as_str(), has_lines(&scratch)), ("pay() <-main", true));
    }
}
