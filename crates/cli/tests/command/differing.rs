//! `lookback diff`: what differs between traces, and what is noise.

use crate::common::*;
use std::process::Command;

fn record(scratch: &Scratch, file: &str, script: &str) {
    if let Some((directory, _)) = file.rsplit_once('/') {
        std::fs::create_dir_all(scratch.path(directory)).unwrap();
    }
    run(&mut scratch.lookback(&["record", "-q", "-o", file, "--", "sh", "-c", script]));
}

const GOOD: &str = "ls -l /usr > /dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done";
const BAD: &str = "ls -l /usr > /dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done; cat /nosuch";

#[test]
fn nothing_differs_from_itself() {
    let scratch = Scratch::new();
    record(&scratch, "a.dat", BAD);
    let same = run(&mut scratch.lookback(&["diff", "--exit-code", "a.dat", "a.dat"])).success();
    assert!(same.stdout.ends_with("\nNothing differs beyond noise.\n"), "{}", same.stdout);
    assert_eq!(same.stdout.matches("; no event was lost").count(), 2, "{}", same.stdout);
}

#[test]
fn what_was_planted_comes_first() {
    let scratch = Scratch::new();
    for file in ["good/1.dat", "good/2.dat"] {
        record(&scratch, file, GOOD);
    }
    record(&scratch, "bad.dat", BAD);
    for good in ["good/1.dat", "good"] {
        let found = run(&mut scratch.lookback(&["diff", good, "bad.dat"])).success().stdout;
        assert!(found.lines().count() <= 38, "{found}");
        let calls = found.split("\n\n").find(|part| part.starts_with("Calls")).unwrap();
        let first = calls.lines().nth(2).unwrap();
        assert!(first.trim_start().starts_with("sleep    nanosleep") && first.contains(" -> 2"), "{found}");
        let error = found.lines().find(|line| line.contains("open /nosuch = ENOENT"));
        assert!(error.is_some_and(|line| line.contains("  new ") && line.ends_with("  0 -> 1")), "{found}");
        assert!(
            found.lines().any(|line| line.contains("  new  cat ") && line.contains(" /nosuch ")),
            "{found}"
        );
    }
    let other = run(&mut scratch.lookback(&["diff", "--exit-code", "bad.dat", "good/1.dat"]));
    assert_eq!(other.code(), Some(1), "{other:?}");
    assert!(other.stdout.contains("  gone  "), "{}", other.stdout);
    let among_good = run(&mut scratch.lookback(&["diff", "-e", "nanosleep*", "good/1.dat", "good/2.dat"]));
    assert!(among_good.success().stdout.contains("Nothing differs"));
    if is_missing(&["python3"]) {
        return;
    }
    let json = run(&mut scratch.lookback(&["diff", "--json", "good", "bad.dat"])).success().stdout;
    let check = "import json, sys; d = json.loads(sys.argv[1]); c = d['calls'][0]; \
                 e = [e for e in d['errors'] if e['about'] == '/nosuch'][0]; \
                 print(len(d['a']), c['program'], c['call'], c['certain'], c['p50'][1] > 3 * c['p50'][0], \
                 e['error'], e['rates'])";
    let read = run(scratch.command("python3").args(["-c", check, &json])).success().stdout;
    assert_eq!(read, "2 sleep nanosleep True True ENOENT [0.0, 1.0]\n");
}

/// A command of a session.
fn in_session(scratch: &Scratch, session: &str, task: &str, options: &[&str]) -> Command {
    let mut command = scratch.lookback(&[task, "--session", session]);
    command.args(options);
    command
}

#[test]
fn snapshots_are_compared_by_their_numbers() {
    let scratch = Scratch::new();
    let session = scratch.outside("session").display().to_string();
    let task = |task: &str, options: &[&str]| in_session(&scratch, &session, task, options);
    run(&mut task("start", &["-q", "--snapshots", "4"])).success();
    run(&mut task("run", &["--", "cat", "/etc/passwd"])).success();
    run(&mut task("snapshot", &["-q", "-s"])).success();
    run(&mut task("run", &["--", "cat", "/nosuch"]));
    run(&mut task("snapshot", &["-q", "-s"])).success();
    // All of both: on a busy machine the last moments of the second one may be few of its events.
    let found = run(&mut task("diff", &["--from", "+0", "0", "1"])).success().stdout;
    assert!(found.starts_with("A  snapshot 0: ") && found.contains("\nB  snapshot 1: "), "{found}");
    assert!(
        found.contains("open /nosuch = ENOENT") && found.contains("gone  cat      /etc/passwd"),
        "{found}"
    );
    run(&mut task("diff", &["0", "7"])).failure(125, &["7"]);
    run(&mut task("delete", &["-q"])).success();
    run(&mut scratch.lookback(&["diff", "none.dat", "none.dat"])).failure(125, &["none.dat: "]);
    std::fs::create_dir(scratch.path("empty")).unwrap();
    run(&mut scratch.lookback(&["diff", "empty", "none.dat"]))
        .failure(125, &["empty: has no trace.dat files"]);
}

/// A snapshot of 30 quick sleeps before 10 slow ones, and one of slow ones alone: their last moments are the
/// same.
#[test]
fn snapshots_are_compared_by_what_came_before_their_triggers() {
    let scratch = Scratch::new();
    let session = scratch.outside("session").display().to_string();
    let task = |task: &str, options: &[&str]| in_session(&scratch, &session, task, options);
    let program = compile(
        &scratch,
        "sleeps",
        "#include <stdlib.h>
         #include <unistd.h>
         int main(int count, char **words) {
             for (int word = 1; word + 1 < count; word += 2)
                 for (int i = 0; i < atoi(words[word]); i++)
                     usleep(atoi(words[word + 1]));
         }",
        &[],
    );
    let program = program.to_str().unwrap();
    run(&mut task("start", &["-q", "--snapshots", "4"])).success();
    let slow = ["20", "30000"];
    for quick in [&["400", "500"][..], &[]] {
        run(task("run", &["--"]).arg(program).args(quick).args(slow)).success();
        run(&mut task("snapshot", &["-q", "-s"])).success();
    }
    let aligned = run(&mut task("diff", &["0", "1"])).success().stdout;
    let head = aligned.lines().next().unwrap();
    assert!(head.starts_with("A  snapshot 0: ") && head.contains(" in the last "), "{aligned}");
    assert!(aligned.contains("\nB  snapshot 1: ") && !aligned.contains("usleep"), "{aligned}");
    // As they are, without the moments before the trigger, most sleeps of the first one are short.
    let whole = run(&mut task("diff", &["--from", "+0", "0", "1"])).success().stdout;
    assert!(whole.contains("usleep") && !whole.contains("the last "), "{whole}");
    for (number, file) in [("--snapshot=0", "0.dat"), ("--snapshot=1", "1.dat")] {
        run(&mut task("extract", &["-q", number, "-o", file])).success();
    }
    let by_end = run(&mut scratch.lookback(&["diff", "--by-end", "0.dat", "1.dat"])).success().stdout;
    assert!(by_end.contains("A  0.dat: ") && by_end.contains(" in the last "), "{by_end}");
    assert!(!by_end.contains("usleep"), "{by_end}");
    let whole = run(&mut scratch.lookback(&["diff", "0.dat", "1.dat"])).success().stdout;
    assert!(whole.contains("usleep"), "{whole}");
    run(&mut scratch.lookback(&["diff", "--by-end", "--to", "-1", "0.dat", "1.dat"])).failure(125, &["--to"]);
    run(&mut task("delete", &["-q"])).success();
}
