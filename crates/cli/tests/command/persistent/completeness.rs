//! Since when a trace is complete, and what is measured where it isn't.

use super::*;

/// Sleeps of 20 ms that start on one CPU and end on the other, with enough calls on CPU 0 to fill its buffer
/// between them; one that stays on CPU 0 in the end.
const SLEEPS: &str = "
import os, threading, time
here = threading.get_native_id()
def sleep(start, end):
    os.sched_setaffinity(here, {start})
    mover = threading.Timer(0.005, os.sched_setaffinity, (here, {end}))
    mover.start()
    time.sleep(0.02)
    mover.join()
def fill():
    os.sched_setaffinity(here, {0})
    for _ in range(3000):
        os.stat('/')
for _ in range(3):
    sleep(1, 0)
    fill()
    sleep(0, 1)
fill()
sleep(0, 0)
";

#[test]
fn pairs_across_losses_are_not_measured() {
    if is_missing(&["python3"]) {
        return;
    }
    let events = ["-e", "libc:clock_nanosleep", "-e", "libc:clock_nanosleep_exit", "-e", "libc:stat*"];
    let session = Persistent::new(&events);
    session.run(&["python3", "-c", SLEEPS]);
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    let complete = stat.lines().find(|line| line.starts_with("complete")).unwrap();
    assert!(complete.contains("for the last "), "{stat}");
    let header = session.done("show", &[]).stdout;
    let shown = header.lines().find(|line| line.starts_with("# complete for the last ")).unwrap();

    let file = session.scratch.outside("trace.dat");
    session.done("extract", &["-q", "-o", file.to_str().unwrap()]);
    let report = |options: &[&str]| {
        let mut command = session.scratch.lookback(&["report"]);
        run(command.arg(&file).args(options)).success().stdout
    };
    let text = report(&[]);
    let reported = text.lines().find(|line| line.starts_with("# complete for the last ")).unwrap();
    // Each copy has clock sync points of its own: a time may be another by 1 ns, and round to the next digit.
    let microseconds =
        |line: &str| -> u64 { line.rsplit(' ').next().unwrap().replace('.', "").parse().unwrap() };
    assert!(microseconds(shown).abs_diff(microseconds(reported)) <= 1, "{shown}, {reported}");
    let (shown, since) = (reported, reported.rsplit(' ').next().unwrap());
    assert!(report(&["--stat"]).contains(&format!("the trace is {}", &shown[2..])));
    let rule = "libc:clock_nanosleep..libc:clock_nanosleep_exit";
    let pairs = report(&["--pair", rule]);
    let row: Vec<&str> = pairs.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..2], [rule, "1"], "{pairs}");
    assert!(pairs.contains(" not measured: events were lost"), "{pairs}");
    assert!(pairs.contains(&format!("since {since}\n")), "{pairs}");
    // The events of one CPU alone pair as they would with all: none ends what started before a loss.
    let mut of_one = session.scratch.lookback(&["report", "--pair", rule, "-C", "1"]);
    run(of_one.arg(&file)).failure(125, &["no such pairs"]);
    // The program itself has measured its calls, so each is right.
    let measured = report(&["--pair", "clock_nanosleep"]);
    let row: Vec<&str> = measured.lines().nth(1).unwrap().split_whitespace().collect();
    assert!(row[1].parse::<u32>().unwrap() >= 3 && !measured.contains("not measured"), "{measured}");
    let exits = report(&[]).lines().filter(|line| line.contains(": clock_nanosleep_exit: ")).count();
    assert_eq!(row[1], exits.to_string(), "{measured}");
}

#[test]
fn a_session_is_shown_in_all_forms() {
    let session = Persistent::of_size("1024", &[]);
    session.run(&["cat", "/etc/hostname"]);
    let file = session.scratch.outside("trace.dat");
    session.done("extract", &["-q", "-o", file.to_str().unwrap()]);
    for form in [
        &["--calls"][..],
        &["--json", "-e", "@file"],
        &["--stat"],
        &["--pair", "libc:*"],
        &["--show-tgid", "--wall-clock", "-F", "@file: error == 0"],
        &["--lines", "--no-demangle", "--redact", "*.pathname"],
    ] {
        let reported = run(session.scratch.lookback(&["report"]).arg(&file).args(form)).success().stdout;
        assert!(reported.contains("open"), "{reported}");
        // Each copy has clock sync points of its own: a time may be another by 1 ns.
        let masked = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
        let shown = session.done("show", form).stdout;
        assert_eq!(masked(&shown), masked(&reported), "{form:?}");
    }
    run(&mut session.task("show", &["-p", "--json"])).failure(125, &["leave out -p"]);
}

#[test]
fn what_lost_nothing_is_complete() {
    let session = Persistent::new(&[]);
    session.run(&["true"]);
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains("\ncomplete   nothing was overwritten or consumed\n"), "{stat}");
    assert!(!session.done("show", &[]).stdout.contains("# complete"));
    let json = session.done("stat", &["--interval", "0", "--json"]).stdout;
    assert!(json.contains(r#""complete_since_ts":null"#), "{json}");
}
