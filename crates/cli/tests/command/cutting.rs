//! `lookback convert -o small.dat`: a part of a trace as a file of its own.

use crate::common::*;

const PART: [&str; 8] = ["-e", "libc:open*", "-e", "libc:read*", "-e", "@process", "--time", "+0.005.."];

/// The lines of events that a command prints.
fn lines(outcome: Outcome) -> Vec<String> {
    let text = outcome.success().stdout;
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn a_part_has_the_chosen_events_and_all_that_they_mean() {
    let scratch = Scratch::new();
    let script = "sleep 0.01; cat /etc/passwd /nosuch > /dev/null; sleep 0.01; ls / > /dev/null";
    run(&mut scratch.record(&["-q"], &["sh", "-c", script])).success();
    let report = |options: &[&str], file: &str| {
        let mut command = scratch.lookback(&["report"]);
        lines(run(command.args(options).arg(scratch.outside(file))))
    };
    let cut = |options: &[&str], file: &str| {
        let mut command = scratch.lookback(&["convert"]);
        command.args(options).arg(scratch.outside("trace.dat")).arg("-o").arg(scratch.outside(file));
        run(&mut command).success().stderr
    };
    let expected = report(&PART, "trace.dat");
    assert!(expected.len() > 20 && expected.len() < report(&[], "trace.dat").len());
    let said = cut(&PART, "small.dat");
    assert!(said.contains(" events, "), "{said}");
    assert_eq!(report(&[], "small.dat"), expected);
    let dates = |options: &[&str], file| report(&[&["--json", "--wall-clock"], options].concat(), file);
    assert_eq!(dates(&[], "small.dat"), dates(&PART, "trace.dat"), "functions, processes, the wall clock");
    // Everything is the trace itself.
    cut(&[], "all.dat");
    assert_eq!(report(&[], "all.dat"), report(&[], "trace.dat"));
    if !is_missing(&["trace-cmd"]) {
        let theirs =
            run(scratch.command("trace-cmd").args(["report", "-i"]).arg(scratch.outside("small.dat")));
        let theirs = lines(theirs);
        assert_eq!(theirs.iter().filter(|line| line.contains(": ")).count(), expected.len());
    }
}

#[test]
fn what_was_lost_and_hidden_stays_so() {
    let scratch = Scratch::new();
    let session = scratch.overwritten_session();
    let small = scratch.outside("small.dat").display().to_string();
    let cut = ["convert", "--session", &session, "--redact", "*.pathname", "-o", &small];
    let cut = run(&mut scratch.lookback(&cut));
    let lost = |json: &str| {
        let lost = json.lines().filter_map(|line| line.split_once("\"lost\":")?.1.split(',').next());
        lost.map(|count| count.parse::<u64>().unwrap_or(1)).sum::<u64>()
    };
    let expected =
        lost(&run(&mut scratch.lookback(&["show", "--json", "--session", &session])).success().stdout);
    run(&mut scratch.lookback(&["delete", "-q", "--session", &session])).success();
    cut.success();
    let json = run(&mut scratch.lookback(&["report", "--json", &small])).success().stdout;
    assert!(expected > 1000 && lost(&json) == expected, "{expected}");
    assert!(json.contains("\"pathname\":\"***\"") && !json.contains("\"pathname\":\"/"), "{json}");
}
