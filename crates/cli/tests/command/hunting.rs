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
    // An event of another CPU may come between a call and its stack.
    let lines: Vec<&str> = rare.lines().collect();
    let stacks_after = |text: &str| -> Vec<String> {
        let after = lines.iter().enumerate().filter(|(_, line)| line.contains(text));
        let stack = |(at, _): (usize, &&str)| {
            lines.iter().skip(at + 2).take_while(|line| line.starts_with(" => ")).copied().collect()
        };
        after.map(stack).collect()
    };
    let is_from = |text: &str, functions: &str| {
        let stacks = stacks_after(text);
        assert!(stacks.iter().any(|stack| stack.starts_with(functions)), "{text}: {stacks:#?}");
    };
    is_from(" nanosleep_exit: ret=0 error=0 req=200000000 ", " => pause_ms => retry_backend => serve");
    is_from(" nanosleep_exit: ret=0 error=0 req=30000000 ", " => pause_ms => write_journal => serve");
    let in_lock = rare.lines().filter(|line| line.contains("req=30000000 "));
    assert!(in_lock.clone().count() > 0 && in_lock.clone().all(|line| line.contains(" ...1. ")), "{rare}");
    let waits = done("show", &["-B", "rare", "--pair", "contention_begin..contention_end"]);
    // Who holds it isn't known where that was lost.
    let mut longest = waits.lines().skip_while(|line| !line.starts_with("LONGEST")).take(10);
    let names_both = |line: &str| line.matches("server-").count() == 2;
    assert!(longest.any(names_both), "who waits, and who holds it: {waits}");

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
