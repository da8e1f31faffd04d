//! Programs that consume records of tracepoints where they lie, by the library for C and Rust.

use crate::common::*;
use crate::formats::{STRINGS, compiled};
use crate::functions::path;
use rustix::process::Signal;
use session::Instance;
use std::path::{Path, PathBuf};
use std::process::Command;

const PRODUCERS: &str = include_str!("programs/ktrace_producers.c");
const RELOADER: &str = include_str!("programs/ktrace_reload.c");
const CONSUMER: &str = include_str!("../../../../examples/c/ktrace_consumer.c");

/// A session that records tracepoints, a consumer in C, and programs that trace.
struct Consumed {
    scratch: Scratch,
    library: PathBuf,
}

impl Consumed {
    fn new() -> Consumed {
        let scratch = Scratch::new();
        compiled(&scratch, "gcc -std=gnu11 -pthread", PRODUCERS, "producers");
        compiled(&scratch, "g++ -x c++ -std=c++17 -DPLUGIN -shared -fPIC", PRODUCERS, "plugin.so");
        let prefix = install_c_library(&scratch);
        let consumed = Consumed { library: prefix.join("lib"), scratch };
        let source = consumed.scratch.write("consumer.c", CONSUMER);
        let mut cc = consumed.scratch.command("gcc");
        cc.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"]).arg(consumed.scratch.path("consumer"));
        cc.arg("-I").arg(prefix.join("include")).arg(source).arg("-L").arg(&consumed.library);
        cc.arg("-llookback");
        run(&mut cc).success();
        run(&mut consumed.lookback(&["start", "-q", "-e", "ktrace:*", "-b", "256"])).success();
        consumed
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.session());
        command
    }

    fn session(&self) -> PathBuf {
        self.scratch.path("session")
    }

    fn program(&self, name: &str) -> String {
        self.scratch.path(name).to_str().unwrap().to_string()
    }

    /// The consumer, once it consumes.
    fn consumer(&self) -> Running {
        let mut command = self.scratch.command(self.program("consumer"));
        command.arg(self.session()).env("LD_LIBRARY_PATH", &self.library);
        let mut running = start(&mut command);
        running.wait_for("consuming");
        running
    }

    /// A program that traces in so many threads, so often.
    fn c_producer(&self, threads: &str, times: &str) -> Command {
        let (program, plugin) = (self.program("producers"), self.program("plugin.so"));
        self.lookback(&["run", "--", &program, threads, times, &plugin])
    }

    /// Events that were consumed, were overwritten and are there: of all CPUs and lanes.
    fn counted(&self) -> [u64; 3] {
        let session = Instance::open(&self.session()).unwrap();
        let buffer = session.buffer();
        let all = (0..buffer.geometry().blocks()).map(|block| buffer.statistics(block));
        all.fold([0; 3], |[read, overrun, entries], found| {
            [read + found.read, overrun + found.overrun, entries + found.entries]
        })
    }
}

/// The number at the end of what a program has printed.
fn last_number(outcome: Outcome) -> u64 {
    outcome.success().stdout.trim().rsplit([' ', '\n']).next().unwrap().parse().unwrap()
}

/// Ends a consumer, and gives what it has printed.
fn ended(consumer: Running) -> String {
    consumer.signal(Signal::TERM);
    consumer.wait().success().stdout
}

#[test]
fn nothing_is_lost_that_is_not_counted_with_four_processes_at_full_speed() {
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    let rust = build_example("producers", &[]);
    let consumer = consumed.consumer();
    let producers = |threads: &str, times: &str| {
        [consumed.c_producer(threads, times), consumed.lookback(&["run", "--", &rust, threads, times])]
    };
    let mut commands: Vec<Command> = (0..2).flat_map(|_| producers("2", "3000")).collect();
    let running: Vec<Running> = commands.iter_mut().map(start).collect();
    let mut produced: u64 = running.into_iter().map(|producer| last_number(producer.wait())).sum();
    assert_eq!(produced, 2 * 3000 * 2 * (34 + 33 + 33));
    // Of those at full speed all of one language may be overwritten. Of these few nothing is.
    produced += producers("1", "1").iter_mut().map(|producer| last_number(run(producer))).sum::<u64>();
    let printed = ended(consumer);
    let (counts, total) = printed.trim().rsplit_once('\n').unwrap();
    let total: u64 = total.strip_prefix("consumed ").unwrap().parse().unwrap();
    assert_eq!(consumed.counted(), [total, produced - total, 0]);
    // Of all languages, though the library is gone by now.
    let lines: Vec<&str> = counts.lines().collect();
    for (language, count) in [("C at %s", 34), ("C++ at %p", 33), ("Rust at %s", 33)] {
        let found = lines.iter().filter(|line| line.ends_with(&format!(" of '%u of {language}'"))).count();
        assert_eq!(found, count, "{printed}");
    }
    let overflow = run(&mut consumed.lookback(&["get", "ktrace/overflow"])).success().stdout;
    assert_eq!(overflow, format!("{}\n", produced - total));
}

#[test]
fn a_consumer_that_is_killed_at_any_moment_loses_nothing_that_is_not_counted() {
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    let (mut produced, mut kills) = (0, 0);
    // However slowly consumers start here, some have read by the time that they are killed.
    while kills < 20 || (consumed.counted()[0] == 0 && kills < 1000) {
        let mut producing = start(&mut consumed.c_producer("2", "20000"));
        while producing.printed().is_empty() {
            let consumer = consumed.consumer();
            std::thread::sleep(std::time::Duration::from_micros(700 * kills));
            consumer.signal(Signal::KILL);
            consumer.wait();
            kills += 1;
        }
        producing.wait_for("\n");
        produced += last_number(producing.wait());
    }
    let [read, overrun, entries] = consumed.counted();
    assert_eq!(read + overrun + entries, produced);
    assert!(read > 0, "{kills}");
    // The next one gets what is there, and all of it.
    let printed = ended(consumed.consumer());
    assert!(printed.ends_with(&format!("consumed {entries}\n")), "{entries}: {printed}");
    assert_eq!(consumed.counted(), [read + entries, overrun, 0]);
}

/// What a tracepoint of a library that is loaded and closed has recorded the so-manyth time, the libraries by
/// turns.
fn reloaded(number: u32) -> Vec<String> {
    match number % 2 {
        0 => vec![format!("of_first: first {number} of the first library")],
        _ => vec![
            format!("of_second: another text has {number} in the second"),
            format!("of_second_too: second {number:#x}"),
        ],
    }
}

#[test]
fn libraries_come_and_go_while_their_records_are_decoded() {
    const TIMES: u32 = 1000;
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    run(&mut consumed.lookback(&["start", "-q", "-B", "other", "-e", "ktrace:*"])).success();
    compiled(&consumed.scratch, "gcc -std=gnu11", RELOADER, "reload");
    let library = |name: &str, number: u32| {
        let words = format!("gcc -std=gnu11 -DPLUGIN={number} -shared -fPIC");
        compiled(&consumed.scratch, &words, RELOADER, name);
        consumed.program(name)
    };
    let [first, second] = [library("first.so", 1), library("second.so", 2)];
    // One has the records where they lie and the formats of their ids, the other one their text.
    let consumer = consumed.consumer();
    let pipe = start(&mut consumed.lookback(&["show", "-p", "-B", "other"]));
    let program = consumed.program("reload");
    let times = TIMES.to_string();
    let produced =
        last_number(run(&mut consumed.lookback(&["run", "--", &program, &times, &first, &second])));
    let expected: Vec<String> = (0..TIMES).flat_map(reloaded).collect();
    assert_eq!(produced, expected.len() as u64);
    let texts = || {
        let printed = pipe.printed();
        let of_libraries = |line: &&str| line.ends_with('\n') && line.contains(": of_");
        let texts = printed.split_inclusive('\n').filter(of_libraries);
        texts.map(|line| line[line.find("of_").unwrap()..].trim_end().to_owned()).collect::<Vec<_>>()
    };
    pipe.wait_until(|| texts().len() >= expected.len());
    // They may be on several CPUs.
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    assert_eq!(sorted(texts()), sorted(expected));
    pipe.signal(Signal::INT);
    pipe.wait();
    let printed = ended(consumer);
    let half = TIMES / 2;
    for format in ["first %u of %s", "%s has %u in the second", "second %#x"] {
        assert!(printed.contains(&format!("{half} of '{format}'\n")), "{printed}");
    }
    assert!(printed.ends_with(&format!("consumed {produced}\n")), "{printed}");
    // However often they came, each has one id, and nobody has it now.
    let info = run(&mut consumed.lookback(&["get", "ktrace/info"])).success().stdout;
    let lines: Vec<&str> = info.lines().filter(|line| line.contains(" 'of_")).collect();
    assert!(lines.len() == 3 && lines.iter().all(|line| line.ends_with(" disabled")), "{info}");
}

#[test]
fn a_second_consumer_is_refused_and_a_wrong_session_too() {
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    let consumer = consumed.consumer();
    let refused = |session: &Path| {
        let mut command = consumed.scratch.command(consumed.program("consumer"));
        run(command.arg(session).env("LD_LIBRARY_PATH", &consumed.library))
    };
    refused(&consumed.session()).failure(1, &["lookback_consumer_open: Device or resource busy"]);
    refused(Path::new("./nowhere")).failure(1, &["lookback_consumer_open: No such file or directory"]);
    run(&mut consumed.lookback(&["show", "-p"])).failure(125, &["session"]);
    ended(consumer);
}

#[test]
fn who_traces_makes_no_system_call_for_a_consumer() {
    if is_missing(&["gcc", "g++", "strace"]) {
        return;
    }
    let consumed = Consumed::new();
    let consumer = consumed.consumer();
    let calls = |times: &str| {
        let log = consumed.scratch.path("calls");
        let (program, plugin) = (consumed.program("producers"), consumed.program("plugin.so"));
        let strace = ["run", "--", "strace", "-f", "-qq", "-o", log.to_str().unwrap()];
        run(consumed.lookback(&strace).args([&program, "1", times, &plugin])).success();
        std::fs::read_to_string(log).unwrap().lines().count()
    };
    let (few, many) = (calls("1"), calls("2000"));
    assert!(many < few + 20, "{few} for 67 records, {many} for 134000");
    let printed = ended(consumer);
    let [read, overrun, _] = consumed.counted();
    assert_eq!(read + overrun, 67 + 134_000);
    assert!(printed.ends_with(&format!("consumed {read}\n")), "{printed}");
}

#[test]
fn ids_that_are_used_up_are_counted_and_the_others_consumed() {
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    let lines: String = (0..4200).map(|number| format!("T(many_{number})\n")).collect();
    let source = format!(
        "#include <lookback.h>\n#define T(name) DO_TRACE(name, \"%d\", 1);\nint main(void)\n{{\n{lines}return 0;\n}}\n"
    );
    let program = compiled(&consumed.scratch, "gcc -std=gnu11 -O0", &source, "many");
    let consumer = consumed.consumer();
    run(&mut consumed.lookback(&["run", "--", program.to_str().unwrap()])).success();
    let printed = ended(consumer);
    let info = run(&mut consumed.lookback(&["get", "ktrace/info"])).success().stdout;
    let known = info.lines().filter(|line| line.starts_with("name 'many_")).count() as u64;
    assert!((2000..4096).contains(&known), "{known}");
    let [read, overrun, _] = consumed.counted();
    assert_eq!(read + overrun, known);
    assert!(printed.ends_with(&format!("consumed {read}\n")));
    // A recording reports those that have none.
    let recorded = run(&mut consumed.scratch.record(&["-e", "ktrace:*"], &[program.to_str().unwrap()]));
    let refused = 4200 - known;
    let report = format!("{},{:03} kinds of events not recorded", refused / 1000, refused % 1000);
    assert!(recorded.success().stderr.contains(&report), "{report}");
}

#[test]
fn rust_programs_consume_by_the_same_crate() {
    if is_missing(&["gcc", "g++"]) {
        return;
    }
    let consumed = Consumed::new();
    let producer = build_example("producers", &[]);
    run(&mut consumed.lookback(&["run", "--", "taskset", "-c", "0", &producer, "1", "1"])).success();
    let mut consumer = consumed.scratch.command(build_client_example());
    let printed = run(consumer.arg("0").arg(consumed.session())).success().stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 33);
    // The number 0, and the text "rust_01" with its zero byte.
    assert_eq!(lines[0], "\"%u of Rust at %s\" [00, 00, 00, 00, 72, 75, 73, 74, 5f, 30, 31, 00]");
    assert_eq!(consumed.counted(), [33, 0, 0]);
    // Texts that are longer than most events.
    let program = compiled(&consumed.scratch, "gcc -std=gnu11", STRINGS, "strings");
    run(&mut consumed.lookback(&["run", "--", "taskset", "-c", "0", path(&program), "1"])).success();
    let mut consumer = consumed.scratch.command(build_client_example());
    let printed = run(consumer.arg("0").arg(consumed.session())).success().stdout;
    let texts = printed.lines().filter_map(|line| line.strip_prefix("\"%d: %s.\" ["));
    // The number of 4 bytes, the text and its zero byte.
    let lens: Vec<usize> = texts.clone().map(|bytes| bytes.split(", ").count() - 5).collect();
    assert_eq!(lens, [0, 1, 239, 240, 255, 256, 1000, 4047, 4047, 4047]);
    assert!(texts.clone().nth(8).unwrap().ends_with(", 69, 2e, 2e, 2e, 00]"), "{printed}");
}
