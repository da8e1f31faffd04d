//! What the command answers: help, and errors that say what was expected and the way out.

use crate::common::*;

/// A session for these tests, with buffers of 64 KB.
fn session(scratch: &Scratch) -> String {
    let path = scratch.outside("session").to_str().unwrap().to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "64", "--session", &path])).success();
    path
}

#[test]
fn every_task_can_be_quiet() {
    let scratch = Scratch::new();
    let path = session(&scratch);
    for task in [&["set", "libc:open", "off"][..], &["list"], &["stat"], &["stop"], &["clear"], &["delete"]] {
        let outcome = run(scratch.lookback(task).args(["-q", "--session", &path])).success();
        assert_eq!(outcome.stderr, "", "{task:?}");
    }
    let outcome = run(&mut scratch.lookback(&["delete", "-q", "--session", &path]));
    outcome.failure(125, &[&path, "`lookback list --sessions`"]);
}

#[test]
fn the_help_fits_a_screen_and_names_every_task() {
    let scratch = Scratch::new();
    let help = run(&mut scratch.lookback(&["--help"])).success().stdout;
    assert!((24..=50).contains(&help.lines().count()), "{help}");
    help.lines().for_each(|line| assert!(line.chars().count() <= 80, "{line}"));
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/man");
    for page in std::fs::read_dir(pages).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        let Some(task) = name.strip_prefix("lookback-").and_then(|name| name.strip_suffix(".1")) else {
            continue;
        };
        // What a task has within it is in that task's help.
        let words: Vec<&str> = task.split('-').collect();
        let within = match words.as_slice() {
            [_] => help.clone(),
            [above @ .., _] => run(&mut scratch.lookback(&[above, &["--help"]].concat())).success().stdout,
            [] => continue,
        };
        let last = words.last().unwrap();
        assert_eq!(within.matches(&format!("\n  {last} ")).count(), 1, "{task} in\n{within}");
        let long = run(&mut scratch.lookback(&[&words[..], &["--help"]].concat())).success();
        let helped = run(&mut scratch.lookback(&[&["help"], &words[..]].concat())).success();
        assert_eq!(helped.stdout, long.stdout);
    }
    assert_eq!(run(&mut scratch.lookback(&["help"])).success().stdout, help);
    let long = run(&mut scratch.lookback(&["help", "help"])).success().stdout;
    assert_eq!(run(&mut scratch.lookback(&["help", "--help"])).success().stdout, long);
    let version = run(&mut scratch.lookback(&["version"])).success().stdout;
    assert_eq!(run(&mut scratch.lookback(&["--version"])).success().stdout, version);
}

#[test]
fn errors_have_one_prefix_and_name_no_hidden_task() {
    let scratch = Scratch::new();
    for arguments in [&["relod"][..], &["manul"], &["show", "--sesion"], &["record", "-e"], &["record"]] {
        let outcome = run(&mut scratch.lookback(arguments)).failure(125, &["lookback: "]);
        assert!(outcome.stderr.starts_with("lookback: "), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains("preload") && !outcome.stderr.contains("'manual'"), "{outcome:?}");
    }
    run(&mut scratch.lookback(&["relod"]))
        .failure(125, &["no task is called relod; similar: report, record; `lookback help` shows all"]);
    let none = run(&mut scratch.lookback(&["-q"])).failure(125, &["expected a task: `lookback help`"]);
    assert!(!none.stderr.contains("preload"), "{}", none.stderr);
    let outcome = run(&mut scratch.lookback(&["record", "-R", "traceoff", "true"]));
    assert!(outcome.failure(125, &["expected -e EVENT"]).stderr.starts_with("lookback: -R"));
}

#[test]
fn options_in_the_wrong_place() {
    let scratch = Scratch::new();
    for (arguments, expected) in [
        (&["--session", "x", "show"][..], "`lookback show --session ...`"),
        (&["--session=x", "list"], "`lookback list --session ...`"),
        (&["-B", "rare"], "`lookback TASK -B ...`"),
    ] {
        run(&mut scratch.lookback(arguments)).failure(125, &["is an option of the task", expected]);
    }
    let record = |words: &[&str]| {
        let output = scratch.outside("trace.dat");
        run(scratch.lookback(&["record", "-b", "64K", "-o"]).arg(output).args(words)).success().stderr
    };
    let note = "`-e openat`: options of record precede the program";
    assert!(record(&["true", "-e", "openat"]).contains(note));
    assert!(record(&["true", "--session", "x"]).contains("`--session x`: options of record precede"));
    for meant in [&["--", "true", "-e", "openat"][..], &["true", "-e", "s/a/b/"], &["-e", "openat", "true"]] {
        assert!(!record(meant).contains("precede"), "{meant:?}");
    }
}

#[test]
fn sizes_have_units() {
    let scratch = Scratch::new();
    let path = scratch.outside("units").to_str().unwrap().to_string();
    let started = run(&mut scratch.lookback(&["start", "-b", "1M", "--session", &path])).success();
    assert!(started.stderr.contains("1024 KB for each"), "{}", started.stderr);
    run(&mut scratch.lookback(&["start", "-b", "4T", "--session", &path]))
        .failure(125, &["4T", "expected KB, or a size like 512K, 64M or 4G"]);
}

#[test]
fn values_say_what_is_expected() {
    let scratch = Scratch::new();
    for (arguments, expected) in [
        (&["start", "-P", "nginx"][..], "'nginx' for '--pid <PID>': expected an integer"),
        (&["stat", "--interval", "soon"], "expected an integer"),
        (&["record", "--stack-bytes", "all", "true"], "expected an integer"),
        (&["show", "-s", "1"], "the value of -s follows a `=`: expected --snapshot=1"),
        (&["extract", "--snapshot", "1.2"], "the value of --snapshot follows a `=`: expected --snapshot=1.2"),
    ] {
        run(&mut scratch.lookback(arguments)).failure(125, &[expected]);
    }
}

/// Of many events the one that has the field says what is wrong, not the first that lacks it.
#[test]
fn filters_for_many_events_are_explained_by_the_one_that_understands_most() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-b", "64K", "-e", "sched", "-e", "openat"], &["cat", "/none"]));
    let session = session(&scratch);
    for (filter, parts) in [
        ("error == ENOSUCH", &["the filter for libc:open", "Name not found", "names: ", "ENOENT"][..]),
        ("ret < 0 && duration > 100 ms", &["Illegal time (an integer, and ns, us, ms or s right after it)"]),
    ] {
        run(&mut scratch.report(&["-F", &format!("*_exit: {filter}")])).failure(125, parts);
        let set = ["set", "--session", &session, "*_exit", "on", "if", filter];
        run(&mut scratch.lookback(&set)).failure(125, parts);
        let trigger = format!("traceoff if {filter}");
        let start = ["start", "--session", &session, "-e", "*_exit", "-R", &trigger];
        run(&mut scratch.lookback(&start)).failure(125, parts);
    }
    run(&mut scratch.lookback(&["delete", "--session", &session])).success();
}

#[test]
fn a_program_runs_without_a_session() {
    let scratch = Scratch::new();
    let path = scratch.outside("none").to_str().unwrap().to_string();
    let misplaced =
        run(&mut scratch.lookback(&["run", "--session", &path, "true", "--session", "x"])).success();
    assert!(misplaced.stderr.contains("`--session x`: options of run precede"), "{}", misplaced.stderr);
    let run_in = |options: &[&str]| {
        let mut command = scratch.lookback(&["run", "--session", &path]);
        run(command.args(options).args(["--", "sh", "-c", "echo ran; exit 3"]))
    };
    let outcome = run_in(&[]);
    assert_eq!((outcome.code(), outcome.stdout.as_str()), (Some(3), "ran\n"));
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("`lookback start --session") && outcome.stderr.contains("unrecorded"));
    assert_eq!(run_in(&["-q"]).stderr, "");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(scratch.outside("none/session"), "of another version").unwrap();
    assert_eq!(run_in(&[]).code(), Some(3));
}

#[test]
fn directories_that_do_not_exist() {
    let scratch = Scratch::new();
    run(&mut scratch.lookback(&["record", "-o", "none/x.dat", "true"]))
        .failure(125, &["the directory none doesn't exist: make it", "-o FILE"]);
    let refused = run(&mut scratch.lookback(&["record", "-o", "/proc/x.dat", "true"]));
    assert!(!refused.failure(125, &["no file can be made in /proc"]).stderr.contains("doesn't exist"));
    for task in ["show", "stat"] {
        run(&mut scratch.lookback(&[task, "--session", "./none/s"]))
            .failure(125, &["no session at ./none/s: its directory doesn't exist"]);
    }
    let outcome = run(&mut scratch.lookback(&["start", "--session", "./none/s"]));
    let outcome = outcome.failure(125, &["./none/s: its directory doesn't exist: make it", "--session"]);
    assert!(!outcome.stderr.contains("unfinished"), "{}", outcome.stderr);
}

#[test]
fn what_set_refuses_is_explained() {
    let scratch = Scratch::new();
    let path = session(&scratch);
    for (arguments, parts) in [
        (&["on", "libc:open"][..], &["expected EVENT on|off, like `lookback set libc:open on`"][..]),
        (
            &["current_tracer", "wakeup_rt"],
            &[
                "current_tracer: Invalid argument",
                "expected one of function_graph wakeup preemptirqsoff preemptoff",
            ],
        ),
        (&["trace_clock", "sundial"], &["trace_clock: Invalid argument", "expected one of local global"]),
        (&["events/libc/open/trigger", "stop"], &["expected one of traceon traceoff snapshot stacktrace"]),
        (&["events/libc/open/trigger", "traceoff:x"], &["expected 'if FILTER' after it"]),
        (&["events/libc/open/trigger", "enable_event:libc:nosuch"], &["of an existing event"]),
        (&["events/libc/open/enable", "7"], &["expected 0 or 1"]),
        (&["options/overwrite", "7"], &["expected 0 or 1"]),
        (&["set_event", "nosuch"], &["expected SYSTEM:EVENT"]),
        (&["buffer_size_kb", "x"], &["expected a number of KB"]),
        (&["buffer_percent", "101"], &["expected 0 to 100"]),
        (&["tracing_cpumask", "x"], &["in hexadecimal"]),
        (
            &["events/libc/open/trigger", "traceoff if nosuch == 3"],
            &["event filter parse error: error: Field not found\n  Command: nosuch == 3\n", "^"],
        ),
        (&["open", "on", "if", "ret < 0"], &["Field not found", "open_exit, the end of the call, has what"]),
    ] {
        let mut command = scratch.lookback(&["set", "--session", &path]);
        run(command.args(arguments)).failure(125, parts);
    }
    let start = ["start", "--session", &path, "-e", "open if ret < 0"];
    for refused in [&start[..], &["record", "-e", "open if ret < 0", "true"]] {
        run(&mut scratch.lookback(refused)).failure(125, &["open_exit, the end of the call, has what"]);
    }
    let mut other = scratch.lookback(&["set", "--session", &path, "open", "on", "if", "nosuch < 0"]);
    assert!(!run(&mut other).failure(125, &["Field not found"]).stderr.contains("_exit"));
    run(&mut scratch.lookback(&["delete", "--session", &path])).success();
}

#[test]
fn what_start_refuses_changes_nothing() {
    let scratch = Scratch::new();
    let path = session(&scratch);
    let events = || run(&mut scratch.lookback(&["get", "--session", &path, "set_event"])).success().stdout;
    let before = events();
    for wanted in [
        &["-e", "open", "-e", "nosuch"][..],
        &["-e", "open", "-e", "read if nosuch == 1"],
        &["-e", "open", "-R", "traceoff if nosuch == 1"],
        &["-e", "open", "-R", "traceoff:x"],
        &["-e", "open", "-R", "enable_event:libc:nosuch"],
    ] {
        let refused = run(scratch.lookback(&["start", "--session", &path]).args(wanted));
        assert_eq!(refused.code(), Some(125), "{wanted:?}: {}", refused.stderr);
        assert!(events() == before, "{wanted:?}");
    }
    let wanted = ["-e", "open", "-R", "traceoff if mode == 1"];
    run(scratch.lookback(&["start", "-q", "--session", &path]).args(wanted)).success();
    assert_eq!(events(), "libc:open\n");
    let trigger = ["get", "--session", &path, "events/libc/open/trigger"];
    assert_eq!(run(&mut scratch.lookback(&trigger)).success().stdout, "traceoff:unlimited if mode == 1\n");
    let refused = run(&mut scratch.lookback(&["show", "-C", "9999", "--session", &path]));
    assert_eq!(refused.failure(125, &["no such CPU: expected -C with 0 to "]).stdout, "");
    run(&mut scratch.lookback(&["delete", "--session", &path])).success();
}

#[test]
fn a_session_that_is_being_made_is_not_listed() {
    let scratch = Scratch::new();
    let Ok(place) = session::SessionsDirectory::of_user() else { return };
    let unfinished = place.path().join("answers.unfinished-4711");
    std::fs::create_dir_all(&unfinished).unwrap();
    std::fs::write(unfinished.join("session"), "").unwrap();
    let listed = run(&mut scratch.lookback(&["list", "--sessions"]));
    std::fs::remove_dir_all(&unfinished).unwrap();
    assert!(!listed.success().stdout.contains("answers.unfinished"));
}

#[test]
fn what_report_cannot_show_is_explained() {
    let scratch = Scratch::new();
    run(&mut scratch.record(&["-q", "-b", "64K", "-e", "openat"], &["cat", "/etc/hostname"])).success();
    for (options, expected) in [
        (&["-B", "nosuch"][..], "no instance called nosuch: expected none, it has the top buffer alone"),
        (&["-C", "9999"], "no such CPU: expected -C with 0 to "),
        (&["-C", "9999", "--json"], "no such CPU: expected -C with 0 to "),
    ] {
        run(&mut scratch.report(options)).failure(125, &[expected]);
    }
    let whole = std::fs::read(scratch.outside("trace.dat")).unwrap();
    let short = scratch.write("short.dat", &whole[..100]);
    run(&mut scratch.lookback(&["report", short.to_str().unwrap()]))
        .failure(125, &["62 are there", "this one was truncated, copy it again"]);
    let Some(mut nobody) = as_nobody(&scratch) else { return };
    std::fs::set_permissions(&short, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    run(nobody.arg("report").arg(&short)).failure(125, &["Permission denied", "a file that you may read"]);
}
