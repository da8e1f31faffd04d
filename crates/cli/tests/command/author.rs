//! Programs with events of their own: found in every build, recorded with every type of field, switched by
//! name, in libraries that come and go.

use crate::common::*;
use std::collections::BTreeSet;
use std::path::Path;

/// The events of `crates/tracepoint/examples/fields.rs`, as both `lookback report` and trace-cmd print them.
const FIELDS: &str = r#"
numbers: a=255 b=-128 c=65535 d=-32768 e=4294967295 f=-2147483648 g=18446744073709551615 h=-9223372036854775808 i=7 j=-7
others: yes=true no=false letter="x" wide="€" null=0x0 byte=0xab long=0xffffffffffffffff
names: status=paid other=one flags=GIFT|FRAGILE
names: status=new other=0x9 flags=0x8
arrays: mac=00 01 02 fd fe ff ports={1,443,65535} bytes=00 61 62 63 words={0x1,0xffffffff} none={}
arrays: mac=09 09 09 09 09 09 ports={0,0,0} bytes= words={} none={0xffffffffffffffff}
texts: name="Ada L." empty="" c="from C" after=77
message: 100% of 3: "Grace" said {true} \ 3
quotes: été: "paid "twice""  \
quotes: été: "C:\temp" a"b \
quotes: été: "it's "é"" c\ \
quotes: été: "\" a"b|c\ \
nothing:
"#;

/// What trace-cmd prints of slices of numbers: libtraceevent has a form of its own for `__print_array`.
const SLICES: [(&str, &str); 2] = [
    ("words={0x1,0xffffffff} none={}", "words=1 4294967295 none="),
    ("words={} none={0xffffffffffffffff}", "words= none=18446744073709551615"),
];

/// What trace-cmd prints of strings that its parser can't have as they are: libtraceevent undoes no escapes.
const ESCAPES: [(&str, &str); 5] = [
    (r" \", r" \134"),
    (r"c\ ", r"c\134 "),
    (r#""\""#, r#""\134""#),
    (r#""it's "é"""#, r#""it's \042\303\251\042""#),
    ("été", r"\303\251t\303\251"),
];

/// The lines of events, without what is before their names.
fn lines(report: &str, names: &str) -> Vec<String> {
    let wanted: BTreeSet<&str> = names.lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    let events = report.lines().filter_map(Event::parse).filter(|event| wanted.contains(event.name.as_str()));
    events.map(|event| format!("{}: {}", event.name, event.text).trim_end().to_string()).collect()
}

#[test]
fn every_type_of_field_is_shown_as_it_was() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = build_example("fields", &[]);
    let outcome = run(&mut scratch.record(&["-q"], &[&program])).success();
    assert_eq!(outcome.stdout, "recorded\n");
    let expected: Vec<&str> = FIELDS.trim().lines().collect();
    let ours = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!(lines(&ours, FIELDS), expected);
    let mut theirs = scratch.command("trace-cmd");
    let theirs = run(theirs.args(["report", "-i"]).arg(scratch.outside("trace.dat"))).success();
    assert_eq!(theirs.stderr, "");
    let in_their_form = |line: &&str| {
        let escapes = ESCAPES.iter().filter(|_| line.starts_with("quotes"));
        let forms = SLICES.iter().chain(escapes);
        forms.fold(line.to_string(), |line, (ours, theirs)| line.replace(ours, theirs))
    };
    assert_eq!(lines(&theirs.stdout, FIELDS), expected.iter().map(in_their_form).collect::<Vec<_>>());
    // A message is shown with the function that it comes from.
    for report in [ours, theirs.stdout] {
        let message = report.lines().find(|line| line.ends_with(": hello 42 \"world\"")).unwrap();
        assert!(message.contains("say_hello"), "{message}");
    }
}

/// The events that an example program has when it is built with these options.
#[track_caller]
fn recorded_events(options: &[(&str, &str)]) -> BTreeSet<String> {
    let scratch = Scratch::new();
    let (outcome, trace) = scratch.recorded(&[&build_example("fields", options)]);
    assert_eq!(outcome.stdout, "recorded\n", "{options:?}");
    trace.events.into_iter().filter(|event| !event.text.contains("caller=")).map(|event| event.name).collect()
}

#[test]
fn no_linker_and_no_profile_loses_a_site() {
    let names = ["numbers", "others", "names", "arrays", "texts", "message", "quotes", "nothing"];
    let expected: BTreeSet<String> =
        names.into_iter().map(String::from).chain((1..=20).map(|number| format!("e{number}"))).collect();
    let release = ("CARGO_BUILD_PROFILE", "release");
    for options in [
        &[][..],
        &[release],
        &[release, ("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")],
        &[release, ("CARGO_PROFILE_RELEASE_LTO", "thin"), ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "z")],
        &[release, ("CARGO_PROFILE_RELEASE_PANIC", "abort"), ("CARGO_PROFILE_RELEASE_STRIP", "symbols")],
        &[("RUSTFLAGS", "-C relocation-model=static")],
        &[release, ("RUSTFLAGS", "-C linker-features=-lld -C relocation-model=static")],
        &[release, ("RUSTFLAGS", "-C linker-features=-lld")],
    ] {
        let found = recorded_events(options);
        assert!(expected.is_subset(&found), "{options:?}: {:?}", expected.difference(&found));
    }
    for (linker, program) in [("bfd", "ld.bfd"), ("gold", "ld.gold"), ("lld", "ld.lld"), ("mold", "mold")] {
        if is_missing(&[program]) {
            continue;
        }
        for profile in ["dev", "release"] {
            let flags = format!(
                "-C linker-features=-lld -C link-arg=-fuse-ld={linker} -C link-arg=-Wl,--gc-sections"
            );
            let found = recorded_events(&[("CARGO_BUILD_PROFILE", profile), ("RUSTFLAGS", &flags)]);
            assert!(expected.is_subset(&found), "{linker}, {profile}: {:?}", expected.difference(&found));
        }
    }
}

#[test]
fn events_are_switched_by_name_before_there_are_any() {
    let scratch = Scratch::new();
    let program = build_example("fields", &[]);
    let options = ["-e", "fields:e1*", "-e", "fields:texts", "-e", "none:*"];
    let outcome = run(&mut scratch.record(&options, &[&program])).success();
    assert!(outcome.stderr.contains("none:*: no program that ran has such an event"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("fields:texts:"), "{}", outcome.stderr);
    let names: Vec<String> = scratch.trace().events.into_iter().map(|event| event.name).collect();
    let expected = ["texts", "e1", "e10", "e11", "e12", "e13", "e14", "e15", "e16", "e17", "e18", "e19"];
    assert_eq!(names, expected);
}

#[test]
fn a_program_that_is_not_recorded_goes_on() {
    let scratch = Scratch::new();
    let outcome = run(&mut scratch.command(build_example("fields", &[]))).success();
    assert_eq!(outcome.stdout, "not recorded\n");
    // Nor does one whose session isn't there, or isn't one.
    let outcome = run(scratch.command(build_example("fields", &[])).env("LOOKBACK_SESSION", "/dev/null"));
    assert_eq!(outcome.success().stdout, "not recorded\n");
}

/// Loads a library, calls it, and unloads it, again and again; in between nothing of it is mapped.
const LOADS: &str = r#"
    #include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>

    static int is_mapped(void)
    {
        FILE *maps = fopen("/proc/self/maps", "r");
        char line[512];
        int found = 0;

        while (fgets(line, sizeof line, maps))
            found |= strstr(line, "plugin") && strstr(line, ".so");
        fclose(maps);
        return found;
    }

    int main(int argc, char **argv)
    {
        for (unsigned round = 0; round < 50; round++) {
            void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
            void (*work)(unsigned) = (void (*)(unsigned))dlsym(library, "plugin_work");

            work(round);
            dlclose(library);
            if (is_mapped())
                return 1;
        }
        return 0;
    }
"#;

#[test]
fn a_library_that_comes_and_goes_is_recorded() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "loads", LOADS, &["-ldl"]);
    let library = build_example("libplugin.so", &[]);
    run(&mut scratch.record(&["-q", "-e", "plugin:*"], &[program.to_str().unwrap(), &library])).success();
    let texts: Vec<String> = scratch.trace().events.into_iter().map(|event| event.text).collect();
    let expected: Vec<String> = (0..50).map(|round| format!("round={round} name=\"plugin\"")).collect();
    assert_eq!(texts, expected);
}

/// What `examples/c/stack.c` records.
const STACK: &str = r#"
sort_begins: numbers={0x3,0x1,0x2} order=ascending
moved: number=1 from=1 to=0 first=true
moved: number=2 from=2 to=1 first=false
sort_ends:
everything: u16=65535 u32=4294967295 u64=18446744073709551615 i8=-1 i16=-2 i64=-9223372036854775808 hex=0xbeef null=0x0 name="Ada" nothing="" ports={80,443} bytes=01 02 flags=GIFT|FRAGILE
main: the smallest is 1
"#;

#[test]
fn a_c_program_has_events_by_a_header_alone() {
    for compiler in
        ["gcc -std=c99", "gcc -std=gnu11 -O2 -no-pie", "clang -O2", "g++ -O2 -x c++", "clang++ -x c++"]
    {
        let words: Vec<&str> = compiler.split(' ').collect();
        if is_missing(&words[..1]) {
            continue;
        }
        let scratch = Scratch::new();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let program = scratch.outside("stack");
        let mut cc = scratch.command(words[0]);
        cc.args(&words[1..]).args(["-Wall", "-Wextra", "-Werror", "-Wl,--gc-sections", "-I"]);
        cc.arg(root.join("crates/tracepoint/include")).arg("-o").arg(&program);
        run(cc.arg(root.join("examples/c/stack.c"))).success();
        let program = program.to_str().unwrap();
        assert_eq!(run(&mut scratch.command(program)).success().stdout, "1 2 3\n");
        let options = ["-q", "-e", "stack:", "-e", "ftrace:print"];
        assert_eq!(run(&mut scratch.record(&options, &[program])).success().stdout, "1 2 3\n");
        let report = run(&mut scratch.report(&[])).success().stdout;
        assert_eq!(lines(&report, STACK), STACK.trim().lines().collect::<Vec<_>>(), "{compiler}");
    }
}

const QUOTES: &str = r#"
#include <lookback.h>
int main(void)
{
	LB_EVENT(quotes, seen, LB_SYMBOLIC(x, 1, {1, "paid \"twice\""}), LB_FLAGS(y, 3, {1, "a\\b"}, {2, "'c'"}));
	return 0;
}
"#;

#[test]
fn names_of_values_may_have_quotes() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.outside("quotes.c"), scratch.outside("quotes"));
    std::fs::write(&source, QUOTES).unwrap();
    for compiler in ["gcc", "g++"] {
        if is_missing(&[compiler, "trace-cmd"]) {
            return;
        }
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tracepoint/include");
        let mut cc = scratch.command(compiler);
        run(cc.arg("-I").arg(include).arg("-o").arg(&program).arg(&source)).success();
        run(&mut scratch.record(&["-q", "-e", "quotes:"], &[program.to_str().unwrap()])).success();
        let expected = [r#"seen: x=paid "twice" y=a\b|'c'"#];
        assert_eq!(lines(&run(&mut scratch.report(&[])).success().stdout, "seen:"), expected);
        let mut theirs = scratch.command("trace-cmd");
        let theirs = run(theirs.args(["report", "-i"]).arg(scratch.outside("trace.dat"))).success();
        assert_eq!(
            (lines(&theirs.stdout, "seen:"), theirs.stderr.as_str()),
            (expected.map(String::from).to_vec(), "")
        );
    }
}
