//! What compilers leave is found: every function of a program, at its entry.

use function_sites::{
    FrameBase, FunctionSite, FunctionSymbol, ObjectFile, ReturnAddress, SiteKind, SiteLocation, SiteLocator,
    SitePlace, Unlocated,
};
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

/// Where the sites of the program are that a compiler makes with these flags, less the start of the function
/// that has them.
fn locations(compiler: &str, flags: &[&str]) -> Vec<Result<SiteLocation, Unlocated>> {
    let directory = tempfile::tempdir().unwrap();
    let (source, program) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, SOURCE).unwrap();
    let status = Command::new(compiler).args(["-O2", "-o"]).arg(&program).args(flags).arg(&source).status();
    assert!(status.unwrap().success(), "{compiler} {flags:?}");
    let bytes = std::fs::read(&program).unwrap();
    let file = ObjectFile::parse(&bytes).unwrap();
    let locator = SiteLocator::new(file);
    let from_start = |location: SiteLocation| {
        let function = file.functions().find(|function| function.contains(location.address)).unwrap();
        SiteLocation { address: location.address - function.start, ..location }
    };
    file.sites().map(|site| locator.locate(&site).map(from_start)).collect()
}

#[test]
fn sites_are_at_the_first_instruction_or_after_the_prologue() {
    let first = |address| SiteLocation {
        address,
        place: SitePlace::FirstInstruction,
        return_address: Some(ReturnAddress { base: FrameBase::StackPointer, offset: 0 }),
    };
    let mcount = SiteLocation {
        address: 4,
        place: SitePlace::AfterPrologue,
        return_address: Some(ReturnAddress { base: FrameBase::FramePointer, offset: 8 }),
    };
    let record = "-mrecord-mcount";
    let cases: [(&str, &[&str], Result<SiteLocation, Unlocated>); 14] = [
        ("gcc", &["-fpatchable-function-entry=5"], Ok(first(0))),
        ("gcc", &["-fpatchable-function-entry=5", "-fno-asynchronous-unwind-tables"], Ok(first(0))),
        ("gcc", &["-fpatchable-function-entry=5", "-fcf-protection=full"], Ok(first(4))),
        ("gcc", &["-fpatchable-function-entry=7,2"], Ok(first(0))),
        ("gcc", &["-fpatchable-function-entry=7,2", "-fno-asynchronous-unwind-tables"], Ok(first(0))),
        ("gcc", &["-fpatchable-function-entry=7,2", "-fcf-protection=full"], Ok(first(0))),
        ("gcc", &["-fpatchable-function-entry=5,5"], Err(Unlocated::BeforeEntry)),
        ("clang", &["-fpatchable-function-entry=5"], Ok(first(0))),
        ("clang", &["-fpatchable-function-entry=7,2"], Ok(first(0))),
        ("clang", &["-fpatchable-function-entry=7,2", "-fcf-protection=full"], Ok(first(0))),
        ("gcc", &["-pg", record, "-no-pie", "-fno-pie"], Ok(mcount)),
        ("gcc", &["-pg", record, "-mnop-mcount", "-no-pie", "-fno-pie"], Ok(mcount)),
        ("gcc", &["-pg", "-mfentry", record, "-no-pie", "-fno-pie"], Ok(first(0))),
        ("gcc", &["-pg", "-mfentry", record, "-fcf-protection=full", "-no-pie", "-fno-pie"], Ok(first(4))),
    ];
    for (compiler, flags, expected) in cases {
        let found = locations(compiler, flags);
        assert_eq!(found.len(), 3, "{compiler} {flags:?}");
        // Prologues may push more registers, and not every function begins with `endbr64`.
        let has_endbr64 = flags.contains(&"-fcf-protection=full");
        let usual = |location: SiteLocation| match location.place {
            SitePlace::FirstInstruction if !has_endbr64 => location,
            _ => SiteLocation { address: 4, ..location },
        };
        let expected = expected.map(usual);
        assert!(found.iter().all(|found| found.map(usual) == expected), "{compiler} {flags:?}: {found:?}");
    }
}

#[test]
fn calls_that_no_section_lists_are_found() {
    for compiler in ["gcc", "clang"] {
        for more in [&[][..], &["-mfentry"]] {
            for place in [&["-pie", "-fPIE"][..], &["-no-pie", "-fno-pie"], &["-pie", "-fPIE", "-Wl,-z,now"]]
            {
                let flags = [&["-pg"], more, place].concat();
                let kind = if more.is_empty() { SiteKind::UnlistedMcount } else { SiteKind::UnlistedFentry };
                let found = compile(compiler, &flags);
                let sites = found.iter().flat_map(|(_, sites)| sites);
                assert!(sites.into_iter().all(|site| site.kind == kind), "{compiler} {flags:?}");
            }
        }
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
