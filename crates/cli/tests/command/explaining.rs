//! `lookback explain`: what ran, what failed, what was slow, who waited for whom.

use crate::common::*;

const SERVER: &str = include_str!("../../../../examples/hunt/server.c");

/// `lookback explain` of what was recorded.
fn explain(scratch: &Scratch, options: &[&str]) -> std::process::Command {
    let mut command = scratch.lookback(&["explain"]);
    command.arg(scratch.outside("trace.dat")).args(options);
    command
}

/// The line of a part that begins with these words, apart from spaces.
#[track_caller]
fn line<'a>(text: &'a str, title: &str, begins: &str) -> &'a str {
    let part = text.split("\n\n").find(|part| part.starts_with(title));
    let part = part.unwrap_or_else(|| panic!("no {title:?} in {text}"));
    let found = part.lines().find(|line| line.trim_start().starts_with(begins));
    found.unwrap_or_else(|| panic!("no {begins:?} in {part}"))
}

#[test]
fn each_defect_of_the_example_is_on_one_screen() {
    let scratch = Scratch::new();
    let server = compile(&scratch, "server", SERVER, &["-g", "-pthread"]);
    let locks = ["-e", "@default", "-e", "lock:*", "-e", "lookback:contention_holder"];
    let options = [&locks[..], &["-b", "64M", "-q"]].concat();
    let crashed = run(&mut scratch.record(&options, &[server.to_str().unwrap(), "4000"]));
    assert_eq!(crashed.signal(), Some(11), "{crashed:?}");

    let text = run(&mut explain(&scratch, &[])).success().stdout;
    assert!(text.lines().count() <= 30, "{text}");
    assert!(text.lines().next().unwrap().ends_with("; no event was lost"), "{text}");
    let ran = line(&text, "Ran", "SIGSEGV");
    assert!(ran.contains("server 4000"), "{ran}");
    let failed = line(&text, "Failed: 16 of ", "16 x");
    assert!(failed.contains(" and 15 others = ENOENT ") && failed.contains("read_page"), "{failed}");
    let slow = line(&text, "Slow", "20");
    assert!(slow.contains(" ms  nanosleep ") && slow.contains("from pause_ms"), "{slow}");
    let waited = line(&text, "Waited", "");
    assert!(waited.starts_with("Waited for locks"), "{waited}");
    assert!(text.contains("  mutex 0x") && text.contains(" (held it)"), "{text}");

    let last = run(&mut explain(&scratch, &["--around", "-0.01ms"])).success().stdout;
    let events = |text: &str| text.split(' ').next().unwrap().replace(',', "").parse::<u64>().unwrap();
    assert!(events(&last) < events(&text), "{last}");

    let json = run(&mut explain(&scratch, &["--json"])).success().stdout;
    let is_valid = run(scratch.command("python3").args(["-c", CHECK]).arg(&json));
    assert_eq!(is_valid.success().stdout.trim(), "16 SIGSEGV nanosleep mutex");
}

/// Prints what the object in JSON says.
const CHECK: &str = "
import json, sys
found = json.loads(sys.argv[1])
failed = sum(each['count'] for each in found['failed'] if each['error'] == 'ENOENT')
signals = [each['signal'] for each in found['processes'] if each['signal']]
mutexes = [each for each in found['waits'] if each['kind'] == 'mutex']
print(failed, signals[0], found['slow'][0]['call'], mutexes[0]['kind'])
";

#[test]
fn sessions_and_snapshots_are_explained_too() {
    let scratch = Scratch::new();
    let session = scratch.outside("session");
    let task = |task: &str, options: &[&str]| {
        let mut command = scratch.lookback(&[task, "--session"]);
        command.arg(&session).args(options);
        command
    };
    run(&mut task("start", &["-q"])).success();
    run(&mut task("run", &["--", "cat", "/nosuch"]));
    let live = run(&mut task("explain", &[])).success().stdout;
    assert!(line(&live, "Failed", "1 x  open").contains("/nosuch = ENOENT  cat-"), "{live}");
    assert!(line(&live, "Ran", "exit  ").contains("cat /nosuch"), "{live}");
    run(&mut task("snapshot", &["-q", "-s"])).success();
    run(&mut task("run", &["--", "cat", "/other"]));
    let kept = run(&mut task("explain", &["-s"])).success().stdout;
    assert!(kept.contains("/nosuch") && !kept.contains("/other"), "{kept}");
    let server = compile(&scratch, "server", SERVER, &["-g", "-pthread"]);
    let crashed = run(&mut task("run", &["--", server.to_str().unwrap(), "4000"]));
    assert_eq!(crashed.signal(), Some(11), "{crashed:?}");
    for options in ["-s", "--with-snapshots"] {
        let text = run(&mut task("explain", &[options])).success().stdout;
        let fault = text.lines().find(|line| line.contains("; page_fault_user: address=0x0 ip=reply "));
        assert!(fault.is_some_and(|line| line.contains("server 4000")), "{options:?}: {text}");
    }
    let with_file = run(&mut task("explain", &["trace.dat"]));
    assert_eq!(with_file.code(), Some(125), "{with_file:?}");
    assert!(with_file.stderr.contains("cannot be used with"), "{with_file:?}");
}

#[test]
fn what_is_not_known_is_said() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-e", "libc:open"], &["cat", "/nosuch"]));
    let text = run(&mut explain(&scratch, &[])).success().stdout;
    assert!(text.contains("the trace has no ends of calls: `-e '*_exit'` enables them"), "{text}");
    assert!(text.contains("the trace has no starts and ends of processes"), "{text}");
    assert!(text.contains("the trace has no waits for locks: `-e 'lock:*' "), "{text}");
    assert!(!text.contains("Slow"), "{text}");
    let none = run(&mut explain(&scratch, &["-P", "1"])).success();
    assert!(none.stdout.is_empty() && none.stderr.contains("none matches -P 1"), "{none:?}");
    let missing = run(&mut scratch.lookback(&["explain", "nosuch.dat"]));
    assert!(missing.code() == Some(125) && missing.stderr.contains("make a trace by"), "{missing:?}");
}
