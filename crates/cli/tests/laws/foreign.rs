//! Programs that can't be traced, and programs that look into others.

use crate::support::{
    Program, Trace, available, lookback, preload_object, run, scratch, skip, skip_documented,
};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs a program in which rseq can't be used: all is recorded, or told as lost.
fn records_without_rseq(program: &Program) -> Trace {
    let file = scratch().join("without-rseq.dat");
    let mut command = lookback();
    command.args(["record", "-o"]).arg(&file).args(["--", program.path(), "many"]);
    command.env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
    let recorded = run(command);
    assert!(recorded.is_ok(), "{recorded}");
    let trace = Trace::read(&file);
    let missing = 3 * 64 * 20 - trace.count("pipe");
    assert!(missing == 0 || recorded.errors.contains("lost"), "{missing} events are missing: {recorded}");
    if missing == 0 {
        assert!(recorded.errors.contains(" 0 lost"), "{recorded}");
    }
    trace
}

#[test]
fn without_rseq_events_go_to_lanes() {
    let trace = records_without_rseq(&Program::c("threads", &[]));
    assert!(trace.count("pipe") > 0);
    let trace =
        Program::c("making", &[]).arg("fork").env("GLIBC_TUNABLES", "glibc.pthread.rseq=0").keeps_the_law();
    assert_eq!((trace.count("fork_exit"), trace.count("sched_process_fork")), (4, 3));
}

#[test]
fn static_programs_run_untraced() {
    for flags in [&["-static"][..], &["-static-pie"]] {
        if !Program::can_build("footprint", flags) {
            skip(&format!("the compiler can't build with {flags:?}"));
            continue;
        }
        let in_shell = Program::c("footprint", flags).under(&["/bin/sh", "-c", "\"$0\"; echo ok"]);
        let trace = in_shell.keeps_the_law();
        assert_eq!(trace.count("sched_process_exec"), 1, "only the shell is traced:\n{trace}");
    }
}

#[test]
fn programs_of_another_width_run_untraced() {
    if !Program::can_build("making", &["-m32"]) {
        return skip("the compiler can't build 32-bit programs");
    }
    let program = Program::c("making", &["-m32"]).arg("fork");
    let script = scratch().join("narrow-script");
    std::fs::write(&script, format!("#!{} fork\n", program.path())).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let by_path = [("/bin/sh", "-c", "\"$0\" fork"), ("/bin/bash", "-c", "\"$0\" fork; \"$0\" fork; true")];
    for (shell, option, text) in by_path {
        // A shell says what its children say on standard error.
        program.under(&[shell, option, text]).keeps_the_law();
    }
    Program::at("/usr/bin/env").arg(script.to_str().unwrap()).keeps_the_law();
    let folder = Path::new(program.path()).parent().unwrap().to_str().unwrap();
    let name = Path::new(program.path()).file_name().unwrap().to_str().unwrap();
    let searched =
        Program::at("/usr/bin/env").arg(name).arg("fork").env("PATH", &format!("/nowhere:{folder}"));
    searched.keeps_the_law();
}

#[test]
fn lists_of_what_a_program_needs_have_nothing_of_ours() {
    let linker = "/lib64/ld-linux-x86-64.so.2";
    for list in ["ldd /bin/ls", "LD_TRACE_LOADED_OBJECTS=1 /bin/ls", &format!("{linker} --list /bin/ls")] {
        // Addresses differ from one run to the next.
        let text = format!("{list} 2>&1 | sed 's/ (0x[0-9a-f]*)//'; echo ok");
        Program::at("/bin/sh").arg("-c").arg(&text).keeps_the_law();
    }
}

#[test]
fn a_sandbox_with_its_own_root_says_nothing() {
    if !available("bwrap") {
        return skip("bubblewrap is not installed");
    }
    let folders = ["usr", "bin", "lib", "lib64"].map(|name| format!("--ro-bind /{name} /{name}")).join(" ");
    let text = format!("bwrap {folders} --proc /proc --unshare-pid sh -c 'ls /usr; sh -c \"ls /\"'; echo ok");
    Program::at("/bin/sh").arg("-c").arg(&text).keeps_the_law();
}

#[test]
fn valgrind_runs_a_traced_program() {
    if !available("valgrind") {
        return skip("valgrind is not installed");
    }
    let program = Program::c("making", &[]).arg("fork");
    let watched = program.under(&["/usr/bin/valgrind", "-q", "--error-exitcode=9"]);
    let (untraced, (traced, trace)) = (watched.untraced(), watched.traced());
    assert!(untraced.is_ok(), "{untraced}");
    assert_eq!(untraced, traced);
    assert_eq!(trace.count("fork_exit"), 4, "{trace}");
}

/// The runtime of AddressSanitizer, where it is a shared object, wants to be the first that is loaded, and
/// refuses to run otherwise. It has an option for those who know better.
#[test]
fn a_program_with_address_sanitizer_runs_when_it_may() {
    if !Program::can_build("making", &["-fsanitize=address"]) {
        return skip("the compiler has no AddressSanitizer");
    }
    let program = Program::c("making", &["-fsanitize=address"]).arg("fork");
    let allowed = program.clone().env("ASAN_OPTIONS", "verify_asan_link_order=0");
    let (run, trace) = allowed.traced();
    assert!(run.is_ok(), "{run}");
    assert_eq!(trace.count("fork_exit"), 4);
    let inside = Program::c("making", &["-fsanitize=address", "-static-libasan"]).arg("fork");
    assert_eq!(inside.keeps_the_law().count("fork_exit"), 4);
}

#[test]
fn a_program_with_thread_sanitizer_runs() {
    if !Program::can_build("making", &["-fsanitize=thread"]) {
        return skip("the compiler has no ThreadSanitizer");
    }
    let program = Program::c("making", &["-fsanitize=thread"]).arg("fork");
    let untraced = program.untraced();
    if !untraced.is_ok() {
        return skip_documented("ThreadSanitizer doesn't run here");
    }
    let (traced, _) = program.traced();
    assert_eq!(untraced, traced);
}

#[test]
fn a_damaged_environment_is_no_harm() {
    let program = Program::c("descriptors", &[]).arg("list");
    let untraced = program.untraced();
    let object = preload_object().to_str().unwrap();
    let long = "/".repeat(5000);
    for session in ["", "/nowhere", "/dev/null", "/etc/hostname", ".", "\u{fffd}", long.as_str()] {
        let alone = program.clone().env("LD_PRELOAD", object).env("LOOKBACK_SESSION", session);
        assert_eq!(untraced, alone.untraced(), "{session}");
    }
    assert_eq!(untraced, program.env("LD_PRELOAD", object).untraced());
}
