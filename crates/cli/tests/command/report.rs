//! `lookback report`: what it shows, and how; the other commands' texts.

use crate::common::*;
use std::process::Stdio;

/// A recording of a few processes on all CPUs.
fn recorded() -> (Scratch, Trace) {
    let scratch = Scratch::new();
    let script = "for i in 1 2 3; do (ls /; cat /etc/passwd) > /dev/null & done; wait";
    let (outcome, trace) = scratch.recorded(&["sh", "-c", script]);
    outcome.success();
    (scratch, trace)
}

#[track_caller]
fn reported(scratch: &Scratch, options: &[&str]) -> Vec<Event> {
    Trace::new(&run(&mut scratch.report(options)).success().stdout).events
}

#[test]
fn only_some_events() {
    let (scratch, all) = recorded();
    let only = |is_meant: &dyn Fn(&str) -> bool| {
        all.events.iter().filter(|event| is_meant(&event.name)).cloned().collect::<Vec<Event>>()
    };
    let sched = only(&|name| name.starts_with("sched_"));
    assert!(!sched.is_empty());
    assert_eq!(reported(&scratch, &["-e", "sched"]), sched);
    assert_eq!(reported(&scratch, &["-e", "sched:*"]), sched);
    assert_eq!(reported(&scratch, &["--event", "sched_process_*"]), sched);
    let open = only(&|name| name == "open" || name == "openat" || name.starts_with("sched_process_exec"));
    assert_eq!(
        reported(&scratch, &["-e", "libc:open", "-e", "openat", "-e", "sched:sched_process_exec"]),
        open
    );
    let stdio = reported(&scratch, &["-e", "@stdio"]);
    assert!(
        !stdio.is_empty()
            && stdio.iter().all(|event| event.name.starts_with('f')
                || event.name.starts_with("get")
                || event.name.starts_with("puts"))
    );
    let listed = run(&mut scratch.report(&["-e", "libc:opne"]))
        .failure(125, &["knows no event called libc:opne", "libc:open"]);
    assert_eq!(listed.stdout, "");
}

#[test]
fn only_some_cpus_and_threads() {
    let (scratch, all) = recorded();
    let on = |cpu: u32| all.events.iter().filter(|event| event.cpu == cpu).cloned().collect::<Vec<Event>>();
    assert_eq!(reported(&scratch, &["-C", "0"]), on(0));
    assert_eq!(
        reported(&scratch, &["--cpu", "1-3,0,5"]).len(),
        all.events.iter().filter(|event| [0, 1, 2, 3, 5].contains(&event.cpu)).count()
    );
    run(&mut scratch.report(&["-C", "4000"])).failure(125, &["no such CPU"]);
    let first = all.expect_of("ls", "sched_process_exec", "").pid;
    let second = all.expect_of("cat", "sched_process_exec", "").pid;
    let of: Vec<Event> =
        all.events.iter().filter(|event| [first, second].contains(&event.pid)).cloned().collect();
    assert_eq!(reported(&scratch, &["-P", &format!("{first},{second}")]), of);
    let some: Vec<Event> = of.into_iter().filter(|event| event.cpu == 0 && event.name == "write").collect();
    assert_eq!(
        reported(&scratch, &["-P", &format!("{first},{second}"), "-C", "0", "-e", "libc:write"]),
        some
    );
}

#[test]
fn times_count_from_the_first_event_or_from_the_line_before() {
    let (scratch, all) = recorded();
    let is_open = |event: &&Event| event.comm == "cat" && event.name == "open";
    let opens: Vec<u64> = all.events.iter().filter(is_open).map(|event| event.time).collect();
    let times = |option: &str| -> Vec<u64> {
        let events = reported(&scratch, &["-e", "open", "-t", "cat", option]);
        events.iter().map(|event| event.time).collect()
    };
    // In microseconds: what is shown is cut off there.
    let is_near = |shown: u64, time: u64| shown.abs_diff(time) <= 2;
    let (since_first, since_line) = (times("--rel"), times("--delta"));
    assert!(opens.len() > 2 && since_first.len() == opens.len() && since_line.len() == opens.len());
    for (shown, time) in since_first.iter().zip(&opens) {
        assert!(is_near(*shown, time - all.events[0].time), "{shown} {time}");
    }
    assert_eq!(since_line[0], 0);
    for (shown, pair) in since_line[1..].iter().zip(opens.windows(2)) {
        assert!(is_near(*shown, pair[1] - pair[0]), "{shown} {pair:?}");
    }
    let calls = |option: &str| {
        let text = run(&mut scratch.report(&["--calls", "-e", "open", "-t", "cat", option])).success().stdout;
        let times = text.lines().filter_map(|line| line.split_once("] ")?.1.trim().split_once(": "));
        times.map(|(time, _)| time.to_owned()).collect::<Vec<String>>()
    };
    let seconds = |time: &u64| format!("{}.{:06}", time / 1_000_000, time % 1_000_000);
    let text = |times: &[u64]| times.iter().map(seconds).collect::<Vec<String>>();
    assert_eq!((calls("--rel"), calls("--delta")), (text(&since_first), text(&since_line)));
    for other in [["--rel", "--delta"], ["--rel", "--wall-clock"], ["--rel", "--json"], ["--delta", "--stat"]]
    {
        run(&mut scratch.report(&other)).failure(125, &["cannot be used with"]);
    }
}

#[test]
fn the_header_is_the_kernels() {
    let (scratch, all) = recorded();
    let report = run(&mut scratch.report(&[])).success().stdout;
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines[0], "# tracer: nop");
    let count = all.events.len();
    assert!(
        lines[2].starts_with(&format!("# entries-in-buffer/entries-written: {count}/{count}   #P:")),
        "{}",
        lines[2]
    );
    assert!(
        lines[10].starts_with("#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION"),
        "{}",
        lines[10]
    );
    let times: Vec<u64> = all.events.iter().map(|event| event.time).collect();
    assert!(times.is_sorted());
}

#[test]
fn who_has_seen_enough_may_go() {
    let (scratch, _) = recorded();
    for arguments in ["report \"$1\"", "events", "events --format", "--help"] {
        let script = format!("{{ \"$0\" {arguments}; echo \"code $?\" >&2; }} | head -n 1");
        let outcome =
            run(scratch.command("sh").args(["-c", &script, LOOKBACK]).arg(scratch.outside("trace.dat")))
                .success();
        assert_eq!(outcome.stdout.lines().count(), 1);
        assert_eq!(outcome.stderr, "code 0\n", "{arguments}");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    let (scratch, _) = recorded();
    for arguments in ["report \"$1\"", "events"] {
        let script = format!("\"$0\" {arguments} > /dev/full");
        let outcome =
            run(scratch.command("sh").args(["-c", &script, LOOKBACK]).arg(scratch.outside("trace.dat")));
        outcome.failure(125, &["No space left on device"]);
    }
}

#[test]
fn without_a_terminal_there_are_no_colours() {
    let (scratch, _) = recorded();
    let mut record = scratch.record(&[], &["true"]);
    let texts = [
        run(record.env("NO_COLOR", "1")).stderr,
        run(&mut scratch.record(&[], &["true"])).stderr,
        run(&mut scratch.record(&[], &["no-such-command"])).stderr,
        run(&mut scratch.record(&["-e", "x:y"], &["true"])).stderr,
        run(&mut scratch.report(&[])).stdout,
        run(&mut scratch.lookback(&["events"])).stdout,
        run(&mut scratch.lookback(&["--help"])).stdout,
        run(&mut scratch.lookback(&["recrod"])).stderr,
    ];
    for text in texts {
        assert!(!text.is_empty() && !text.contains('\x1b'), "{text:?}");
    }
}

#[test]
fn help_is_on_standard_output() {
    let scratch = Scratch::new();
    for (arguments, parts) in [
        (&["--help"][..], &["record", "report", "events", "125", "126", "127"][..]),
        (&["-h"], &["record", "report"]),
        (
            &["record", "--help"],
            &[
                "-e, --event <EVENT>",
                "-b, --buffer-size <KB>",
                "-o, --output <FILE>",
                "--session",
                "/dev/shm",
            ],
        ),
        (&["report", "--help"], &["-C, --cpu <LIST>", "-P, --pid <LIST>", "[default: trace.dat]"]),
        (&["events", "--help"], &["-f, --format"]),
        (&["--version"], &["lookback ", env!("CARGO_PKG_VERSION")]),
    ] {
        let outcome = run(&mut scratch.lookback(arguments)).success();
        assert_eq!(outcome.stderr, "");
        for part in parts {
            assert!(outcome.stdout.contains(part), "{part:?} is not in\n{}", outcome.stdout);
        }
        assert!(outcome.stdout.lines().all(|line| line.len() <= 120), "{}", outcome.stdout);
    }
}

#[test]
fn events_are_listed_with_their_formats() {
    let scratch = Scratch::new();
    let messages = run(&mut scratch.lookback(&["events", "ftrace:"])).success().stdout;
    assert_eq!(messages, "in no class\n  ftrace:print                 ip buf\n");
    let listed = run(&mut scratch.lookback(&["events", "libc:open*", "@pipe"])).success().stdout;
    assert!(listed.contains("libc:openat_exit") && listed.contains("libc:pipe2"), "{listed}");
    assert!(!listed.contains("libc:read "), "{listed}");
    let format =
        run(&mut scratch.lookback(&["events", "--format", "sched:sched_process_exit"])).success().stdout;
    for part in [
        "sched:sched_process_exit",
        "field:char comm[16]",
        "field:pid_t pid",
        "print fmt: \"comm=%s pid=%d prio=%d group_dead=%s noticed_by=%s signal=%s\"",
    ] {
        assert!(format.contains(part), "{part} is not in\n{format}");
    }
}

#[test]
fn a_recording_describes_what_has_happened() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-e", "@process"], &["true"])).success();
    let file = scratch.outside("trace.dat");
    assert!(file.metadata().unwrap().len() < 16 * 1024, "{file:?}");
    if !is_missing(&["trace-cmd"]) {
        let listed = run(scratch.command("trace-cmd").args(["report", "-E", "-i"]).arg(&file)).success();
        let names: Vec<&str> = listed.stdout.lines().collect();
        let happened = ["sched:sched_process_exec", "sched:sched_process_exit", "sched:sched_process_fork"];
        assert_eq!(names, happened);
    }
    // Of the others there are none, which is no mistake of who asks.
    for options in [&["-e", "openat"], &["-F", "read_exit: ret < 0"]] {
        assert_eq!(Trace::new(&run(&mut scratch.report(options)).success().stdout).events, []);
    }
    run(&mut scratch.report(&["-e", "opnat"])).failure(125, &["no event called opnat; similar: libc:openat"]);
    run(&mut scratch.report(&["-F", "read_exit: rat < 0"])).failure(125, &["Field not found"]);
}

#[test]
fn the_summary_names_what_to_type_next() {
    let scratch = Scratch::new();
    let outcome = run(&mut scratch.lookback(&["record", "-o", "it's mine.dat", "ls", "/"])).success();
    assert!(outcome.stderr.contains(", 0 lost\n"), "{}", outcome.stderr);
    let next = outcome.stderr.lines().find(|line| line.trim_start().starts_with("next")).unwrap();
    let typed = next.trim_start().strip_prefix("next").unwrap().trim_start().split(" | less").next().unwrap();
    let typed = typed.replacen("lookback", LOOKBACK, 1);
    let report = run(scratch.command("sh").args(["-c", &typed]).stdin(Stdio::null())).success();
    Trace::new(&report.stdout).expect("sched_process_exec", "filename=/usr/bin/ls");
}

#[test]
fn what_is_lost_is_said() {
    let scratch = Scratch::new();
    let script = "i=0; while [ $i -lt 20000 ]; do [ -e / ]; i=$((i + 1)); done";
    // A stopped reader loses what doesn't fit: nobody needs a slow machine for it.
    let mut running = start(&mut scratch.record(
        &["-b", "64"],
        &["sh", "-c", &format!("echo ready; read line < go; {script}; echo done; read line < end")],
    ));
    for pipe in ["go", "end"] {
        run(scratch.command("mkfifo").arg(pipe)).success();
    }
    running.wait_for("ready\n");
    running.signal(rustix::process::Signal::STOP);
    run(scratch.command("sh").args(["-c", "echo > go"])).success();
    running.wait_for("done\n");
    running.signal(rustix::process::Signal::CONT);
    run(scratch.command("sh").args(["-c", "echo > end"])).success();
    let outcome = running.wait();
    assert!(!outcome.stderr.contains(", 0 lost"), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains(
            "overwritten before they could be saved: larger buffers (-b KB) or fewer events (-e) help"
        ),
        "{}",
        outcome.stderr
    );
    let report = run(&mut scratch.report(&[])).success().stdout;
    let lost = report.lines().filter_map(|line| {
        let (_, count) = line.strip_prefix("CPU:")?.split_once(" [LOST ")?;
        count.strip_suffix(" EVENTS]")?.parse::<u64>().ok()
    });
    let lost: u64 = lost.sum();
    let number =
        |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>().unwrap();
    let parts: Vec<&str> = outcome.stderr.lines().next().unwrap().rsplit(", ").collect();
    assert_eq!(number(parts[0]), lost, "{parts:?}");
    let shown = Trace::new(&without_losses(&report)).events.len() as u64;
    let header = format!("# entries-in-buffer/entries-written: {shown}/{} ", shown + lost);
    assert!(report.contains(&header), "{header} is not in\n{}", &report[..200]);
}

/// A report without the lines that say where events are missing.
fn without_losses(report: &str) -> String {
    report.lines().filter(|line| !line.starts_with("CPU:")).map(|line| format!("{line}\n")).collect()
}
