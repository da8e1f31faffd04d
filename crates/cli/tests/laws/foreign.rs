//! Programs that can't be traced, and programs that look into others.

use crate::support::{
    Program, Trace, available, lookback, preload_object, run, scratch, skip, skip_documented,
};

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
        let in_shell = Program::c("footprint", flags).behind(&["/bin/sh", "-c", "\"$0\"; echo ok"]);
        let trace = in_shell.keeps_the_law();
        assert_eq!(trace.count("sched_process_exec"), 1, "only the shell is traced:\n{trace}");
    }
}

#[test]
fn programs_of_another_width_run_untraced() {
    if !Program::can_build("footprint", &["-m32"]) {
        return skip_documented("the compiler can't build 32-bit programs");
    }
    let program = Program::c("footprint", &["-m32"]);
    let (untraced, (traced, _)) = (program.untraced(), program.traced());
    assert_eq!((untraced.status, untraced.output), (traced.status, traced.output));
}

#[test]
fn valgrind_runs_a_traced_program() {
    if !available("valgrind") {
        return skip("valgrind is not installed");
    }
    let program = Program::c("making", &[]).arg("fork");
    let watched = program.behind(&["/usr/bin/valgrind", "-q", "--error-exitcode=9"]);
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
