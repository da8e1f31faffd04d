//! What `lookback report` prints is what trace-cmd prints of the same file, event by event.

use crate::calls::PROGRAMS;
use crate::common::*;

/// What the fields start with that have the address of code.
const ADDRESSES: [&str; 7] =
    ["caller=", "handler=", "sa_handler=", "start_routine=", "init_routine=", "compar=", "disp="];

/// A pointer as trace-cmd prints it, of 16 digits as the kernel does: that of an event about a lock.
fn pointer(word: &str, event: &Event) -> Option<String> {
    let is_one = event.name.starts_with("contention_") && word.len() == 16;
    is_one.then(|| u64::from_str_radix(word, 16).ok()).flatten().map(|address| format!("{address:#x}"))
}

/// The fields as trace-cmd prints them. It doesn't say how long a function is, nor in which object it is.
fn as_trace_cmd_has_it(event: Event) -> Event {
    let mut words: Vec<String> = Vec::new();
    for word in event.text.split(' ') {
        let is_address = |field: &str| word.starts_with(field);
        match word.split_once("/0x") {
            Some((symbol, _)) if ADDRESSES.into_iter().any(is_address) => words.push(symbol.to_string()),
            _ if word.starts_with('[') && words.last().is_some_and(|last| last.contains("+0x")) => {}
            _ => words.push(pointer(word, &event).unwrap_or_else(|| word.to_string())),
        }
    }
    Event { text: words.join(" "), ..event }
}

/// Checks that both print the same of what was recorded.
#[track_caller]
fn agree(scratch: &Scratch) {
    let ours = run(&mut scratch.report(&[])).success().stdout;
    let theirs =
        run(scratch.command("trace-cmd").args(["report", "-N", "-i"]).arg(scratch.outside("trace.dat")))
            .success();
    assert_eq!(theirs.stderr, "");
    assert!(!theirs.stdout.contains("[FAILED TO PARSE]"));
    let ours = Trace::new(&ours).events.into_iter().map(as_trace_cmd_has_it);
    let theirs = theirs.stdout.lines().filter(|line| !line.starts_with("cpus="));
    let theirs: Vec<Event> =
        theirs.map(|line| Event::parse(line).unwrap_or_else(|| panic!("not an event: {line:?}"))).collect();
    assert_eq!(ours.len(), theirs.len());
    assert!(!theirs.is_empty());
    for (ours, theirs) in ours.zip(theirs) {
        assert_eq!(ours, theirs, "lookback, trace-cmd");
    }
}

#[test]
fn on_every_kind_of_event() {
    if is_missing(&["cc", "trace-cmd"]) {
        return;
    }
    for (name, source) in PROGRAMS {
        let scratch = Scratch::new();
        let program = compile(&scratch, name, source, &[]);
        run(&mut scratch.record(&["-q", "-e", "*:*"], &[program.to_str().unwrap()]));
        agree(&scratch);
    }
}

#[test]
fn on_files_of_all_versions() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    for options in [&["--compress"][..], &["--file-version", "7"], &["--file-version", "6"]] {
        let scratch = Scratch::new();
        run(&mut scratch.record(&[&["-q"], options].concat(), &["ls", "/"])).success();
        agree(&scratch);
    }
    let scratch = Scratch::new();
    let both = run(&mut scratch.record(&["--compress", "--file-version", "6"], &["true"]));
    both.failure(125, &["version 6 can't be compressed"]);
}

#[test]
fn on_processes_on_all_cpus() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    let script = "for i in 1 2 3 4 5 6 7 8; do (ls /; cat /etc/passwd) > /dev/null & done; wait";
    run(&mut scratch.record(&["-q"], &["sh", "-c", script])).success();
    agree(&scratch);
}

#[test]
fn on_what_was_lost() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    let script = "for word in $(seq 30000); do [ -e / ]; done";
    let outcome = run(&mut scratch.record(&["-b", "8"], &["sh", "-c", script])).success();
    let ours = run(&mut scratch.report(&[])).success().stdout;
    let theirs =
        run(scratch.command("trace-cmd").args(["report", "-N", "-i"]).arg(scratch.outside("trace.dat")))
            .success();
    let lost = |text: &str| {
        let lines = text.lines().filter(|line| line.starts_with("CPU:"));
        // The one says `CPU:0 [LOST 7 EVENTS]`, the other `CPU:0 [7 EVENTS DROPPED]`.
        let lines = lines.map(|line| line.replace("LOST ", "").replace(" DROPPED", ""));
        lines.collect::<Vec<String>>()
    };
    assert_eq!(lost(&ours), lost(&theirs.stdout));
    // A machine can be quick enough to save them all.
    assert_eq!(lost(&ours).is_empty(), outcome.stderr.contains(", 0 lost"), "{}", outcome.stderr);
}

#[test]
fn on_clocks_that_count_no_time() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    for clock in ["counter", "x86-tsc"] {
        run(&mut scratch.record(&["-q", "-C", clock], &["ls", "/"])).success();
        agree(&scratch);
        let times: Vec<u64> = scratch.trace().events.iter().map(|event| event.time).collect();
        assert!(times.is_sorted() && (clock != "counter" || times[0] == 1), "{clock}: {times:?}");
    }
}

#[test]
fn on_a_recording_without_events() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let scratch = Scratch::new();
    let outcome = run(&mut scratch.record(&["-e", "libc:pause"], &["true"])).success();
    assert!(outcome.stderr.contains("nothing"), "{}", outcome.stderr);
    assert!(scratch.trace().events.is_empty());
    let theirs =
        run(scratch.command("trace-cmd").args(["report", "-N", "-i"]).arg(scratch.outside("trace.dat")));
    assert!(!theirs.stdout.contains("true-"), "{theirs:?}");
}
