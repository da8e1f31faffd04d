//! Any events of the kernel's, next to those of the program: `record --kernel`.

use crate::common::*;
use crate::kernel_recordings::normal;
use crate::switches::instances_of;
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// A program that reads a file and sleeps.
const PROGRAM: [&str; 3] = ["sh", "-c", "cat /etc/hostname > /dev/null; sleep 0.02"];

/// Lines as `report` and trace-cmd both have them, with the buffer that trace-cmd says it is of.
fn of_trace_cmd(scratch: &Scratch) -> Vec<(bool, String)> {
    let mut report = scratch.command("trace-cmd");
    let report = run(report.args(["report", "-N", "-i"]).arg(scratch.outside("trace.dat"))).success().stdout;
    let lines = report.lines().filter(|line| !line.starts_with("cpus="));
    let of_kernel = |line: &str| line.starts_with("kernel:");
    lines.map(|line| (of_kernel(line), normal(line.strip_prefix("kernel:").unwrap_or(line)))).collect()
}

fn of_report(scratch: &Scratch, options: &[&str]) -> Vec<String> {
    let report = run(&mut scratch.report(options)).success().stdout;
    report.lines().filter(|line| !line.starts_with('#')).map(normal).collect()
}

#[test]
fn are_a_second_buffer_that_trace_cmd_reads_too() {
    if is_missing(&["trace-cmd"]) || is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let kernel = ["--kernel", "sched:*", "--kernel", "signal:*", "--kernel", "task:*"];
    for compress in [&[][..], &["--compress"]] {
        let options = [&["-q", "-e", "@process", "-e", "sched_process_exec"], &kernel[..], compress].concat();
        let recorded = run(&mut scratch.record(&options, &PROGRAM)).success();
        assert_eq!(recorded.stderr, "");
        assert_eq!(instances_of(recorded.pid), Vec::<String>::new(), "it is removed again");
        let theirs = of_trace_cmd(&scratch);
        let mut all: Vec<String> = theirs.iter().map(|(_, line)| line.clone()).collect();
        let mut ours = of_report(&scratch, &[]);
        assert!(ours.len() > 20, "{ours:#?}");
        // Of two at the same time one reader begins with one buffer, the other with the other.
        (ours, all) = (sorted(ours), sorted(all));
        assert_eq!(ours, all);
        for (buffer, is_kernel) in [("kernel", true), ("", false)] {
            let theirs = theirs.iter().filter(|(of_kernel, _)| *of_kernel == is_kernel);
            let theirs: Vec<String> = theirs.map(|(_, line)| line.clone()).collect();
            assert_eq!(of_report(&scratch, &["-B", buffer]), theirs, "{buffer}");
        }
    }
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

#[test]
fn are_merged_by_time_and_known_to_all_views() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let kernel = ["sched:*", "syscalls:*_openat", "timer:hrtimer_start"].map(|event| ["--kernel", event]);
    run(&mut scratch.record(&[&["-q"], &kernel.concat()[..]].concat(), &PROGRAM)).success();
    let trace = scratch.trace();
    assert!(trace.events.is_sorted_by_key(|event| event.time), "{trace:#?}");
    // What libc was asked for the kernel was asked for then.
    let cat: Vec<&Event> = trace.events.iter().filter(|event| event.comm == "cat").collect();
    let call = cat.iter().position(|event| event.text.contains("pathname=\"/etc/hostname\"")).unwrap();
    let before = cat[..call].iter().rev().map(|event| event.name.as_str());
    let names: Vec<&str> = before.take(3).collect();
    assert_eq!(names, ["sys_exit_openat", "sys_enter_openat", "open"], "{cat:#?}");
    let timers: Vec<&Event> = trace.named("hrtimer_start").collect();
    let has_name = |timer: &&Event| timer.get("function") == "hrtimer_wakeup";
    assert!(timers.iter().any(has_name), "functions of the kernel's have names: {timers:#?}");
    let counts = run(&mut scratch.report(&["--stat"])).success().stdout;
    assert!(
        counts.contains("sched:sched_switch") && counts.contains("syscalls:sys_enter_openat"),
        "{counts}"
    );
    let calls = run(&mut scratch.report(&["--calls", "-e", "syscalls:"])).success().stdout;
    assert!(calls.lines().any(|line| line.contains("openat(") && line.contains(" = 3")), "{calls}");
    let waits = run(&mut scratch.report(&["--waits", "--json"])).success().stdout;
    let slept = waits.lines().find(|line| line.contains("\"comm\":\"sleep\",\"kind\":\"sleep\"")).unwrap();
    assert!(!slept.contains("\"off_cpu\":0,") && slept.contains("\"off_cpu\":"), "{slept}");
    let flame =
        run(scratch.lookback(&["flame", "--by", "off-cpu"]).arg(scratch.outside("trace.dat"))).success();
    // That a thread runs again isn't always recorded, where the CPU was idle: of the shell it is likely.
    assert!(flame.stdout.contains("sh;"), "{}", flame.stdout);
}

#[test]
fn are_of_the_recorded_threads_unless_all_are_asked_for() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let other = start(scratch.command("sh").args(["-c", "while :; do sleep 0.001; done"]));
    let switches = |options: &[&str]| {
        let options = [&["-q", "-e", "@process", "--kernel", "sched_switch"], options].concat();
        run(&mut scratch.record(&options, &["sh", "-c", "sleep 0.05; sleep 0.05"])).success();
        let trace = scratch.trace();
        let forks = trace.named("sched_process_fork").map(|event| event.get("child_pid").to_owned());
        let own: Vec<String> = forks.collect();
        let is_own = |event: &Event| {
            ["prev_pid", "next_pid"].iter().any(|field| own.iter().any(|pid| pid == event.get(field)))
        };
        let (ours, others): (Vec<_>, Vec<_>) = trace.named("sched_switch").cloned().partition(is_own);
        (ours.len(), others)
    };
    let (ours, others) = switches(&[]);
    assert!(ours >= 4 && others.is_empty(), "{ours} {others:#?}");
    let (ours, others) = switches(&["--kernel-all"]);
    assert!(ours >= 4 && others.iter().any(|event| event.get("next_pid") != "0"), "{ours} {others:#?}");
    assert!(others.iter().all(|event| event.comm != "<...>"), "they have names: {others:#?}");
    other.signal(Signal::KILL);
    other.wait();
}

#[test]
fn what_lookback_records_itself_is_there_once() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let twice = ["--kernel", "sched:*", "--kernel", "syscalls:sys_*_openat"];
    run(&mut scratch.record(&[&["-q", "-e", "@switch", "-e", "@process"], &twice[..]].concat(), &PROGRAM))
        .success();
    let (own, kernel) = (of_report(&scratch, &["-B", ""]), of_report(&scratch, &["-B", "kernel"]));
    for (event, is_own) in
        [("sched_switch", true), ("sched_process_exec", true), ("sched_stat_runtime", false)]
    {
        let has = |lines: &[String]| lines.iter().any(|line| line.contains(&format!(" {event}: ")));
        assert_eq!((has(&own), has(&kernel)), (is_own, !is_own), "{event}");
    }
    assert!(kernel.iter().any(|line| line.contains("openat(")), "{kernel:#?}");
}

#[test]
fn filters_are_the_kernels_and_refusals_have_a_caret() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let filter = "sched_switch if prev_state == 1 && prev_comm == \"sleep\"";
    run(&mut scratch.record(&["-q", "-e", "@process", "--kernel", filter], &PROGRAM)).success();
    let trace = scratch.trace();
    assert!(trace.named("sched_switch").count() > 0, "{trace:#?}");
    assert!(
        trace.named("sched_switch").all(|event| event.text.starts_with("prev_comm=sleep ")),
        "{trace:#?}"
    );
    for (wanted, said) in [
        ("sched:sched_swich", "no such event:\nsched:sched_swich\n      ^\nsimilar: sched:sched_switch\n"),
        ("shed:sched_switch", "no such event:\nshed:sched_switch\n^\nsimilar: sched:sched_switch\n"),
        ("no_such_event", "no such event:\nno_such_event\n^\n/sys/kernel/tracing/available_events has all"),
        ("@file", "no such event:\n@file\n^\n"),
        (
            "sched_switch if prev_stat == 1",
            "the filter for sched:sched_switch:\nprev_stat == 1\n          ^\nparse_error: Field not found\n",
        ),
    ] {
        let scratch = Scratch::new();
        let failed = run(&mut scratch.record(&["-q", "--kernel", wanted], &["true"])).failure(125, &[said]);
        assert_eq!(instances_of(failed.pid), Vec::<String>::new());
        assert_nothing_left(&scratch, failed.pid);
    }
}

#[test]
fn who_is_not_root_is_told_what_helps() {
    let scratch = Scratch::new();
    let Some(mut command) = as_nobody(&scratch) else { return };
    let file = scratch.outside("trace.dat");
    fs::set_permissions(scratch.outside(""), fs::Permissions::from_mode(0o777)).unwrap();
    command.args(["record", "--kernel", "sched:*", "-o"]).arg(file).args(["--", "true"]);
    run(&mut command).failure(125, &["only root may use the kernel's tracefs", "-e @switch", "-e @syscalls"]);
}

#[test]
fn nothing_is_left_in_the_kernel_whatever_ends_the_recording() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let options = ["-q", "--kernel", "sched:*", "-e", "@switch"];
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let mut command = scratch.record(&options, &["sh", "-c", "echo ready; read line"]);
        let mut running = start(command.stdin(Stdio::piped()));
        running.wait_for("ready\n");
        let pid = running.pid();
        assert_eq!(instances_of(pid).len(), 2, "one for the kernel's events, one for which thread runs");
        let input = running.input();
        running.signal(signal);
        assert_eq!(running.wait().signal(), Some(signal.as_raw()));
        drop(input);
        if signal == Signal::KILL {
            run(&mut Scratch::new().record(&["-q", "--kernel", "sched_switch"], &["true"])).success();
        }
        assert_eq!(instances_of(pid), Vec::<String>::new(), "{signal:?}");
    }
}

#[test]
fn what_the_kernel_overwrites_is_counted() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    let busy = "dd if=/dev/zero of=/dev/null bs=1 count=100000 2> /dev/null";
    let script = format!("echo ready; read line; {busy}; echo done; read line");
    let options = ["-e", "sched_process_exit", "--kernel", "raw_syscalls:*"];
    let mut command = scratch.record(&options, &["sh", "-c", &script]);
    let mut running = start(command.stdin(Stdio::piped()));
    running.wait_for("ready\n");
    // While nobody reads.
    running.signal(Signal::STOP);
    use std::io::Write;
    running.child_input().write_all(b"\n").unwrap();
    running.wait_for("done\n");
    running.signal(Signal::CONT);
    running.child_input().write_all(b"\n").unwrap();
    let recorded = running.wait().success();
    let lost = recorded.stderr.lines().find(|line| line.contains("events of the kernel's were overwritten"));
    let lost = lost.unwrap_or_else(|| panic!("{}", recorded.stderr));
    let count: u64 = lost.split_whitespace().nth(1).unwrap().replace(',', "").parse().unwrap();
    assert!(lost.contains("(--kernel) help") && count > 1000, "{lost}");
    let report = run(&mut scratch.report(&[])).success().stdout;
    let marks = report.lines().filter_map(|line| line.split_once("[LOST ")?.1.split_once(" EVENTS]"));
    assert_eq!(marks.map(|(count, _)| count.parse::<u64>().unwrap()).sum::<u64>(), count);
}

#[test]
fn are_recorded_of_processes_that_run_already() {
    if is_without_tracefs() {
        return;
    }
    let scratch = Scratch::new();
    fs::write(scratch.path("file"), "").unwrap();
    let other = start(scratch.command("sh").args(["-c", "while :; do cat file; sleep 0.01; done"]));
    let pid = other.pid().to_string();
    let mut record = scratch.lookback(&["record", "-q", "--kernel", "sched:sched_process_*", "-e", "@file"]);
    record.arg("-o").arg(scratch.outside("trace.dat")).args(["--pid", &pid, "--duration", "0.5"]);
    run(&mut record).success();
    other.signal(Signal::KILL);
    other.wait();
    let trace = scratch.trace();
    // This kernel's event has the parent only as who has recorded it.
    let forks = trace
        .named("sched_process_fork")
        .filter(|event| event.comm == "sh" && event.get("child_comm") == "sh");
    assert!(forks.count() > 3, "{trace:#?}");
}
