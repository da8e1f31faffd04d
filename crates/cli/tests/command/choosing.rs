//! `lookback report`: which events it shows.

use crate::common::*;

/// Two processes that open files, one of them with a thread, and some that fail to.
fn recorded() -> (Scratch, Trace) {
    let scratch = Scratch::new();
    let script = "cat /etc/passwd /nonexistent; ls /; head -c 5 /etc/passwd; true";
    let (outcome, trace) = scratch.recorded(&["sh", "-c", script]);
    outcome.success();
    (scratch, trace)
}

#[track_caller]
fn shown(scratch: &Scratch, options: &[&str]) -> Vec<Event> {
    Trace::new(&run(&mut scratch.report(options)).success().stdout).events
}

fn those(trace: &Trace, is_meant: impl Fn(&Event) -> bool) -> Vec<Event> {
    trace.events.iter().filter(|event| is_meant(event)).cloned().collect()
}

#[test]
fn filters_look_at_fields() {
    let (scratch, all) = recorded();
    let failed = |event: &Event| {
        event.name.ends_with("_exit") && event.field("ret").is_some_and(|ret| ret.starts_with('-'))
    };
    let opened = |event: &Event| event.name.starts_with("open") && failed(event);
    assert!(!those(&all, opened).is_empty());
    assert_eq!(shown(&scratch, &["-F", "open_exit,openat_exit: ret < 0"]), those(&all, opened));
    assert_eq!(shown(&scratch, &["-F", "libc/open*_exit: ret < 0"]), those(&all, opened));
    let others = those(&all, |event| !opened(event));
    assert_eq!(shown(&scratch, &["-v", "-F", "libc:open*_exit:ret<0"]), others);
    let cat = those(&all, |event| event.comm == "cat" && event.name.starts_with("close"));
    assert!(!cat.is_empty());
    assert_eq!(shown(&scratch, &["-F", "close*: COMM == \"cat\""]), cat);
    assert_eq!(shown(&scratch, &["-F", "close*: COMM == 'cat' && (CPU & CPUS{0} || CPU > 0)"]), cat);
    let path =
        those(&all, |event| event.name.ends_with("_exit") && event.text.contains("pathname=\"/etc/passwd\""));
    assert!(!path.is_empty());
    assert_eq!(shown(&scratch, &["-F", "*_exit: pathname ~ \"/etc/pass*\""]), path);
    let two = those(&all, |event| opened(event) || event.name == "sched_process_exec");
    assert_eq!(shown(&scratch, &["-F", "open*_exit: ret < 0", "-F", "sched_process_exec: pid > 0"]), two);
    assert_eq!(shown(&scratch, &["-F", "open*_exit: ret < 0", "-e", "sched"]), []);
}

#[test]
fn wrong_filters_are_explained() {
    let (scratch, _) = recorded();
    for (filter, parts) in [
        (
            "openat: foo == 1",
            &[
                "the filter for libc:openat:\nfoo == 1\n    ^\nparse_error: Field not found\n",
                "dirfd, pathname, flags",
            ][..],
        ),
        ("openat: flags == ", &["expected FIELD OPERATOR VALUE", "Invalid value (did you forget quotes)?"]),
        ("openat: (flags == 1", &["Too many '('"]),
        ("flags == 1", &["expected EVENT[,EVENT]: FILTER"]),
        ("opneat: flags == 1", &["knows no event called opneat", "libc:openat"]),
        ("*: foo == 1", &["Field not found"]),
    ] {
        let outcome = run(&mut scratch.report(&["-F", filter])).failure(125, parts);
        assert_eq!(outcome.stdout, "", "{filter}");
    }
    run(&mut scratch.report(&["-v"])).failure(125, &["--filter"]);
}

#[test]
fn tasks_are_chosen_by_name_and_by_process() {
    let (scratch, all) = recorded();
    let named = those(&all, |event| ["cat", "ls"].contains(&event.comm.as_str()));
    assert!(!named.is_empty());
    assert_eq!(shown(&scratch, &["-t", "cat", "--comm", "l?"]), named);
    assert_eq!(shown(&scratch, &["-t", "nobody"]), []);
    let pid = all.expect_of("cat", "sched_process_exec", "").pid;
    assert_eq!(shown(&scratch, &["-g", &pid.to_string()]), those(&all, |event| event.pid == pid));
}

#[test]
fn threads_belong_to_their_process() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let source = "#include <pthread.h>\n#include <unistd.h>\n\
        static void *run(void *unused) { return access(\"/thread\", 0) ? unused : 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return pthread_join(t, 0); }\n";
    let program = compile(&scratch, "threads", source, &["-pthread"]);
    run(&mut scratch.record(&["-q"], &[program.to_str().unwrap()])).success();
    let all = scratch.trace();
    let thread = all.expect("access_exit", "pathname=/thread").pid;
    let process = all.expect_of("threads", "sched_process_exec", "").pid;
    assert_ne!(thread, process);
    let both = shown(&scratch, &["--tgid", &process.to_string()]);
    assert_eq!(both, those(&all, |event| [thread, process].contains(&event.pid)));
    assert!(shown(&scratch, &["--tgid", &thread.to_string()]).is_empty(), "a thread is no process");
    let text = run(&mut scratch.report(&["--show-tgid", "-P", &thread.to_string()])).success().stdout;
    let column = format!("({process:>7})");
    assert!(text.lines().filter(|line| !line.starts_with('#')).all(|line| line.contains(&column)), "{text}");
}

#[test]
fn times_are_counted_from_either_end() {
    let (scratch, all) = recorded();
    let seconds = |time: u64| format!("{}.{:06}", time / 1_000_000, time % 1_000_000);
    let (first, last) = (all.events[0].time, all.events.last().unwrap().time);
    let middle = all.events[all.events.len() / 2].time;
    let late = those(&all, |event| event.time >= middle);
    assert_eq!(shown(&scratch, &["--from", &seconds(middle)]), late);
    let early = those(&all, |event| event.time <= middle);
    assert_eq!(shown(&scratch, &["--to", &seconds(middle)]), early);
    let exact = those(&all, |event| event.time == middle);
    assert_eq!(shown(&scratch, &["--time", &format!("{0}..{0}", seconds(middle))]), exact);
    assert_eq!(shown(&scratch, &["--time", "+0..-0"]), all.events);
    // Lines show microseconds: what lies at the edge may be on either side.
    let part = shown(&scratch, &["--time", "+1ms..-1ms"]);
    assert!(part.iter().all(|event| event.time + 1 >= first + 1000 && event.time <= last - 1000 + 1));
    let inner = those(&all, |event| event.time > first + 1001 && event.time + 1001 < last);
    assert!(part.len() >= inner.len() && part.len() < all.events.len());
    for (option, part) in [
        ("--from=yesterday", "expected seconds as shown"),
        ("--time=5", "expected FROM..TO"),
        ("--time=2..1", "is before the time from which"),
    ] {
        run(&mut scratch.report(&[option])).failure(125, &[part]);
    }
    run(&mut scratch.report(&["--time=1..2", "--from=1"])).failure(125, &["cannot be used with"]);
}
