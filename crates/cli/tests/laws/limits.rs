//! What the system limits: a program has what it has without lookback, and is told the same of it.

use crate::support::{Program, skip};

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// What the program says is the same, with buffers of all sizes.
#[track_caller]
fn says_the_same(program: &Program) {
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    for kb in ["64", "4096", "65536"] {
        let (traced, trace) = program.traced_with(&["-q", "-b", kb]);
        assert_eq!(untraced, traced, "\nwithout lookback: {untraced}\nwith {kb} KB: {traced}");
        assert!(trace.count("setrlimit") + trace.count("sched_process_exec") > 0, "it was not recorded");
    }
}

const CURRENT: i32 = 1;
const FUTURE: i32 = 2;
const ON_FAULT: i32 = 4;

#[test]
fn memory_is_locked_as_without_us() {
    if !is_root() {
        return skip("only root may lock memory without a limit");
    }
    let kinds = [
        CURRENT,
        FUTURE,
        CURRENT | FUTURE,
        CURRENT | ON_FAULT,
        CURRENT | FUTURE | ON_FAULT,
        FUTURE | ON_FAULT,
        ON_FAULT,
        0,
        8,
    ];
    for flags in kinds {
        let program = Program::c("limits", &[]).arg("lock").arg(&flags.to_string());
        says_the_same(&program.clone().arg("-1"));
        says_the_same(&program.arg("-1").arg("in a thread"));
    }
}

#[test]
fn a_limit_of_locked_memory_counts_the_program_alone() {
    if !is_root() {
        return skip("only root may become somebody else");
    }
    for kb in ["0", "1000", "8192"] {
        for flags in [CURRENT, CURRENT | FUTURE] {
            let program = Program::c("limits", &[]).arg("lock").arg(&flags.to_string()).arg(kb);
            says_the_same(&program);
        }
    }
}

#[test]
fn a_limit_of_addresses_counts_the_program_alone() {
    for (soft, hard) in [("20000", "20000"), ("64000", "64000"), ("64000", "400000"), ("1000000", "1000000")]
    {
        let program = Program::c("limits", &[]).arg("addresses").arg(soft).arg(hard);
        says_the_same(&program.clone());
        says_the_same(&program.arg("by prlimit"));
    }
}

#[test]
fn a_limit_that_is_there_before_is_respected() {
    let program = Program::c("limits", &[]).arg("space");
    for limit in ["ulimit -v 64000", "ulimit -v 300000", "ulimit -S -v 64000"] {
        let limited = program.under(&["/bin/sh", "-c", &format!("{limit}; exec \"$0\" \"$@\"")]);
        let untraced = limited.untraced();
        let (traced, _) = limited.traced_with(&["-q", "-b", "65536"]);
        assert_eq!(untraced, traced, "{limit}");
    }
}
