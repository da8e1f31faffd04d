//! Errors of programs in C++ and Rust.

use super::errors::{ALL_ERRORS, ends_alike, reasons, session};
use super::*;

const CPP: &str = r#"
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

int main(int, char **arguments)
{
	if (!std::strcmp(arguments[1], "thrown"))
		throw std::runtime_error("nobody catches it");
	if (!std::strcmp(arguments[1], "within")) {
		try {
			throw 1;
		} catch (...) {
			std::abort();
		}
	}
	if (!std::strcmp(arguments[1], "terminates"))
		std::terminate();
	std::abort();
}
"#;

#[test]
fn what_nobody_catches_is_told_from_abort() {
    if is_missing(&["g++"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile_by("g++", &scratch, "thrower", CPP, &["-x", "c++"]);
    let program = program.to_str().unwrap();
    let expected = [
        ("thrown", "terminate St13runtime_error"),
        ("terminates", "terminate"),
        ("within", "abort"),
        ("aborts", "abort"),
    ];
    for (way, reason) in expected {
        assert_eq!(ends_alike(&session("signal,abort,terminate"), &[program, way]), [reason], "{way}");
    }
    assert_eq!(ends_alike(&session("abort"), &[program, "thrown"]).len(), 1, "it aborts");
    assert_eq!(ends_alike(&session("terminate"), &[program, "thrown"]).len(), 1);
    assert_eq!(ends_alike(&session("terminate,assert"), &[program, "aborts"]), [""; 0]);
}

const RUST: &str = r#"
fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("null") => unsafe { std::ptr::null_mut::<u8>().write_volatile(1) },
        Some("aborts") => std::process::abort(),
        Some("panics") => panic!("over"),
        Some("exits") => std::process::exit(7),
        _ => {}
    }
}
"#;

#[test]
fn programs_in_rust_end_as_without() {
    let scratch = Scratch::new();
    let (source, program) = (scratch.write("errors.rs", RUST), scratch.outside("rust"));
    run(Command::new("rustc").args(["-Cdebug-assertions=off", "-o"]).arg(&program).arg(source)).success();
    let program = program.to_str().unwrap();
    let expected =
        [("null", "signal SIGSEGV"), ("aborts", "abort"), ("panics", "exit 101"), ("exits", "exit 7")];
    for (way, reason) in expected {
        // Rust names the thread that panics by its id.
        let session = session(ALL_ERRORS);
        let with = run(&mut session.running(&[program, way]));
        let without = run(session.scratch.command(program).arg(way));
        assert_eq!(with.status, without.status, "{way}");
        assert_eq!(reasons(&session), [reason], "{way}");
    }
}
