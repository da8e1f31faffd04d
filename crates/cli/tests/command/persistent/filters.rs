//! Filters that traced programs evaluate: what is refused is not there, and was not lost.

use super::{Persistent, opens};
use crate::common::*;

/// Programs that open files, some of which are not there.
const SCRIPT: &str =
    "cat /etc/passwd /a.conf; head -c 5 /etc/passwd; head /b.conf /b.txt; ls /etc/x.conf; true";

/// What events are but for what differs from run to run, as addresses do.
fn essence(events: &[Event]) -> Vec<[&str; 5]> {
    fn of(event: &Event) -> [&str; 5] {
        let field = |name| event.field(name).filter(|value| !value.starts_with("0x")).unwrap_or_default();
        [&event.comm, &event.name, field("ret"), field("error"), field("pathname")]
    }
    events.iter().map(of).collect()
}

#[test]
fn what_is_recorded_is_what_a_report_would_select() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-e", "@file"], &["sh", "-c", SCRIPT])).success();
    for (event, filter, is_some) in [
        ("libc:open*_exit", r#"pathname ~ "*.conf""#, true),
        ("libc:open*_exit", r#"pathname == "/etc/passwd" && ret >= 0"#, true),
        ("@file", "ret < 0 || error == 2", true),
        ("@file", "ret < 0 && !(error == 2)", false),
        ("@file", "ret < 0 && error == ENOENT", true),
        ("@file", "ret < 0 && error != ENOENT", false),
        ("libc:open*", "flags & O_CLOEXEC && flags & O_CREAT|O_TRUNC", false),
        ("libc:open*", "flags == O_RDONLY || flags == O_RDONLY|O_CLOEXEC", true),
        ("libc:open*_exit", r#"COMM == "head" && pathname != "/etc/passwd""#, true),
        ("libc:open*_exit", r#"comm ~ "[ch]*" && common_pid > 1"#, true),
        ("libc:read", "count >= 0x5 && fd & 3", true),
        ("libc:open*_exit", "CPU >= 0", true),
        ("libc:open*_exit", "CPU & CPUS{0-8191} && CPU < 8192", true),
        ("libc:open*_exit", "CPU == 8191 || common_type == 1", false),
    ] {
        let selected = run(&mut scratch.report(&["-F", &format!("{event}: {filter}")])).success();
        let selected = Trace::new(&selected.stdout).events;
        let persistent = Persistent::of_size("1024", &["-e", &format!("{event} if {filter}")]);
        persistent.run(&["sh", "-c", SCRIPT]);
        let recorded = persistent.shown(&[]).events;
        assert_eq!(essence(&recorded), essence(&selected), "{filter}");
        assert_eq!(!recorded.is_empty(), is_some, "{filter}");
        let stat = persistent.done("stat", &["--json", "--interval", "0"]).stdout;
        let sum = |name: &str| -> usize {
            let key = format!("\"{name}\":");
            let values = stat.split(key.as_str()).skip(1);
            values.map(|rest| rest.split([',', '}']).next().unwrap().parse::<usize>().unwrap()).sum()
        };
        assert_eq!((sum("entries"), sum("dropped_events"), sum("overrun")), (recorded.len(), 0, 0), "{stat}");
    }
}

#[test]
fn a_program_that_runs_heeds_what_is_set() {
    let persistent = Persistent::new(&["-e", "libc:open*_exit"]);
    let script = "while [ ! -e stop ]; do cat /odd /even; done";
    let running = start(&mut persistent.running(&["sh", "-c", script]));
    let last = || -> Vec<String> { persistent.opened(&[]).into_iter().rev().take(6).collect() };
    let all_are = |path: &str| last().len() == 6 && last().iter().all(|opened| opened == path);
    running.wait_until(|| last().contains(&"/odd".to_string()) && last().contains(&"/even".to_string()));
    for path in ["/odd", "/even", "/odd"] {
        persistent.done("set", &["libc:open*_exit", "on", "if", &format!("pathname == \"{path}\"")]);
        persistent.done("clear", &[]);
        running.wait_until(|| all_are(path));
    }
    persistent.done("set", &["libc:open*_exit", "on", "if", "pathname == \"/other\""]);
    // One that was being written may come still.
    running.wait_until(|| {
        persistent.done("clear", &[]);
        persistent.opened(&[]).is_empty()
    });
    persistent.done("set", &["libc:open*_exit", "on"]);
    running.wait_until(|| last().contains(&"/odd".to_string()) && last().contains(&"/even".to_string()));
    persistent.scratch.write("stop", "");
    running.wait();
}

#[test]
fn events_of_a_programs_own_are_filtered_by_all_types_of_fields() {
    let persistent = Persistent::new(&["-e", "fields:*"]);
    let program = build_example("fields", &[]);
    persistent.run(&[&program]);
    let count = |event: &str, filter: &str| {
        persistent.done("clear", &[]);
        persistent.done("set", &[&format!("fields:{event}"), "on", "if", filter]);
        persistent.run(&[&program]);
        persistent.shown(&[]).named(event).count()
    };
    for (event, filter, expected) in [
        ("numbers", "a == 255 && b == -128 && c > 65534 && d < 0 && e == 4294967295 && f < 0", 1),
        ("numbers", "g == 18446744073709551615 && h == -9223372036854775808 && i == 7 && j < -6", 1),
        ("numbers", "a < 255 || b > -128 || f >= 0 || g < 5 || h > 0", 0),
        ("others", "yes == 1 && no == 0 && long == 0xffffffffffffffff && byte & 0x80", 1),
        ("names", "status == -2", 1),
        ("names", "flags & 8 || status == -2", 2),
        ("texts", r#"name == "Ada L." && empty == "" && c ~ "from*" && after == 77"#, 1),
        ("texts", r#"name ~ "Ada" || empty ~ "?*""#, 0),
        ("e3", "value < 0", 0),
    ] {
        assert_eq!(count(event, filter), expected, "{event} {filter}");
    }
    // Messages are the kernel's `ftrace:print`: their text is the rest of the record.
    for (filter, expected) in [(r#"buf ~ "hello 42*""#, 1), (r#"buf ~ "bye*""#, 0)] {
        persistent.done("clear", &[]);
        persistent.done("set", &["ftrace:print", "on", "if", filter]);
        persistent.run(&[&program]);
        let messages =
            persistent.shown(&[]).events.into_iter().filter(|event| event.text.starts_with("hello"));
        assert_eq!(messages.count(), expected, "{filter}");
    }
}

#[test]
fn a_process_that_was_killed_is_recorded_if_its_end_passes() {
    let persistent = Persistent::new(&["-e", "sched_process_exit"]);
    for filter in [r#"COMM == "sleep" && comm == "sleep""#, r#"comm != "sleep""#] {
        persistent.done("set", &["sched_process_exit", "on", "if", filter]);
        let mut running = start(&mut persistent.running(&["sh", "-c", "echo $$.; exec sleep 60"]));
        running.wait_for(".");
        running.wait_until(|| persistent.done("list", &[]).stdout.contains("/sleep"));
        let pid = running.printed().split('.').next().and_then(|pid| pid.parse().ok()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        running.wait();
        // Its parent is no program that is attached: its end is found now.
        persistent.done("list", &[]);
        assert_eq!(persistent.shown(&[]).count("sched_process_exit", "comm=sleep"), 1, "{filter}");
    }
}

#[test]
fn a_recording_has_filters_of_its_own() {
    let scratch = Scratch::new();
    let filter = r#"openat_exit if pathname == "/b.txt" || ret >= 0 && pathname == "/etc/passwd""#;
    let options = ["-e", filter, "-e", "open_exit if pathname == \"/b.txt\"", "-e", "close_exit"];
    run(&mut scratch.record(&options, &["sh", "-c", SCRIPT])).success();
    let trace = scratch.trace();
    let opened: Vec<&str> = trace
        .events
        .iter()
        .filter(|event| event.name != "close_exit")
        .map(|event| event.get("pathname"))
        .collect();
    assert!(opened.contains(&"/b.txt"), "{opened:?}");
    assert!(opened.iter().all(|path| ["/b.txt", "/etc/passwd"].contains(path)), "{opened:?}");
    assert!(trace.count("close_exit", "ret=0") > 0);
    // In a persistent session what was there before is put back.
    let persistent = Persistent::new(&["-e", "libc:open*_exit if ret >= 0"]);
    let session = persistent.path.to_str().unwrap();
    let options = ["-q", "--session", session, "-e", "libc:open*_exit if pathname == \"/b.txt\""];
    run(&mut persistent.scratch.record(&options, &["sh", "-c", SCRIPT])).success();
    assert!(persistent.scratch.trace().events.iter().all(|event| event.has("pathname", "/b.txt")));
    let events = persistent.done("list", &["--events"]).stdout;
    assert!(events.contains("on   @file     if ret >= 0\n") && !events.contains("b.txt"), "{events}");
}

#[test]
fn what_is_wrong_is_explained_and_changes_nothing() {
    let persistent = Persistent::new(&["-e", "libc:open_exit if ret < 0"]);
    let listed = || persistent.done("list", &["--events", "--json"]).stdout;
    let before = listed();
    assert!(
        before.contains(r#""name":"open_exit","class":"file","enabled":true,"filter":"ret < 0""#),
        "{before}"
    );
    for (arguments, parts) in [
        (
            &["libc:open_exit", "on", "if", "ret < 0 && foo == 1"][..],
            &[
                "libc:open_exit:\nret < 0 && foo == 1\n               ^\nparse_error: Field not found",
                "fields:",
            ][..],
        ),
        (&["libc:open_exit", "on", "if", "ret ~ \"x*\""], &["parse_error: Expecting numeric field"]),
        (&["libc:open_exit", "on", "if", "pathname == 3"], &["parse_error: Expecting string field"]),
        (
            &["libc:open_exit", "on", "if", "error == ENOFILE"],
            &[
                "error == ENOFILE\n         ^\nparse_error: Name not found\n",
                "names: 0, EPERM, ENOENT,",
                ", EDQUOT",
            ],
        ),
        (&["libc:*", "on", "if", "(ret < 0"], &["Too many '('"]),
        (&["libc:open_exit", "on", "if"], &["<FILTER>"]),
        (&["libc:open_exit", "on", "ret < 0"], &["invalid value 'ret < 0'"]),
        (&["libc:open_exit", "off", "if", "ret < 0"], &["a disabled event needs no filter"]),
        (
            &["shop:*", "on", "if", "total > 5"],
            &["no program has added events called shop:*", "run the program"],
        ),
    ] {
        run(&mut persistent.task("set", arguments)).failure(125, parts);
        assert_eq!(listed(), before, "{arguments:?}");
    }
    let outcome = persistent.done("set", &["libc:open*", "on", "if", "ret < 0"]);
    assert!(outcome.stderr.contains("don't have the filter's fields"), "{outcome:?}");
    let events = persistent.done("list", &["--events"]).stdout;
    assert!(
        events.contains("if ret < 0") && !events.contains("libc:openat                      on"),
        "{events}"
    );
    assert!(persistent.done("stat", &["--interval", "0"]).stdout.contains("of them with a filter"));
    persistent.run(&opens("/nope"));
    assert_eq!(persistent.opened(&[]), ["/nope"]);
    persistent.done("reset", &[]);
    assert!(!listed().contains("ret < 0"));
}
