//! What compilers leave is found: every function of a program, at its entry.

use function_sites::{FunctionSite, FunctionSymbol, ObjectFile, SiteKind};
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "
#include <stdio.h>
static int __attribute__((noinline)) leaf(int x) { return x * 3 + 1; }
int __attribute__((noinline)) middle(int x) { return leaf(x) + leaf(x + 1); }
int main(void) { return middle(1) == 7; }
";

/// The functions of the program that a compiler makes with these flags, and their sites.
fn compile(compiler: &str, flags: &[&str]) -> Vec<(String, Vec<FunctionSite<'static>>)> {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, SOURCE).unwrap();
    let status = Command::new(compiler).args(["-O2", "-o"]).arg(&program).args(flags).arg(&source).status();
    assert!(status.unwrap().success(), "{compiler} {flags:?}");
    sites_by_function(&program)
}

fn sites_by_function(program: &Path) -> Vec<(String, Vec<FunctionSite<'static>>)> {
    let bytes = std::fs::read(program).unwrap().leak();
    let file = ObjectFile::parse(bytes).unwrap();
    let sites: Vec<FunctionSite<'_>> = file.sites().collect();
    let of = |function: &FunctionSymbol<'_>| {
        sites.iter().copied().filter(|site| function.contains(site.address)).collect::<Vec<_>>()
    };
    let ours = ["leaf", "middle", "main"];
    let functions = file
        .functions()
        .map(|function| (String::from_utf8(function.name.to_vec()).unwrap(), function.start, of(&function)));
    let found: Vec<_> = functions.filter(|(name, ..)| ours.contains(&name.as_str())).collect();
    assert_eq!(found.len(), ours.len());
    assert_eq!(sites.len(), ours.len(), "no other sites");
    for (name, start, sites) in &found {
        assert_eq!(sites.len(), 1, "{name}");
        assert!(sites[0].address - start < 16, "{name}: at its entry");
    }
    found.into_iter().map(|(name, _, sites)| (name, sites)).collect()
}

#[test]
fn patchable_entries_are_found_wherever_the_program_may_be_mapped() {
    for compiler in ["gcc", "clang"] {
        for place in [
            &["-pie", "-fPIE"][..],
            &["-no-pie", "-fno-pie"],
            &["-pie", "-fPIE", "-Wl,-z,pack-relative-relocs"],
        ] {
            if compiler == "clang" && place.len() == 3 {
                continue;
            }
            let flags = [&["-fpatchable-function-entry=5"], place].concat();
            let found = compile(compiler, &flags);
            let kinds =
                found.iter().flat_map(|(_, sites)| sites).all(|site| site.kind == SiteKind::PatchableEntry);
            assert!(kinds, "{compiler} {flags:?}");
        }
    }
}

#[test]
fn recorded_calls_of_fentry_are_found() {
    let flags = ["-pg", "-mfentry", "-mrecord-mcount", "-no-pie", "-fno-pie"];
    for more in [&[][..], &["-mnop-mcount"]] {
        let found = compile("gcc", &[&flags, more].concat());
        assert!(found.iter().flat_map(|(_, sites)| sites).all(|site| site.kind == SiteKind::McountCall));
    }
}

#[test]
fn sleds_are_found_at_entries() {
    for place in [&["-pie", "-fPIE"], &["-no-pie", "-fno-pie"]] {
        let flags = ["-fxray-instrument", "-fxray-instruction-threshold=1", "-fnoxray-link-deps"];
        let found = compile("clang", &[&flags[..], place].concat());
        assert!(
            found.iter().flat_map(|(_, sites)| sites).all(|site| site.kind == SiteKind::Sled),
            "{place:?}"
        );
    }
}

#[test]
fn damaged_files_give_less_and_never_panic() {
    let program = std::fs::read("/proc/self/exe").unwrap();
    let count = |bytes: &[u8]| {
        ObjectFile::parse(bytes).map_or(0, |file| file.sites().count() + file.functions().count())
    };
    let whole = count(&program);
    for end in [0, 4, 63, 64, 1000, program.len() / 2, program.len() - 1] {
        assert!(count(&program[..end]) <= whole);
    }
    // Every byte of the header, and of the first section headers, in turn.
    let sections = u64::from_le_bytes(program[0x28..0x30].try_into().unwrap()) as usize;
    for at in (0..64).chain(sections..sections + 640) {
        let mut damaged = program.clone();
        damaged[at] ^= 0xff;
        count(&damaged);
    }
}
