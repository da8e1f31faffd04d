//! What the program finds of itself: no thread, no allocation that is ours, and not much memory.

use crate::support::Program;

#[test]
fn threads_and_allocations_are_the_programs() {
    Program::c("footprint", &[]).keeps_the_law();
}

#[test]
fn nobody_calls_malloc_for_us() {
    let counting = Program::library("counting", &[]);
    for program in [
        Program::c("footprint", &[]),
        Program::c("making", &[]).arg("fork"),
        Program::c("threads", &[]).arg("many"),
        Program::c("executing", &[]).arg("spawn"),
    ] {
        let preload = format!("LD_PRELOAD={}", counting.path());
        program.under(&["/usr/bin/env", &preload]).keeps_the_law();
    }
}

#[test]
fn memory_is_bounded() {
    let program = Program::c("footprint", &[]).arg("memory");
    let numbers = |errors: &str| -> [i64; 2] {
        let numbers: Vec<i64> = errors.split_whitespace().map(|number| number.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    let [private_before, mapped_before] = numbers(&program.untraced().errors);
    let (run, _) = program.traced_with(&["-q", "-b", "1024"]);
    let [private, mapped] = numbers(&run.errors);
    assert_eq!(mapped_before, 0);
    let cpus = i64::try_from(std::thread::available_parallelism().unwrap().get()).unwrap();
    let limit = 1024 * (cpus + 4) + 16 * 1024;
    assert!(mapped < limit, "{mapped} KB mapped, of {limit}");
    assert!(private - private_before < 128, "{} KB of its own", private - private_before);
}

#[test]
fn signal_masks_and_handlers_are_the_programs() {
    let lines = "SigPnd|SigBlk|SigIgn|SigCgt|ShdPnd|Cap|Seccomp|NoNewPrivs|Threads|Cpus_allowed";
    // Signals 32 and 33 are libc's own. Whether they are ignored depends on how a program was started.
    let without_libc = r"s/^(SigIgn:\s+.{7})../\1--/";
    let shell = format!("grep -E '^({lines})' /proc/self/status | sed -E '{without_libc}'; echo ok");
    Program::at("/bin/sh").arg("-c").arg(&shell).keeps_the_law();
}
