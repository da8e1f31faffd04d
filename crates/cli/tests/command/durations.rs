//! How long calls have taken, as their exit events say: what is filtered and triggered by.

use crate::common::*;

/// Calls of known lengths: through the frame that wrappers share, and wrapped by hand; one that a handler
/// leaves by longjmp; and many that are short.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf away;
static void leave(int number) { (void)number; siglongjmp(away, 1); }
int main(void) {
    struct timespec short_time = { 0, 60000000 };
    nanosleep(&short_time, 0);
    poll(0, 0, 70);
    if (vfork() == 0) {
        execl("/bin/sleep", "sleep", "0.3", (char *)0);
        _exit(1);
    }
    wait(0);
    signal(SIGALRM, leave);
    struct itimerval soon = { { 0, 0 }, { 0, 50000 } };
    if (!sigsetjmp(away, 1)) {
        setitimer(ITIMER_REAL, &soon, 0);
        pause();
    }
    for (int i = 0; i < 200; i++) close(-1);
    return 0;
}
"#;

/// The calls in it that take long, and return.
const LONG: [&str; 4] = ["nanosleep_exit", "nanosleep_exit", "poll_exit", "wait_exit"];

fn program(scratch: &Scratch) -> String {
    let program = compile(scratch, "durations", PROGRAM, &[]);
    program.to_str().unwrap().to_string()
}

fn duration(event: &Event) -> u64 {
    event.get("duration").parse().unwrap()
}

/// The names of exit events, sorted. Some are slow by chance where the machine is busy: those are left out.
fn names(trace: &Trace) -> Vec<&str> {
    let mut names: Vec<&str> = trace.events.iter().map(|event| event.name.as_str()).collect();
    names.retain(|name| LONG.contains(name) || *name == "pause_exit" || !name.ends_with("_exit"));
    names.sort_unstable();
    names
}

/// Expects durations that are the differences of the times of entries and exits: of those that lie next to
/// each other in a thread, so many at least.
#[track_caller]
fn expect_as_times(trace: &Trace, least: usize) {
    let mut pairs = 0;
    let mut near = 0;
    for (index, exit) in trace.events.iter().enumerate().filter(|(_, event)| event.name.ends_with("_exit")) {
        let before = trace.events[..index].iter().rev().find(|event| event.pid == exit.pid);
        let is_entry = |event: &&Event| format!("{}_exit", event.name) == exit.name;
        let Some(entry) = before.filter(is_entry) else {
            continue;
        };
        pairs += 1;
        near += usize::from((exit.time - entry.time).abs_diff(duration(exit) / 1000) <= 2);
    }
    // A thread that loses the CPU between a reading of the clock and the write reads it again for the event.
    assert!(pairs >= least && near >= pairs * 9 / 10, "{near} of {pairs}");
}

#[test]
fn a_duration_is_the_time_between_both_events() {
    let scratch = Scratch::new();
    let (_, trace) = scratch.recorded(&[&program(&scratch)]);
    expect_as_times(&trace, 200);
    let long =
        |event: &&Event| event.field("duration").is_some_and(|ns| ns.parse::<u64>().unwrap() > 55_000_000);
    let trace = Trace { events: trace.events.iter().filter(long).cloned().collect() };
    assert_eq!(names(&trace), LONG);
    assert!(duration(trace.expect("poll_exit", "")) >= 70_000_000);
    // The child sleeps before its parent waits, where that gets no CPU.
    assert!(duration(trace.expect("wait_exit", "")) >= 80_000_000);
}

#[test]
fn a_call_that_is_left_by_longjmp_has_none_and_those_after_it_their_own() {
    let scratch = Scratch::new();
    let (_, trace) = scratch.recorded(&[&program(&scratch)]);
    assert_eq!((trace.count("pause", ""), trace.count("pause_exit", "")), (1, 0));
    let mut after: Vec<u64> = trace.matching("close_exit", "ret=-1").map(duration).collect();
    after.sort_unstable();
    assert!(after.len() == 200 && after[0] > 0 && after[100] < 1_000_000, "{after:?}");
}

#[test]
fn what_is_recorded_by_duration_is_what_a_report_would_select() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    run(&mut scratch.record(&["-q"], &[&program])).success();
    let filter = "duration > 55ms && duration < 50s";
    let selected = run(&mut scratch.report(&["-F", &format!("libc:*_exit: {filter}")])).success();
    assert_eq!(names(&Trace::new(&selected.stdout)), LONG);
    // Whatever the times are that are shown, and whether entries are recorded, or refused by a filter.
    let exits = format!("libc:*_exit if {filter}");
    for options in [
        &["-e", &exits][..],
        &["-C", "counter", "-e", &exits],
        &["-C", "x86-tsc", "-e", &exits],
        &["-e", &exits, "-e", "libc:close if fd == 77"],
    ] {
        run(&mut scratch.record(&[&["-q"], options].concat(), &[&program])).success();
        assert_eq!(names(&scratch.trace()), LONG, "{options:?}");
    }
    run(&mut scratch.record(&["-q", "-e", "libc:*_exit if duration > 2min"], &[&program]))
        .failure(125, &["Illegal time (an integer, and ns, us, ms or s right after it)"]);
}

#[test]
fn writers_without_rseq_measure_as_well() {
    let scratch = Scratch::new();
    let program = program(&scratch);
    let options = ["-q", "-e", "libc"];
    let mut command = scratch.record(&options, &[&program]);
    run(command.env("GLIBC_TUNABLES", "glibc.pthread.rseq=0")).success();
    let trace = scratch.trace();
    expect_as_times(&trace, 200);
    assert!(duration(trace.expect("poll_exit", "")) >= 70_000_000);
}

/// Where the kernel doesn't trust the time stamp counter, its clock is read by a function that is recorded
/// itself.
#[test]
fn a_clock_that_is_recorded_is_read() {
    if is_missing(&["cc", "unshare", "mount"]) || needs_root("mount a file") {
        return;
    }
    let scratch = Scratch::new();
    let source = "#include <time.h>\nint main(void) {\n\
        struct timespec time;\nfor (int i = 0; i < 5; i++) clock_gettime(CLOCK_MONOTONIC, &time);\nreturn 0;\n}";
    let program = compile(&scratch, "reads", source, &[]);
    let sources = scratch.write("sources", "kvm-clock acpi_pm\n");
    let script = "mount --bind \"$0\" /sys/devices/system/clocksource/clocksource0/available_clocksource\n\
        exec \"$@\"";
    let mut command = scratch.command("unshare");
    command.args(["-m", "sh", "-c", script]).arg(sources).arg(LOOKBACK);
    command.args(["record", "-q", "-e", "libc:clock_gettime*", "-o"]).arg(scratch.outside("trace.dat"));
    command.arg("--").arg(program);
    run(&mut command).success();
    let trace = scratch.trace();
    assert_eq!((trace.count("clock_gettime", ""), trace.count("clock_gettime_exit", "ret=0")), (5, 5));
}
