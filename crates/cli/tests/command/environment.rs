//! What a program inherits is what it inherits without lookback.

use crate::common::*;

/// Runs a shell script that sets something up and then runs a shell with `probe`: without lookback, and with
/// it. Both have to print the same.
#[track_caller]
fn alike(setup: &str, probe: &str) -> String {
    let scratch = Scratch::new();
    let script = format!("{setup} \"$@\"");
    let shell = |own: &[&str]| {
        scratch.write("file", "content\n");
        let mut command = scratch.command("sh");
        command.args(["-c", &script, "sh"]).args(own);
        command
    };
    let trace = scratch.outside("trace.dat");
    let record =
        [LOOKBACK, "record", "-q", "-b", "64", "-o", trace.to_str().unwrap(), "--", "sh", "-c", probe];
    let expected = run(&mut shell(&["sh", "-c", probe]));
    assert_eq!(expected.stderr, "");
    let outcome = run(&mut shell(&record));
    assert_eq!(outcome.visible(), expected.visible());
    assert!(!scratch.trace().events.is_empty());
    outcome.stdout
}

#[test]
fn descriptors() {
    let probe =
        "ls /proc/self/fd; for fd in 0 5 7; do readlink /proc/$$/fd/$fd; done; cat <&5; echo more >&7";
    let inherited = alike("exec 5< file 7>> other;", probe);
    assert!(inherited.contains("content\n"), "{inherited}");
}

#[test]
fn standard_input() {
    assert_eq!(alike("exec < file;", "cat"), "content\n");
    assert_eq!(alike("echo piped |", "cat; cat file"), "piped\ncontent\n");
}

#[test]
fn closed_standard_descriptors() {
    alike("exec <&-;", "ls /proc/$$/fd; readlink /proc/$$/fd/0");
    alike("exec 2>&-;", "ls /proc/$$/fd; readlink /proc/$$/fd/2");
}

#[test]
fn variables() {
    let probe = "env | grep -v -e ^LD_PRELOAD= -e ^LOOKBACK_SESSION= -e ^_= | sort";
    let inherited = alike("export A='one two' B=; unset HOME;", probe);
    for (line, is_there) in [("A=one two", true), ("B=", true), ("HOME=", false)] {
        assert_eq!(inherited.lines().any(|found| found.starts_with(line)), is_there, "{line}");
    }
}

#[test]
fn objects_to_preload() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = "#include <stdlib.h>\n#include <unistd.h>\nint rand(void) { return 4711; }";
    let object = compile(&scratch, "own.so", source, &["-shared", "-fPIC"]);
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"%d\\n\", rand()); }";
    let program = compile(&scratch, "random", source, &[]);
    let script = format!("{0}; env -i {0}", program.display());
    let mut command = scratch.record(&["-q"], &["sh", "-c", &script]);
    let outcome = run(command.env("LD_PRELOAD", &object)).success();
    let (first, _) = outcome.stdout.split_once('\n').unwrap();
    assert_eq!(first, "4711");
    let executed = scratch.trace();
    assert_eq!(executed.count("sched_process_exec", &format!("filename={}", program.display())), 2);
}

#[test]
fn a_child_with_objects_of_its_own_to_preload() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let [first, second] = ["first.so", "second.so"].map(|name| {
        compile(&scratch, name, "int nothing_of_interest(void) { return 1; }", &["-shared", "-fPIC"])
    });
    let script = format!("LD_PRELOAD={} ls -d /; true", second.display());
    let mut command = scratch.record(&["-q"], &["sh", "-c", &script]);
    run(command.env("LD_PRELOAD", &first)).success();
    let trace = scratch.trace();
    assert_eq!(trace.named("sched_process_exec").filter(|event| event.comm == "ls").count(), 1);
}

#[test]
fn directory_umask_and_limits() {
    let inherited = alike(
        "mkdir -p below && cd below && umask 027 && ulimit -n 200 && ulimit -c 0;",
        "pwd; umask; ulimit -a; touch new; ls -l new | cut -c 1-10",
    );
    assert!(inherited.contains("/below\n0027\n"), "{inherited}");
}

#[test]
fn signals() {
    let probe = "grep -e ^Sig[^Q] -e ^Shd /proc/self/status; sh -c 'grep ^Sig[^Q] /proc/self/status'";
    alike("", probe);
    alike("trap '' HUP INT QUIT USR1 TERM CHLD;", probe);
}

#[test]
fn an_ignored_end_of_children() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    // The shell ignores it for nobody, so it can't be between.
    let script = "import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])";
    let trace = scratch.outside("trace.dat");
    let recorded = |program: &[&str]| {
        let mut command = scratch.command("python3");
        command.args(["-c", script, LOOKBACK, "record", "-q", "-o"]).arg(&trace).args(program);
        run(&mut command)
    };
    assert_eq!(recorded(&["sh", "-c", "exit 3"]).code(), Some(3));
    let status = recorded(&["grep", "^SigIgn", "/proc/self/status"]).success().stdout;
    let ignored = u64::from_str_radix(status["SigIgn:".len()..].trim(), 16).unwrap();
    assert!(ignored & 1 << (17 - 1) != 0, "{status}");
}

#[test]
fn blocked_signals() {
    if is_missing(&["python3"]) {
        return;
    }
    let scratch = Scratch::new();
    // The shell unblocks them, so there must be none between.
    let script = "import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [1, 10, 15, 34])
os.execv(sys.argv[1], sys.argv[1:])";
    let trace = scratch.outside("trace.dat");
    let mut command = scratch.command("python3");
    command.args(["-c", script, LOOKBACK, "record", "-q", "-o"]).arg(trace);
    let outcome = run(command.args(["grep", "^SigBlk", "/proc/self/status"])).success();
    assert_eq!(outcome.stdout, "SigBlk:\t0000000200004201\n");
}

#[test]
fn an_ignored_broken_pipe() {
    let ignored = alike("trap '' PIPE;", "grep -e ^SigIgn /proc/self/status | tail -c 5");
    // Others may be ignored where the tests run: nohup(1) ignores SIGHUP.
    let pipe = 1 << (rustix::process::Signal::PIPE.as_raw() - 1);
    assert_ne!(u64::from_str_radix(ignored.trim(), 16).unwrap() & pipe, 0, "{ignored}");
}

#[test]
fn priority_group_and_session() {
    let probe = "cut -d ' ' -f 6,18,19 /proc/self/stat
        group() { cut -d ' ' -f 5 /proc/$1/stat; }
        [ $(group $$) = $(group $PPID) ] && echo same group";
    let inherited = alike("nice -n 3", probe);
    assert!(inherited.ends_with("same group\n"), "{inherited}");
}

#[test]
fn arguments_and_name() {
    let probe = r#"tr '\0' '\n' < /proc/$$/cmdline; echo $0"#;
    alike("", probe);
    let scratch = Scratch::new();
    let outcome =
        run(&mut scratch.record(&["-q"], &["printf", "%s|", "", "a b", "*", "\\n", "ü", "--", "-e"]))
            .success();
    assert_eq!(outcome.stdout, "|a b|*|\\n|ü|--|-e|");
}

#[test]
fn lookback_itself_is_not_recorded() {
    let scratch = Scratch::new();
    let script = r#"exec "$LOOKBACK" events libc:open"#;
    let outcome = run(scratch.record(&["-q"], &["sh", "-c", script]).env("LOOKBACK", LOOKBACK)).success();
    assert!(outcome.stdout.contains("libc:open "), "{}", outcome.stdout);
    let trace = scratch.trace();
    let own = trace.events.iter().filter(|event| event.comm == "lookback");
    assert!(own.clone().all(|event| event.name == "sched_process_fork"), "{:?}", own.collect::<Vec<_>>());
}

#[test]
fn a_recording_in_a_recording_is_one_of_its_own() {
    let scratch = Scratch::new();
    let inner = scratch.outside("inner.dat");
    let script = r#""$LOOKBACK" record -q -o "$INNER" -- ls -d /; ls -d /tmp"#;
    let outcome =
        run(scratch.record(&["-q"], &["sh", "-c", script]).env("LOOKBACK", LOOKBACK).env("INNER", &inner))
            .success();
    assert_eq!(outcome.stdout, "/\n/tmp\n");
    let report = run(scratch.lookback(&["report"]).arg(&inner)).success().stdout;
    assert_eq!(Trace::new(&report).count("sched_process_exec", ""), 1);
    let listings = scratch.trace();
    assert_eq!(listings.named("sched_process_exec").filter(|event| event.comm == "ls").count(), 1);
}
