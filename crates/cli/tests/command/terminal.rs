//! On a terminal: keys that send signals, progress, colours.

use crate::common::*;
use std::io::Write;

/// Runs a shell script recorded, on a terminal of its own whose keyboard is a pipe; types `keys` once it has
/// said `ready`. What the terminal shows is the outcome's output.
#[track_caller]
fn on_terminal(scratch: &Scratch, options: &str, program: &str, keys: &[u8]) -> Outcome {
    scratch.write("program", program);
    let recording = scratch.outside("trace.dat");
    // Some shells would wait for it in between, and be interrupted, too.
    let line = format!("exec '{LOOKBACK}' record {options} -o '{}' -- sh ./program", recording.display());
    let mut command = scratch.command("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm");
    let (keyboard, mut typing) = std::io::pipe().unwrap();
    let mut running = start(command.stdin(keyboard));
    // What holds the other end is closed: nobody types any more when this is gone.
    drop(command);
    running.wait_for("ready");
    typing.write_all(keys).unwrap();
    running.wait()
}

/// Interrupts, as Control-C and Control-\ do.
const INTERRUPT: &[u8] = b"\x03";
const QUIT: &[u8] = b"\x1c";
/// Stops, as Control-Z does.
const STOP: &[u8] = b"\x1a";

#[test]
fn an_interrupt_reaches_the_program_once() {
    if is_missing(&["script"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = "trap 'echo interrupted; left=10' INT; echo ready; left=1000
        while [ $left -gt 0 ]; do sleep 0.02; left=$((left - 1)); done; exit 6";
    let outcome = on_terminal(&scratch, "-q", program, INTERRUPT);
    assert_eq!(outcome.code(), Some(6));
    assert_eq!(outcome.stdout.matches("interrupted").count(), 1, "{}", outcome.stdout);
    assert!(!scratch.trace().events.is_empty());
}

#[test]
fn an_interrupt_that_ends_the_program_leaves_a_recording() {
    if is_missing(&["script"]) {
        return;
    }
    for (keys, signal) in [(INTERRUPT, 2), (QUIT, 3)] {
        let scratch = Scratch::new();
        let outcome = on_terminal(&scratch, "", "echo ready; while true; do sleep 0.02; done", keys);
        // As shells say that a signal has ended something.
        assert_eq!(outcome.code(), Some(128 + signal), "{outcome:?}");
        assert!(outcome.stdout.contains("0 lost"), "{}", outcome.stdout);
        scratch.trace().expect_of("sh", "sched_process_exit", "comm=sh group_dead=true");
    }
}

#[test]
fn the_terminal_is_the_programs() {
    if is_missing(&["script"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = "test -t 0 && test -t 1 && test -t 2 && echo terminal
        stty -echo; echo ready; read line; echo got $line";
    let outcome = on_terminal(&scratch, "-q", program, b"words\n");
    assert!(
        outcome.stdout.contains("terminal") && outcome.stdout.contains("got words"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn progress_and_colours_are_shown() {
    if is_missing(&["script"]) {
        return;
    }
    let scratch = Scratch::new();
    let outcome = on_terminal(&scratch, "", "echo ready; ls -d /; sleep 2.5", b"");
    assert!(outcome.stdout.contains("lookback: 2 s, 3 processes, "), "{:?}", outcome.stdout);
    assert!(outcome.stdout.contains("\x1b[1mlookback:"), "{:?}", outcome.stdout);
}

#[test]
fn nobody_has_to_have_colours() {
    if is_missing(&["script"]) {
        return;
    }
    let scratch = Scratch::new();
    let recording = scratch.outside("trace.dat");
    let line = format!(
        "NO_COLOR=1 '{LOOKBACK}' record -o '{0}' -- true; NO_COLOR=1 '{LOOKBACK}' events @pipe",
        recording.display()
    );
    let outcome =
        run(scratch.command("script").args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm"))
            .success();
    assert!(outcome.stdout.contains("0 lost") && outcome.stdout.contains("@pipe"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains('\x1b'), "{:?}", outcome.stdout);
}

#[test]
fn what_ignores_a_stop_goes_on() {
    if is_missing(&["script"]) {
        return;
    }
    let program = "trap '' TSTP; echo ready; sleep 1; echo end; exit 4";
    let outcome = on_terminal(&Scratch::new(), "-q", program, STOP);
    assert_eq!(outcome.code(), Some(4), "{outcome:?}");
    assert!(outcome.stdout.contains("end"), "{}", outcome.stdout);
}

#[test]
fn a_recording_is_a_job_of_the_shell() {
    if is_missing(&["script", "bash"]) {
        return;
    }
    let scratch = Scratch::new();
    // What is typed is shown, too: so what is waited for is never typed.
    scratch.write(
        "program",
        "echo begin$((1)); read line; echo got $line; kill -STOP $$; echo end$((2)); exit 3",
    );
    let mut command = scratch.command("script");
    command.args(["-q", "-e", "-c", "bash --norc --noprofile -i", "/dev/null"]);
    command.env("TERM", "dumb").env("LOOKBACK", LOOKBACK).env("TRACE", scratch.outside("trace.dat"));
    let (keyboard, mut typing) = std::io::pipe().unwrap();
    let mut running = start(command.stdin(keyboard));
    drop(command);
    let steps: [(&[u8], &str); 6] = [
        (b"\"$LOOKBACK\" record -q -o \"$TRACE\" -- sh ./program\n", "begin1"),
        (STOP, "Stopped"),
        (b"echo stop$?; fg\n", "stop148"),
        (b"words\n", "got words"),
        (b"echo stop$?; fg\n", "stop147"),
        (b"echo status$?\n", "status3"),
    ];
    for (keys, shown) in steps {
        typing.write_all(keys).unwrap();
        running.wait_for(shown);
    }
    assert!(running.printed().contains("end2"), "{}", running.printed());
    drop(typing);
    running.wait();
    scratch.trace().expect_of("sh", "sched_process_exit", "group_dead=true");
}

/// What a terminal shows of shell lines, with these variables; in the lines `$0` is the command, and the
/// directory has a recording.
#[track_caller]
fn shown(line: &str, variables: &[(&str, &str)]) -> String {
    let (scratch, recording) = (Scratch::new(), "for i in 1 2 3; do ls /none; done; true");
    run(&mut scratch.record(&["-q"], &["sh", "-c", recording])).success();
    let line = format!("cd '{}'; {}", scratch.outside("").display(), line.replace("$0", LOOKBACK));
    let mut command = scratch.command("script");
    command.args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm");
    run(command.envs(variables.iter().copied())).success().stdout
}

#[test]
fn a_report_goes_to_the_pager_with_colours() {
    if is_missing(&["script"]) {
        return;
    }
    let pager = ("PAGER", "sed s/^/paged:$LESS:/");
    let text = shown("$0 report", &[pager]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 50 && lines.iter().all(|line| line.starts_with("paged:FRX:")), "{text}");
    assert!(lines.iter().any(|line| line.contains("\x1b[1m\x1b[31merror=ENOENT\x1b[0m")), "{text}");
    // What is said about the text is in it.
    let text = shown("$0 report -e stat -P 1", &[pager]);
    assert!(
        text.lines()
            .last()
            .is_some_and(|line| line.starts_with("paged:FRX:") && line.contains("lookback: the trace has"))
    );
    // Its own comes first.
    let text = shown("$0 report --calls", &[pager, ("LOOKBACK_PAGER", "sed s/^/own:/"), ("NO_COLOR", "1")]);
    assert!(text.lines().all(|line| line.starts_with("own:")) && !text.contains('\x1b'), "{text}");
    assert!(text.contains(") = -1 ENOENT"), "{text}");
}

#[test]
fn without_a_pager_a_report_is_there_at_once() {
    if is_missing(&["script"]) {
        return;
    }
    let pager = ("PAGER", "sed s/^/paged:/");
    for (line, variables) in [
        ("$0 report --no-pager", &[pager][..]),
        ("$0 report", &[("PAGER", "cat")]),
        ("$0 report", &[("PAGER", "")]),
        ("$0 report", &[pager, ("TERM", "dumb")]),
        // No terminal: neither a pager nor colours.
        ("$0 report | sed 's/^#/pipe#/'", &[pager]),
    ] {
        let text = shown(line, variables);
        assert!(text.contains("# tracer: nop") && !text.contains("paged:"), "{line} {variables:?}: {text}");
        let is_plain = line.contains('|') || variables.contains(&("TERM", "dumb"));
        assert_eq!(!text.contains('\x1b'), is_plain, "{line} {variables:?}: {text}");
    }
}

#[test]
fn whoever_leaves_the_pager_has_seen_enough() {
    if is_missing(&["script"]) {
        return;
    }
    let text = shown("$0 report; echo status $?", &[("PAGER", "head -n 1")]);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("# tracer: nop") && text.contains("status 0"), "{text}");
    let text = shown("$0 report; echo status $?", &[("PAGER", "no-such-pager")]);
    assert!(
        text.contains("there is no pager no-such-pager: set LOOKBACK_PAGER, or use --no-pager"),
        "{text}"
    );
    // An error is not lost in it, and is the status.
    let text = shown("$0 report none.dat; echo status $?", &[("PAGER", "sed s/^/paged:/")]);
    assert!(text.contains("paged:") && text.contains("none.dat: No such file"), "{text}");
    assert!(text.contains("status 125"), "{text}");
}
