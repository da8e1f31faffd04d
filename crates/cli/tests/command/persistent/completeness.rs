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

/// A full buffer that overwrites nothing refuses events: they are missing at its end.
#[test]
fn what_a_full_buffer_refuses_is_missing() {
    if is_missing(&["python3"]) {
        return;
    }
    let session = Persistent::new(&["-e", "libc:stat*"]);
    session.done("set", &["options/overwrite", "0"]);
    let calls = "import os\nfor cpu in 0, 1:\n os.sched_setaffinity(0, {cpu})\n \
                 for _ in range(3000 - 2900 * cpu): os.stat('/')";
    session.run(&["python3", "-c", calls]);
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    let dropped = stat.lines().find_map(|line| line.strip_prefix("dropped    ")).unwrap();
    assert!(dropped.ends_with(" events were not written: the buffer was full"), "{stat}");
    assert!(stat.contains("\ncomplete   until the buffer was full"), "{stat}");
    let json = session.done("stat", &["--interval", "0", "--json"]).stdout;
    assert!(!json.contains(r#""complete_since_ts":null"#), "{json}");

    let missing = format!("incomplete up to its end; {}", dropped.split(':').next().unwrap());
    let file = session.scratch.outside("trace.dat");
    session.done("extract", &["-q", "-o", file.to_str().unwrap()]);
    // On CPU 1 nothing was lost; but a thread may have been on CPU 0 between two of its events.
    let pair = ["--pair", "libc:stat..libc:stat_exit"];
    for form in [&[][..], &["--stat"], &["--calls"], &["--tree"], &pair] {
        let mut report = session.scratch.lookback(&["report"]);
        for text in [session.done("show", form).stdout, run(report.arg(&file).args(form)).success().stdout] {
            assert!(text.contains(&missing), "{form:?}: {missing}\n{text}");
            assert!(form != pair || text.contains(" pairs not measured: events were lost"), "{text}");
        }
    }
    session.done("clear", &[]);
    let stat = session.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains("nothing was overwritten or consumed since the last clear or snapshot"), "{stat}");
    assert!(!stat.contains("\ndropped"), "{stat}");
}

#[test]
fn what_a_reader_has_consumed_is_missing_in_what_is_extracted() {
    let session = Persistent::new(&["-e", "libc:open*"]);
    session.run(&opens("/first"));
    let mut following = start(&mut session.task("show", &["-p"]));
    following.wait_for("/first");
    drop(following);
    session.run(&opens("/second"));
    let file = session.scratch.outside("trace.dat");
    session.done("extract", &["-q", "-o", file.to_str().unwrap()]);
    let text = run(session.scratch.lookback(&["report"]).arg(&file)).success().stdout;
    let notes = ["# complete for the last ", "# incomplete up to its end"];
    assert!(text.contains("/second") && notes.iter().any(|note| text.contains(note)), "{text}");
}

#[test]
fn where_nothing_is_shown_it_is_said_why() {
    let session = Persistent::new(&[]);
    session.run(&["true"]);
    for form in [&[][..], &["--stat"], &["--json"], &["--calls"]] {
        let shown = |options: &[&str]| session.done("show", &[form, options].concat()).stderr;
        let none = shown(&["-t", "nobody"]);
        let (_, rest) = none.split_once("the trace has ").unwrap();
        assert!(rest.ends_with(" events, but none matches -t 'nobody'\n"), "{form:?}: {none}");
        assert!(shown(&["-e", "@mem"]).contains("`-e '@mem'` enables them"), "{form:?}");
        assert_eq!(shown(&[]), "", "{form:?}");
    }
    assert!(session.done("show", &["--to", "2001-01-01T00:00:00Z"]).stderr.contains("none matches --to"));
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
