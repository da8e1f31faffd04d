//! Programs that can't be run or recorded: a message and an exit code that say why, and nothing left.

use crate::common::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// The exit codes of lookback itself: it has failed; the program can't be executed; it is not there.
const FAILED: i32 = 125;
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Checks that recording `program` fails with this code and message, and leaves nothing.
#[track_caller]
fn refused(scratch: &Scratch, program: &[&str], code: i32, parts: &[&str]) {
    let before = scratch.names();
    let outcome = run(&mut scratch.record(&[], program)).failure(code, parts);
    assert!(outcome.stderr.starts_with("lookback: "), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    assert_eq!(scratch.names(), before);
    assert_nothing_left(scratch, outcome.pid);
}

#[test]
fn what_is_not_there() {
    let scratch = Scratch::new();
    refused(&scratch, &["no-such-command"], NOT_FOUND, &["no-such-command: command not found in $PATH"]);
    refused(&scratch, &["./no-such-file"], NOT_FOUND, &["./no-such-file: No such file"]);
    refused(&scratch, &[""], NOT_FOUND, &["not found"]);
}

#[test]
fn what_is_no_program() {
    let scratch = Scratch::new();
    scratch.write("data", "text");
    fs::create_dir(scratch.path("directory")).unwrap();
    refused(&scratch, &["./data"], NOT_EXECUTABLE, &["./data: Permission denied"]);
    refused(&scratch, &["./directory"], NOT_EXECUTABLE, &["./directory: is a directory"]);
    refused(&scratch, &["./data/below"], NOT_FOUND, &["./data/below: Not a directory"]);
}

#[test]
fn what_is_in_the_path_but_not_executable() {
    let scratch = Scratch::new();
    scratch.write("data", "text");
    let mut command = scratch.record(&[], &["data"]);
    let outcome =
        run(command.env("PATH", scratch.path(""))).failure(NOT_EXECUTABLE, &["data: not executable"]);
    assert!(!is_left(outcome.pid));
}

#[test]
fn a_script_without_its_interpreter() {
    let scratch = Scratch::new();
    scratch.write_program("script", "#!/no/such/interpreter\n");
    refused(&scratch, &["./script"], NOT_FOUND, &["./script", "/no/such/interpreter"]);
}

#[test]
fn a_script_without_a_first_line_is_run_by_the_shell() {
    let scratch = Scratch::new();
    scratch.write_program("script", "echo $1; exit 4\n");
    let outcome = run(&mut scratch.record(&["-q"], &["./script", "word"]));
    assert_eq!((outcome.code(), outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(4), "word\n", ""));
    let mut command = scratch.record(&["-q"], &["script", "word"]);
    assert_eq!(run(command.env("PATH", scratch.path(""))).code(), Some(4));
}

#[test]
fn a_statically_linked_program() {
    let scratch = Scratch::new();
    if is_missing(&["cc"]) {
        return;
    }
    let program = compile(&scratch, "static", "int main(void) { return 0; }", &["-static"]);
    let program = program.to_str().unwrap();
    refused(&scratch, &[program], FAILED, &[program, "can't be recorded", "statically linked"]);
}

#[test]
fn a_script_for_a_statically_linked_program() {
    let scratch = Scratch::new();
    if is_missing(&["cc"]) {
        return;
    }
    let program = compile(&scratch, "static", "int main(void) { return 0; }", &["-static"]);
    scratch.write_program("script", format!("#!{}\n", program.display()));
    refused(&scratch, &["./script"], FAILED, &["statically linked"]);
}

/// The ELF header of a program for 64 bit and this machine.
fn elf(class: u8, machine: u16) -> Vec<u8> {
    let mut header = vec![0; 64];
    header[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1, 0]);
    header[16..20].copy_from_slice(&[3, 0, machine as u8, (machine >> 8) as u8]);
    header
}

#[test]
fn programs_for_other_machines() {
    let scratch = Scratch::new();
    for (name, class, machine) in [("x86-32", 1, 3), ("arm-64", 2, 183), ("riscv-64", 2, 243)] {
        scratch.write_program(name, elf(class, machine));
        refused(
            &scratch,
            &[&format!("./{name}")],
            FAILED,
            &["can't be recorded", "another machine", "x86-64"],
        );
    }
}

#[test]
fn damaged_programs() {
    let scratch = Scratch::new();
    scratch.write_program("short", b"\x7fELF");
    let mut header = elf(2, 62);
    // Program headers that lie after the end.
    header[32] = 0xff;
    header[54] = 56;
    header[56] = 9;
    scratch.write_program("headers", header);
    scratch.write_program("without-any", elf(2, 62));
    for name in ["short", "headers", "without-any"] {
        refused(&scratch, &[&format!("./{name}")], FAILED, &[name, "can't be recorded"]);
    }
}

#[test]
fn an_empty_file_does_nothing() {
    // As the shell has it.
    let scratch = Scratch::new();
    scratch.write_program("empty", "");
    run(&mut scratch.record(&["-q"], &["./empty"])).success();
}

#[test]
fn a_program_for_another_libc() {
    let scratch = Scratch::new();
    if is_missing(&["cc"]) {
        return;
    }
    let linker = "-Wl,--dynamic-linker=/lib/ld64-uClibc.so.0";
    let program = compile(&scratch, "other", "int main(void) { return 0; }", &[linker]);
    let parts = ["can't be recorded", "/lib/ld64-uClibc.so.0", "glibc", "musl"];
    refused(&scratch, &[program.to_str().unwrap()], FAILED, &parts);
}

#[test]
fn set_user_id_programs_of_others() {
    let scratch = Scratch::new();
    if is_missing(&["cc"]) {
        return;
    }
    let program = compile(&scratch, "privileged", "int main(void) { return 0; }", &[]);
    for mode in [0o4755, 0o2755] {
        fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        let Some(mut command) = as_nobody(&scratch) else { return };
        let outcome = run(command.args(["record", "-o", "/dev/null"]).arg(&program));
        let outcome = outcome.failure(FAILED, &["can't be recorded", "set-user-ID", "LD_PRELOAD"]);
        assert_nothing_left(&scratch, outcome.pid);
        // For root it is nothing special.
        run(scratch.lookback(&["record", "-q", "-o", "/dev/null"]).arg(&program)).success();
    }
}

#[test]
fn a_privileged_child_runs_as_without_lookback() {
    let scratch = Scratch::new();
    if is_missing(&["cc"]) {
        return;
    }
    let Some(mut command) = as_nobody(&scratch) else { return };
    let source = "#include <stdio.h>\n#include <unistd.h>
        int main(void) { printf(\"%d %d\\n\", getuid(), geteuid()); }";
    let program = compile(&scratch, "privileged", source, &[]);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    let script = format!("{}; echo $?", program.display());
    let outcome = run(command.args(["record", "-o", "/dev/null", "sh", "-c", &script])).success();
    assert_eq!(outcome.stdout, "65534 0\n0\n");
    assert!(outcome.stderr.starts_with("lookback: "), "{}", outcome.stderr);
}
