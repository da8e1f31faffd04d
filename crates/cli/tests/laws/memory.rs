//! The heap and locks: wrapped for everybody, recorded on request.

use crate::support::{Program, Trace, skip};
use std::collections::BTreeMap;

/// Everything, in buffers that it fits in.
const EVERYTHING: [&str; 5] = ["-q", "-b", "131072", "-e", "*:*"];

/// The program does the same with everything on.
fn does_the_same(program: &Program) -> Trace {
    let untraced = program.untraced();
    assert!(untraced.is_ok(), "without lookback: {untraced}");
    let (traced, trace) = program.traced_with(&EVERYTHING);
    assert_eq!(untraced, traced);
    assert!(!trace.is_incomplete, "events were lost");
    trace.assert_ordered();
    trace
}

/// Keeps the law, and what was recorded fits together.
fn keeps_the_law(program: &Program) -> Trace {
    let trace = does_the_same(program);
    trace.assert_consistent();
    trace
}

#[test]
fn the_heap_and_locks_do_what_they_do() {
    let program = Program::c("memory", &[]);
    let trace = keeps_the_law(&program);
    let left = trace.unfinished();
    assert_eq!(left.get("pthread_cond_wait"), Some(&20), "{left:?}");
    assert_eq!(trace.only("pthread_mutex_lock_exit", "error=EDEADLK").number("ret"), 35);
    assert_eq!(trace.only("pthread_mutex_unlock_exit", "error=EPERM").number("ret"), 1);
    assert_eq!(trace.only("pthread_cond_timedwait_exit", "error=ETIMEDOUT").number("ret"), 110);
    assert_eq!(trace.only("posix_memalign_exit", "error=EINVAL").number("ret"), 22);
    let once = trace.named("pthread_once").filter(|event| event.text.contains("init_routine=once+0x0"));
    assert_eq!(once.count(), 2);
    // By default neither is recorded.
    let quiet = program.keeps_the_law();
    for name in ["malloc", "free", "pthread_mutex_lock", "sem_wait", "clock_gettime"] {
        assert_eq!(quiet.count(name), 0, "{name}");
    }
}

#[test]
fn what_is_freed_was_allocated() {
    let trace = keeps_the_law(&Program::c("memory", &[]).arg("churn"));
    let mut live = BTreeMap::new();
    let mut frees = 0;
    for event in &trace.events {
        let caller = event.field("caller").unwrap_or_default().to_string();
        match event.name.as_str() {
            "malloc_exit" | "calloc_exit" | "realloc_exit" => {
                live.insert(event.field("ret").unwrap().to_string(), event.time);
            }
            "free" if caller.starts_with("churn+") => {
                frees += 1;
                let pointer = event.field("ptr").unwrap();
                assert!(live.contains_key(pointer), "{event:?}");
            }
            _ => {}
        }
    }
    assert_eq!(frees, 5 * 16);
}

#[test]
fn what_comes_before_libc_is_no_harm() {
    let trace = keeps_the_law(&Program::c("early", &[]));
    trace.only("access_exit", "/after-all");
    assert!(trace.count("free") > 0);
}

/// The path of a library, where it is installed.
fn library(name: &str) -> Option<String> {
    let path = format!("/usr/lib/x86_64-linux-gnu/{name}");
    std::path::Path::new(&path).exists().then_some(path)
}

/// Programs do the same with another allocator before libc.
fn keeps_the_law_with(object: &str) {
    let preload = format!("LD_PRELOAD={object}");
    for program in [
        Program::c("memory", &[]).arg("churn"),
        Program::c("memory", &[]).arg("churn").under(&["/usr/bin/env", &preload]),
        Program::c("threads", &[]).arg("many").under(&["/usr/bin/env", &preload]),
        Program::c("making", &[]).arg("fork").under(&["/usr/bin/env", &preload]),
    ] {
        keeps_the_law(&program);
    }
    // After ours: what the program allocates is recorded, and comes from there. The first call may have
    // begun before the process was attached.
    let linked = Program::c("memory", &["-Wl,--no-as-needed", object]).arg("churn");
    assert!(does_the_same(&linked).count("realloc_exit") >= 5 * 5000);
}

#[test]
fn other_allocators_go_on() {
    for name in ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"] {
        match library(name) {
            Some(path) => keeps_the_law_with(&path),
            None => skip(&format!("{name} is not installed")),
        }
    }
    keeps_the_law_with(Program::library("allocator", &[]).path());
}

#[test]
fn a_program_with_an_allocator_of_its_own_keeps_it() {
    let object = Program::library("allocator", &["-c"]);
    let trace = keeps_the_law(&Program::c("memory", &["-xnone", object.path()]).arg("churn"));
    assert_eq!(trace.count("malloc"), 0, "its own is found before ours");
    assert!(trace.count("mmap") > 0);
}

#[test]
fn words_of_rseq_that_others_use_are_not_ours() {
    if !Program::can_build("rseq", &[]) {
        return skip("libc has no <sys/rseq.h>");
    }
    let program = Program::c("rseq", &[]);
    assert_eq!(program.keeps_the_law().count("pipe_exit"), 3 * 2000);
    let own = program.arg("own").env("GLIBC_TUNABLES", "glibc.pthread.rseq=0");
    assert_eq!(own.keeps_the_law().count("pipe_exit"), 3 * 500);
}
