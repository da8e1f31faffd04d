//! Every format is parsed by libtraceevent, its print fmt included.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program prints, on its standard error too; it must succeed.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// The program that parses formats. None, and a note, where it can't be built.
fn parser(directory: &Path) -> Option<PathBuf> {
    let flags = Command::new("pkg-config").args(["--cflags", "--libs", "libtraceevent"]).output();
    let Some(flags) = flags.ok().filter(|flags| flags.status.success()) else {
        let is_strict = std::env::var_os("LOOKBACK_CI").is_some();
        assert!(!is_strict, "no libtraceevent: ./setup installs libtraceevent-dev and pkg-config");
        println!("skipped: no libtraceevent");
        return None;
    };
    let program = directory.join("parse");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libtraceevent.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source);
    compiler.args(String::from_utf8_lossy(&flags.stdout).split_whitespace());
    output(&mut compiler);
    Some(program)
}

/// What libtraceevent says of formats.
fn parsed(formats: &[(String, String)]) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let program = parser(directory.path())?;
    for (name, format) in formats {
        std::fs::write(directory.path().join(name), format).unwrap();
    }
    let names = formats.iter().map(|(name, _)| name);
    Some(output(Command::new(program).current_dir(directory.path()).args(names)))
}

fn format(event: &events::EventType) -> (String, String) {
    let format = events::format_file(event.name, event.id, event.own_format()).to_string();
    (format!("{}:{}", event.system, event.name), format)
}

#[test]
fn libtraceevent_parses_every_format() {
    let formats: Vec<(String, String)> = events::all().map(|event| format(&event)).collect();
    let Some(parsed) = parsed(&formats) else { return };
    assert!(formats.len() > 700);
    assert_eq!(parsed, format!("{} formats, 0 bad\n", formats.len()));
}

#[test]
fn a_format_that_it_does_not_parse_is_found() {
    let (_, good) = format(&events::all().next().unwrap());
    let (fields, _) = good.split_once("print fmt: ").unwrap();
    let bad = ["\"%s\", __print_symbolic(REC->common_pid, { 1, \"a \"b\"\" })", "\"%s\", no_function(1)"];
    for bad in bad {
        let format = ("bad".to_string(), format!("{fields}print fmt: {bad}\n"));
        let Some(parsed) = parsed(&[format]) else { return };
        assert!(parsed.contains("1 formats, 1 bad\n"), "{bad}: {parsed}");
    }
}
