//! What `docs/hunting.md` does finds each defect of the example.

use crate::common::*;

const SERVER: &str = include_str!("../../../../examples/hunt/server.c");

#[test]
fn each_defect_of_the_example_is_found_after_the_fact() {
    let scratch = Scratch::new();
    let server = compile(&scratch, "server", SERVER, &["-g", "-pthread"]);
    let session = scratch.outside("session");
    let task = |task: &str, options: &[&str]| {
        let mut command = scratch.lookback(&[task]);
        command.arg("--session").arg(&session).args(options);
        command
    };
    let done = |name: &str, options: &[&str]| run(&mut task(name, options)).success().stdout;
    done("start", &["-q", "-b", "512"]);
    let slow = ["-e", "libc:*_exit if duration > 25ms", "-R", "stacktrace if duration > 25ms"];
    let locks = ["-e", "lock:*", "-e", "lookback:contention_holder"];
    done("start", &[&["-q", "-B", "rare"][..], &locks, &slow].concat());
    let crashed = run(&mut task("run", &["--", server.to_str().unwrap(), "20000"]));
    assert_eq!(crashed.signal(), Some(11), "{crashed:?}");

    let rare = done("show", &["-B", "rare"]);
    let stack_after = |text: &str| {
        let after = rare.lines().skip_while(|line| !line.contains(text));
        after.skip(2).take_while(|line| line.starts_with(" => ")).collect::<Vec<_>>().join("")
    };
    let stall = stack_after(" nanosleep_exit: ret=0 error=0 req=200000000 ");
    assert!(stall.starts_with(" => pause_ms => retry_backend => serve"), "{stall}");
    let holder = stack_after(" nanosleep_exit: ret=0 error=0 req=30000000 ");
    assert!(holder.starts_with(" => pause_ms => write_journal => serve"), "{holder}");
    let in_lock = rare.lines().filter(|line| line.contains("req=30000000 "));
    assert!(in_lock.clone().count() > 0 && in_lock.clone().all(|line| line.contains(" ...1. ")), "{rare}");
    let waits = done("show", &["-B", "rare", "--pair", "contention_begin..contention_end"]);
    let longest = waits.lines().skip_while(|line| !line.starts_with("LONGEST")).nth(1).unwrap_or_default();
    assert_eq!(longest.matches("server-").count(), 2, "who waits, and who holds it: {waits}");

    let failed = done("show", &["-s", "--calls", "-F", "@file: ret < 0"]);
    let directory = |line: &str| line.split_once("dirfd=")?.1.split_once("</etc>")?.0.parse::<u32>().ok();
    let leaking: Vec<u32> = failed.lines().filter_map(directory).collect();
    assert!(leaking.last() > leaking.first() && leaking[0] > 10, "they grow: {failed}");
    let kept = done("snapshots", &[]);
    assert!(kept.lines().nth(1).unwrap_or_default().ends_with(" SIGSEGV"), "{kept}");
    let crash = done("snapshots", &["show", "0"]);
    let last: Vec<&str> = crash.lines().rev().take(2).collect();
    assert!(last[1].contains(" page_fault_user: address=0x0 ip=reply error_code=0x6"), "{last:?}");
    assert!(last[0].contains(" signal_deliver: sig=SIGSEGV "), "{last:?}");
}
