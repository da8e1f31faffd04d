//! The latency tracers: the longest section is measured as the program itself does, and its trace is kept.

use super::*;
use std::time::Duration;

/// The program with sections of known lengths.
const SOURCE: &str = concat!(include_str!("../programs/measured.c"), include_str!("../programs/latency.c"));

/// A session, and the program with sections of known lengths.
pub(super) struct Measured {
    pub(super) session: Persistent,
    program: String,
    /// Of which instance: the default one, or the tree's top level.
    instance: &'static [&'static str],
}

/// What a program has said of its section, in ns: that it lasted at least so long, and at most.
pub(super) struct Section {
    tid: u64,
    least: u64,
    most: u64,
}

impl Measured {
    pub(super) fn new(instance: &'static [&'static str]) -> Measured {
        Measured::of(instance, SOURCE)
    }

    /// With another program.
    pub(super) fn of(instance: &'static [&'static str], source: &str) -> Measured {
        let options = &["-e", "sched_process_exit", "--snapshots", "2", "--snapshot-on", "none"];
        let session = Persistent::new(options);
        let program = compile(&session.scratch, "latency", source, &["-O1", "-pthread"]);
        Measured { program: program.to_str().unwrap().to_string(), session, instance }
    }

    #[track_caller]
    pub(super) fn set(&self, file: &str, value: &str) {
        self.session.done("set", &[self.instance, &[file, value]].concat());
    }

    #[track_caller]
    pub(super) fn get(&self, file: &str) -> String {
        self.session.done("get", &[self.instance, &[file]].concat()).stdout
    }

    /// Runs the program with a section of this kind, until it is shown: where all memory is in use just then,
    /// as somebody reads, its trace isn't kept. The thread whose it is.
    #[track_caller]
    fn run_until_shown(&self, kind: &str, is_shown: impl Fn(u64) -> bool) -> u64 {
        for _ in 0..20 {
            self.set("tracing_max_latency", "0");
            let Section { tid, .. } = self.run(kind);
            if (0..100).map(|_| std::thread::sleep(Duration::from_millis(20))).any(|()| is_shown(tid)) {
                return tid;
            }
        }
        panic!("{kind} is never shown");
    }

    /// Runs the program with a section of this kind.
    #[track_caller]
    pub(super) fn run(&self, kind: &str) -> Section {
        let printed = self.session.run(&[&self.program, kind]).stdout;
        let numbers: Vec<u64> = printed.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [tid, least, most] = numbers[..] else { panic!("{printed}") };
        assert!(least <= most, "{kind}: {printed}");
        Section { tid, least, most }
    }

    /// Runs it until it was so little disturbed that what was measured is to 1 percent what it has measured
    /// itself. Each time that is between what it has measured within the section and around it: with what
    /// each clock may be off, and in whole microseconds.
    #[track_caller]
    pub(super) fn measure(&self, kind: &str, started_at: &str, ended_at: &str) {
        for _ in 0..100 {
            self.set("tracing_max_latency", "0");
            let Section { tid, least, most } = self.run(kind);
            let measured: u64 = self.get("tracing_max_latency").trim().parse().unwrap();
            let (from, to) = (least - least / 1000, most + most / 1000);
            assert!(
                (from / 1000..=to / 1000).contains(&measured),
                "{kind}: {measured} us, {least} to {most} ns"
            );
            let trace = self.get("trace");
            assert!(trace.contains(&format!("\n# latency: {measured} us, #")), "{kind}: {trace}");
            assert!(trace.contains(&format!("\n#    | task: latency-{tid} (uid:")), "{kind}: {trace}");
            let places = format!("\n#  => started at: {started_at}\n#  => ended at:   {ended_at}\n#\n#\n# ");
            assert!(trace.contains(&places), "{kind}: {trace}");
            if measured * 1000 <= least + least / 100 {
                return;
            }
        }
        panic!("{kind}: the machine never let it run");
    }
}

/// The default instance.
pub(super) const FLIGHT: &[&str] = &["-B", "flight"];

#[test]
fn critical_sections_are_measured() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    measured.set("current_tracer", "preemptoff");
    for (kind, started_at, ended_at) in [
        ("held", "take", "leave"),
        ("overlapping", "take", "leave"),
        ("nested", "take", "leave"),
        ("recursive", "take", "leave"),
        ("trylock", "try", "leave"),
        ("reading", "reading", "reading"),
        ("writing", "writing", "writing"),
        ("spinning", "spinning", "spinning"),
        ("waiting", "waiting", "leave"),
        ("robust", "robust", "leave"),
        ("inheriting", "take", "leave"),
        ("checking", "take", "leave"),
    ] {
        measured.measure(kind, started_at, ended_at);
    }
}

#[test]
fn blocked_signals_are_measured() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    measured.set("current_tracer", "irqsoff");
    measured.measure("masked", "mask", "mask");
    measured.measure("unmasked", "unmasked", "mask");
    measured.set("tracing_max_latency", "0");
    let Section { least, most, .. } = measured.run("handler");
    let longest: u64 = measured.get("tracing_max_latency").trim().parse().unwrap();
    assert!((least / 1001..=most / 999).contains(&longest), "{longest} us, {least} to {most} ns");
    assert!(measured.get("trace").contains("\n#  => started at: in_handler\n"));
    measured.set("tracing_max_latency", "0");
    measured.run("held");
    assert_eq!(measured.get("tracing_max_latency"), "0\n", "a lock blocks no signals");
    measured.set("current_tracer", "preemptirqsoff");
    measured.measure("either", "take", "mask");
}

#[test]
fn the_trace_has_the_kernels_form() {
    if is_missing(&["cc"]) {
        return;
    }
    for instance in [FLIGHT, &[]] {
        let measured = Measured::new(instance);
        measured.set("current_tracer", "irqsoff");
        assert_eq!(measured.get("trace"), "# tracer: irqsoff\n#\n");
        measured.set("current_tracer", "preemptoff");
        let Section { tid, .. } = measured.run("held");
        let trace = measured.get("trace");
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        let latency = measured.get("tracing_max_latency").trim().to_string();
        let (head, lines) = trace.split_once("\n#                    _------=> CPU#            \n").unwrap();
        let cpu = head.split("CPU#").nth(1).unwrap().split(' ').next().unwrap();
        let cpus = head.split("#P:").nth(1).unwrap().split(')').next().unwrap();
        assert_eq!(
            head,
            format!(
                "# tracer: preemptoff\n#\n# preemptoff latency trace v1.1.5 on {release}\n\
                 # --------------------------------------------------------------------\n\
                 # latency: {latency} us, #3/3, CPU#{cpu} | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:{cpus})\n\
                 #    -----------------\n\
                 #    | task: latency-{tid} (uid:0 nice:0 policy:0 rt_prio:0)\n\
                 #    -----------------\n\
                 #  => started at: take\n#  => ended at:   leave\n#\n#"
            )
        );
        let (legend, lines) = lines.split_at(lines.find("\n latency").unwrap() + 1);
        let expected = [
            "#                   / _-----=> irqs-off/BH-disabled",
            "#                  | / _----=> need-resched    ",
            "#                  || / _---=> hardirq/softirq ",
            "#                  ||| / _--=> preempt-depth   ",
            "#                  |||| / _-=> migrate-disable ",
            "#                  ||||| /     delay           ",
            "#  cmd     pid     |||||| time  |   caller     ",
            "#     \\   /        ||||||  \\    |    /       ",
        ];
        assert_eq!(legend.lines().collect::<Vec<_>>(), expected);
        let lines: Vec<&str> = lines.lines().collect();
        let prefix = format!(" latency-{tid:<7} ");
        let is = |line: &str, flags: &str, ending: &str| {
            let rest = line.strip_prefix(&prefix).unwrap_or_else(|| panic!("{trace}"));
            let (cpu, rest) = (rest[..3].trim(), &rest[3..]);
            assert!(
                cpu.parse::<u32>().is_ok() && rest.starts_with(flags) && rest.ends_with(ending),
                "{trace}"
            );
            rest[flags.len()..].trim_start().split("us").next().unwrap().parse::<u64>().unwrap()
        };
        let end = |name: &str| lines.iter().position(|line| line.contains(name)).unwrap();
        assert_eq!((end(": pthread_mutex_lock"), end(": pthread_mutex_unlock")), (0, 1), "{trace}");
        is(lines[0], "...1.", " <-take");
        // Times of events follow the system's clock, which is adjusted, and durations the processor's.
        let latency: u64 = latency.parse().unwrap();
        assert!(is(lines[1], "...1.", " <-leave").abs_diff(latency) <= 1 + latency / 1000, "{trace}");
        is(lines[2], "...1.", "us : <stack trace>");
        assert_eq!(lines[3], " => leave");
        measured.set("options/latency-format", "0");
        assert!(measured.get("trace").contains("\n# entries-in-buffer/entries-written: 3/3   #P:"));
    }
}

#[test]
fn only_what_is_longer_is_kept_and_recording_goes_on() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    let task =
        || measured.get("trace").split("task: ").nth(1).unwrap().split(' ').next().unwrap().to_string();
    measured.set("current_tracer", "preemptoff");
    // What was recorded before is not of the section.
    measured.run("masked");
    let first = measured.run("held");
    let kept = format!("latency-{}", first.tid);
    assert_eq!(task(), kept);
    // A thread that ends is seen by an event.
    assert!(measured.session.done("show", &[]).stdout.contains(&format!("{kept} ")));
    measured.set("tracing_max_latency", "60000000");
    measured.run("held");
    assert_eq!((task(), measured.get("tracing_max_latency")), (kept.clone(), "60000000\n".into()));
    measured.set("tracing_on", "0");
    measured.set("tracing_max_latency", "0");
    measured.run("held");
    assert_eq!((task(), measured.get("tracing_max_latency")), (kept, "0\n".into()));
    measured.set("tracing_on", "1");
    // With a threshold it is the last one that is as long, not the longest.
    measured.set("tracing_thresh", "6000");
    measured.set("tracing_max_latency", "60000000");
    let last = measured.run("held");
    assert_eq!(task(), format!("latency-{}", last.tid));
    let longest: u64 = measured.get("tracing_max_latency").trim().parse().unwrap();
    assert!((last.least / 1001..=last.most / 999).contains(&longest));
    measured.set("tracing_thresh", "0");
    measured.set("trace", "");
    assert_eq!(measured.get("trace"), "# tracer: preemptoff\n#\n");
    assert_eq!(measured.get("tracing_max_latency"), format!("{longest}\n"));
    measured.set("current_tracer", "nop");
    assert!(measured.get("trace").starts_with("# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0 "));
    assert_eq!(measured.get("tracing_max_latency"), format!("{longest}\n"));
}

#[test]
fn snapshots_are_busy_and_those_of_programs_are_kept_apart() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    let busy = |command: &str, file: &str, value: &[&str]| {
        let options = [FLIGHT, &[file], value].concat();
        run(&mut measured.session.task(command, &options)).failure(125, &["Device or resource busy"]);
    };
    measured.session.done("snapshot", &["-s", "-q"]);
    measured.set("current_tracer", "preemptoff");
    for value in ["0", "1", "2", "7"] {
        busy("set", "snapshot", &[value]);
    }
    busy("set", "per_cpu/cpu0/snapshot", &["1"]);
    busy("set", "snapshot_enabled", &["0"]);
    for file in ["snapshot", "per_cpu/cpu0/snapshot", "per_cpu/cpu0/snapshot_raw"] {
        busy("get", file, &[]);
    }
    run(&mut measured.session.task("set", &["current_tracer", "irqsoff"]))
        .failure(125, &["another instance has a latency tracer"]);
    measured.run("held");
    measured.set("tracing_max_latency", "0");
    measured.run("nested");
    let listed = measured.session.done("snapshots", &["--json"]).stdout;
    assert_eq!(listed.matches("\"by\":\"latency\"").count(), 1, "{listed}");
    assert_eq!(listed.matches("\"by\":\"process\"").count(), 1, "{listed}");
    measured.session.done("snapshot", &["-s", "-q"]);
    let listed = measured.session.done("snapshots", &["--json"]).stdout;
    assert_eq!(listed.matches("\"by\":\"latency\"").count(), 1, "{listed}");
    measured.set("current_tracer", "nop");
    let listed = measured.session.done("snapshots", &["--json"]).stdout;
    assert_eq!((listed.matches("\"by\":").count(), listed.matches("\"by\":\"process\"").count()), (1, 1));
}

#[test]
fn the_longest_is_shown_with_who_waited() {
    if is_missing(&["cc"]) {
        return;
    }
    let measured = Measured::new(FLIGHT);
    run(&mut measured.session.task("latency", &[]))
        .failure(125, &["no latency tracer is current, but nop", "current_tracer preemptoff` chooses one"]);
    measured.set("current_tracer", "preemptoff");
    assert_eq!(measured.session.done("latency", &[]).stdout, "preemptoff: no section has ended yet\n");
    assert_eq!(measured.session.done("latency", &["--json"]).stdout, "null\n");
    let followed = start(&mut measured.session.task("latency", &["-p", "--json"]));
    // Shorter ones of the same program come before it.
    let of = |tid: u64| format!("\"pid\":{tid},\"comm\":\"latency\",\"cpu\":");
    let whole_line = |parts: &[&str]| {
        let shown = followed.printed();
        shown.lines().any(|line| line.ends_with("\"]}") && parts.iter().all(|part| line.contains(part)))
    };
    let places = "\"started_at\":\"take\",\"ended_at\":\"leave\",";
    let tid = measured.run_until_shown("held", |tid| whole_line(&[&of(tid), places]));
    let text = measured.session.done("latency", &[]).stdout;
    assert!(
        text.starts_with("preemptoff: ") && text.contains(&format!(" in latency-{tid}, on CPU ")),
        "{text}"
    );
    assert!(text.contains("\n  started at  take\n  ended at    leave\n  stack       leave < "), "{text}");
    measured.session.done("set", &["@lock", "on"]);
    let with_waiter = format!("{places}\"waiters\":[{{\"pid\":");
    let stack = "\"stack\":[\"leave\",\"wanted\",\"main\",";
    measured.run_until_shown("wanted", |tid| whole_line(&[&of(tid), &with_waiter, stack]));
    let text = measured.session.done("latency", &[]).stdout;
    assert!(text.contains("\n  waited for  by waiter-"), "{text}");
    measured.set("current_tracer", "nop");
    followed.wait().success();
}

#[test]
fn a_recording_has_all_sections() {
    if is_missing(&["cc"]) {
        return;
    }
    let scratch = Scratch::new();
    let program = compile(&scratch, "latency", SOURCE, &["-O1", "-pthread"]);
    let outcome = run(&mut scratch.record(&["-p", "preemptoff"], &[program.to_str().unwrap(), "nested"]));
    assert!(outcome.stderr.contains("\n  longest  preemptoff: "), "{outcome:?}");
    let report = run(&mut scratch.report(&[])).success().stdout;
    assert_eq!(report.matches(": pthread_mutex_lock").count(), 2, "{report}");
    assert_eq!(report.matches(": pthread_mutex_unlock").count(), 2, "{report}");
    assert!(report.contains(" <-take\n") && report.contains(" <-leave\n"), "{report}");
}
