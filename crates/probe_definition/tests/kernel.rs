//! Definitions, compared with what Linux 6.18 said of them.

use probe::{FetchSource, MachineRegister, StoredForm};
use probe_definition::{NoFile, NoSymbol, ProbeDefinition, ProbeError, ProbedFiles, Removal};

/// A program of which the kernel was asked, and one with a colon in its path.
struct Files;

/// Where its functions begin.
const FUNCTIONS: [(&str, u64); 2] = [("work", 0x113e), ("shop::pay", 0x1192)];

impl ProbedFiles for Files {
    fn check(&self, path: &str) -> Result<(), NoFile> {
        if ["/bin/utest", "/opt/a:b/utest"].contains(&path) { Ok(()) } else { Err(NoFile::NotFound) }
    }

    fn place(&self, _path: &str, symbol: &str, offset: u64) -> Result<u64, NoSymbol> {
        let found = FUNCTIONS.iter().find(|(name, _)| *name == symbol).filter(|_| offset < 16);
        found.map(|(_, start)| start + offset).ok_or(NoSymbol::NotFound)
    }

    fn is_entry(&self, _path: &str, offset: u64) -> bool {
        FUNCTIONS.iter().any(|(_, start)| *start == offset)
    }
}

fn parse(line: &str) -> ProbeDefinition {
    ProbeDefinition::parse(line, &Files).unwrap_or_else(|bad| panic!("{bad}"))
}

fn error(line: &str) -> ProbeError {
    ProbeDefinition::parse(line, &Files).unwrap_err().error
}

/// Those of kprobes that are not about the kernel itself, with the place of a uprobe.
#[test]
fn errors_are_where_the_kernel_finds_them() {
    let errors = include_str!("kernel/errors.txt").lines().collect::<Vec<_>>();
    assert!(errors.len() > 100);
    for error in errors.chunks(3) {
        let line = error[1].trim_start();
        let bad = ProbeDefinition::parse(line, &Files).map(|good| good.to_string()).unwrap_err();
        assert_eq!(bad.to_string(), error.join("\n"));
    }
}

#[test]
fn symbols_are_places() {
    for (line, expected) in [
        ("p /bin/utest:work", "p:uprobes/p_work_0 /bin/utest:0x000000000000113e"),
        ("p:u /bin/utest:work+0x4(0x10) %di", "p:uprobes/u /bin/utest:0x0000000000001142(0x10) arg1=%di"),
        ("r /bin/utest:work", "r:uprobes/r_work_0 /bin/utest:0x000000000000113e"),
        ("p:u/ /bin/utest:work%return $retval", "r:u/r_work_0 /bin/utest:0x000000000000113e arg1=$retval"),
        ("p /opt/a:b/utest:work", "p:uprobes/p_work_0 /opt/a:b/utest:0x000000000000113e"),
        ("p /bin/utest:shop::pay", "p:uprobes/p_shop__pay_0 /bin/utest:0x0000000000001192"),
    ] {
        assert_eq!(parse(line).to_string(), expected, "{line}");
        assert_eq!(parse(expected), parse(line), "what is shown means the same");
    }
    for (line, expected) in [
        ("p /bin/utest:nosuch", ProbeError::BadSymbol),
        ("p /bin/utest:work+99", ProbeError::BadSymbol),
        ("p /bin/utest:work+x", ProbeError::BadSymbol),
        ("r /bin/utest:work+4", ProbeError::ReturnInside),
        ("p /bin/nosuch:work", ProbeError::FileNotFound),
        ("p utest:work", ProbeError::NoDefinition),
    ] {
        assert_eq!(error(line), expected, "{line}");
    }
}

#[test]
fn functions_have_arguments_where_they_begin() {
    let sources = |line: &str| -> Vec<FetchSource> {
        parse(line).arguments.into_iter().map(|argument| argument.fetch.source).collect()
    };
    let register = |name| FetchSource::Register(MachineRegister::named(name).unwrap());
    let expected = [register("di"), register("r9"), FetchSource::StackWord(1), FetchSource::StackWord(2)];
    assert_eq!(sources("p /bin/utest:work $arg1 $arg6 $arg7 $arg8"), expected);
    assert_eq!(sources("p /bin/utest:0x113e +8($arg2)"), [register("si")]);
    for line in ["p /bin/utest:work+4 $arg1", "p /bin/utest:0x10 +0($arg1)", "r /bin/utest:work $arg1"] {
        assert_eq!(error(line), ProbeError::ArgumentInside, "{line}");
    }
    assert_eq!(error("p /bin/utest:work $arg0"), ProbeError::BadArgumentNumber);
}

#[test]
fn what_is_fetched_is_what_was_written() {
    let fetch = |argument: &str| {
        let probe = parse(&format!("p /bin/utest:0x10 {argument}"));
        let fetch = probe.arguments[0].fetch.clone();
        (fetch.source, fetch.dereferences, fetch.stored, fetch.count)
    };
    let register = |name| FetchSource::Register(MachineRegister::named(name).unwrap());
    let integer = |bytes| StoredForm::Integer { bytes };
    let bits = StoredForm::BitField { bytes: 4, left: 24, right: 28 };
    for (text, expected) in [
        ("%di", (register("di"), vec![], integer(8), None)),
        ("+4(-8(%bp)):s32", (register("bp"), vec![-8, 4], integer(4), None)),
        ("-u16(%cx):string", (register("cx"), vec![-16], StoredForm::Text, None)),
        ("+16(%cx):s64[4]", (register("cx"), vec![16], integer(8), Some(4))),
        // An array of pointers to strings.
        ("+0(%si):string[3]", (register("si"), vec![0, 0], StoredForm::Text, Some(3))),
        ("+48(%cx):b4@4/32", (register("cx"), vec![48], bits, None)),
        ("@0x4020:s32", (FetchSource::Address(0x4020), vec![0], integer(4), None)),
        ("+0(@+0x20):string", (FetchSource::FileOffset(0x20), vec![0, 0], StoredForm::Text, None)),
        ("\\-5", (FetchSource::Immediate(-5_i64 as u64), vec![], integer(8), None)),
        ("\\\"lit\"", (FetchSource::Text("lit".to_string()), vec![], StoredForm::Text, None)),
        ("$comm", (FetchSource::Comm, vec![], StoredForm::Text, None)),
        ("$stack", (FetchSource::Stack, vec![], integer(8), None)),
    ] {
        assert_eq!(fetch(text), expected, "{text}");
    }
}

/// What Linux 6.18 has as the event's format.
#[test]
fn formats_are_the_kernels() {
    let probe = parse(
        "p:w /bin/utest:0x113e a=%di:s32 s=+0(%dx):string v=+16(%cx):s64[4] by=+0(%r8):x8[8] u=%r9:x32 \
         bf=+48(%cx):b4@4/32 st=$stack0:x64 c=$comm",
    );
    assert_eq!(probe.own_format(), include_str!("kernel/entry_format.txt"));
    assert_eq!(probe.fixed_bytes(), 84);
    let probe = parse("r:wr /bin/utest:0x113e ret=$retval:s64");
    assert_eq!(probe.own_format(), include_str!("kernel/return_format.txt"));
    assert!(probe_definition::is_probe_format(&probe.own_format()));
    assert!(!probe_definition::is_probe_format(
        "\tfield:unsigned long __probe_ips;\toffset:8;\tsize:8;\tsigned:0;\n"
    ));
}

#[test]
fn probes_are_removed_by_their_names_or_as_they_are_shown() {
    let probe = parse("p:g/u2 /bin/utest:0x113e %di %si");
    let matches = |line: &str| Removal::parse(line).unwrap().matches(&probe);
    for line in [
        "-:u2",
        "-:g/u2",
        "-:g/",
        "!p:g/u2 /bin/utest:0x000000000000113e",
        "-:u2 /bin/utest:0x000000000000113e arg1=%di",
    ] {
        assert!(matches(line), "{line}");
    }
    for line in ["-:u", "-:h/u2", "-:u2 /bin/utest:0x113e", "-:u2 /bin/utest:0x000000000000113e arg1=%si"] {
        assert!(!matches(line), "{line}");
    }
    for line in ["-:", "-", "!u2", "-u2"] {
        assert_eq!(Removal::parse(line), None, "{line}");
    }
}
