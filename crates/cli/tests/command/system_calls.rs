//! Events of system calls: the files of the control tree, which are enabled by what, and how records are
//! shown. The records are written here.

use crate::common::*;
use ring_buffer::{RecordBuffer, Writer, WriterThread};
use session::{EventInfo, Instance, Session, SessionOptions};
use std::path::PathBuf;
use std::process::Command;

const READ: u32 = 0;
const RT_SIGRETURN: u32 = 15;
const OPENAT: u32 = 257;

/// A session of the test's own.
struct Own {
    scratch: Scratch,
}

impl Own {
    fn new() -> Own {
        let scratch = Scratch::new();
        let options =
            SessionOptions { buffer_kb: 64, snapshots: 1, instances: 2, ..SessionOptions::default() };
        Session::create(&scratch.path("session"), &options).unwrap();
        Own { scratch }
    }

    fn instance(&self) -> Instance {
        Instance::open(&self.scratch.path("session")).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session"));
        command
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        run(&mut self.command(arguments)).success().stdout
    }

    #[track_caller]
    fn get(&self, path: &str) -> String {
        self.done(&["get", path])
    }

    #[track_caller]
    fn set(&self, arguments: &[&str]) {
        self.done(&[&["set"], arguments].concat());
    }

    /// The events of system calls that are enabled in the default instance.
    fn enabled(&self) -> Vec<String> {
        let is_it = |event: &EventInfo| event.enabled && event.system.ends_with("syscalls");
        self.instance().events().filter(is_it).map(|event| event.name).collect()
    }

    /// How many events calls have of their own.
    fn known(&self) -> usize {
        let known = self.get("available_events");
        known.lines().filter(|line| line.starts_with("syscalls:sys_")).count()
    }

    /// Writes records of a thread, one after the other on one CPU: event and words.
    fn write(&self, records: &[(u16, &[u64])]) {
        let writer = Writer::new(self.instance().into_buffer());
        let here = rustix::thread::sched_getaffinity(None).unwrap();
        let mut one = rustix::thread::CpuSet::new();
        one.set((0..1024).find(|cpu| here.is_set(*cpu)).unwrap());
        rustix::thread::sched_setaffinity(None, &one).unwrap();
        for (id, words) in records {
            let mut record = RecordBuffer::<8>::new();
            record.push(abi::common::word(*id, 0, 0, 77));
            words.iter().for_each(|word| record.push(*word));
            let thread =
                WriterThread { area: rseq::Area::current(), identity: u64::from(std::process::id()) };
            writer.write(thread, record.event()).unwrap();
        }
        rustix::thread::sched_setaffinity(None, &here).unwrap();
    }

    /// Writes what was recorded to a file: where.
    #[track_caller]
    fn extract(&self) -> PathBuf {
        let file = self.scratch.outside("trace.dat");
        run(self.command(&["extract", "-o"]).arg(&file)).success();
        file
    }

    /// Writes some calls: one that fails, one that a signal interrupts, and all calls' events of one.
    fn write_calls(&self) {
        let own = |number| events::system_call::events_of(number).unwrap();
        let (read, openat) = (own(READ), own(OPENAT));
        let number = u64::from(OPENAT);
        self.write(&[
            (openat.enter, &[number, 0xffff_ff9c, 0x7ffd_0000_1000, 0, 0x1b6]),
            (openat.exit, &[number, -2_i64 as u64]),
            (read.enter, &[0, 3, 0x7ffd_0000_2000, 10]),
            (own(RT_SIGRETURN).enter, &[u64::from(RT_SIGRETURN)]),
            (read.exit, &[0, 10]),
            (events::system_call::ENTER_ID, &[39, 1, 2, 0x7ffd_0000_2000, 0, 0, u64::MAX]),
            (events::system_call::EXIT_ID, &[39, 77]),
        ]);
    }
}

/// The messages of a text in the kernel's form.
fn messages(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split_once(": ")?.1)).collect()
}

const MESSAGES: [&str; 7] = [
    "sys_openat(dfd: 0xffffff9c, filename: 0x7ffd00001000, flags: 0, mode: 0x1b6)",
    "sys_openat -> 0xfffffffffffffffe",
    "sys_read(fd: 3, buf: 0x7ffd00002000, count: 0xa)",
    "sys_rt_sigreturn()",
    "sys_read -> 0xa",
    "sys_enter: NR 39 (1, 2, 7ffd00002000, 0, 0, ffffffffffffffff)",
    "sys_exit: NR 39 = 77",
];

#[test]
fn each_call_has_its_directories() {
    let own = Own::new();
    let names = own.done(&["ls", "events/syscalls"]);
    for file in ["sys_enter_openat/", "sys_exit_openat/", "sys_enter_newuname/", "enable", "filter"] {
        assert!(names.lines().any(|name| name == file), "{file} is not among\n{names}");
    }
    let files = own.done(&["ls", "events/syscalls/sys_enter_openat"]);
    for file in ["enable", "filter", "format", "id", "trigger"] {
        assert!(files.lines().any(|name| name == file), "{file} is not among\n{files}");
    }
    let format = own.get("events/raw_syscalls/sys_enter/format");
    assert!(format.contains("\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"), "{format}");
    let id = own.get("events/syscalls/sys_enter_openat/id");
    assert!(own.get("events/syscalls/sys_enter_openat/format").contains(&format!("\nID: {id}")));
    assert!(own.known() > 700);
    assert_eq!(own.known(), names.lines().filter(|name| name.ends_with('/')).count());
}

#[test]
fn files_enable_them() {
    let own = Own::new();
    let enabled = || own.get("set_event").lines().filter(|line| line.contains("syscalls:")).count();
    own.set(&["events/syscalls/enable", "1"]);
    assert_eq!((enabled(), own.get("events/syscalls/sys_exit_close/enable")), (own.known(), "1\n".into()));
    own.set(&["--append", "set_event", "!syscalls:*"]);
    assert_eq!((enabled(), own.get("events/syscalls/enable")), (0, "0\n".into()));
    own.set(&["--append", "set_event", "sys_exit_openat"]);
    assert_eq!((enabled(), own.get("events/syscalls/enable")), (1, "X\n".into()));
    own.set(&["events/syscalls/sys_exit_openat/enable", "0"]);
    own.set(&["events/raw_syscalls/sys_enter/enable", "1"]);
    assert_eq!((enabled(), own.get("events/raw_syscalls/enable")), (1, "X\n".into()));
}

#[test]
fn names_and_classes_enable_them_and_the_default_does_not() {
    let own = Own::new();
    let is_on = |name: &str| own.enabled().contains(&name.to_string());
    own.set(&["@default", "on"]);
    assert_eq!(own.enabled(), [""; 0], "they are on request");
    own.set(&["@syscalls", "on"]);
    assert_eq!(own.enabled().len(), own.known(), "all but those that all calls have");
    own.set(&["@syscalls:file", "off"]);
    assert!(!is_on("sys_enter_openat") && is_on("sys_enter_connect"));
    own.set(&["@syscalls", "off"]);
    own.set(&["raw_syscalls", "on"]);
    assert_eq!(own.enabled(), ["sys_enter", "sys_exit"]);
    own.set(&["@raw_syscalls", "off"]);
    own.set(&["syscalls:sys_*_openat", "on"]);
    assert_eq!(own.enabled(), ["sys_enter_openat", "sys_exit_openat"]);
    let said = run(&mut own.command(&["set", "syscalls:sys_enter_opnat", "on"]));
    said.failure(125, &["syscalls:sys_enter_openat"]);
    let listed = own.done(&["list", "--events"]);
    assert!(
        listed.lines().any(|line| line == "syscalls:sys_enter_openat        on   @syscalls:file"),
        "{listed}"
    );
}

#[test]
fn they_have_filters_triggers_and_instances() {
    let own = Own::new();
    own.set(&["events/syscalls/sys_exit_openat/filter", "ret == -2"]);
    assert_eq!(own.get("events/syscalls/sys_exit_openat/filter"), "ret == -2\n");
    own.set(&["events/raw_syscalls/sys_enter/filter", "id == 257"]);
    assert_eq!(own.get("events/raw_syscalls/sys_enter/filter"), "id == 257\n");
    let said = run(&mut own.command(&["set", "events/syscalls/sys_enter_openat/filter", "path == 1"]));
    said.failure(125, &["path"]);
    own.set(&["events/syscalls/sys_enter_openat/trigger", "snapshot if flags & 0x40"]);
    assert!(own.instance().control().system_calls_wanted(), "also without a record");
    own.set(&["events/syscalls/sys_enter_openat/trigger", "!snapshot"]);
    assert!(!own.instance().control().system_calls_wanted());
    let other = own.instance().session().create_instance("other").unwrap();
    own.set(&["-B", "other", "syscalls:sys_enter_read", "on"]);
    assert!(own.instance().control().system_calls_wanted());
    assert!(own.instance().control().wanted_system_call(READ).enter);
    assert!(!own.instance().control().wanted_system_call(READ).exit);
    drop(other);
    own.instance().session().remove_instance("other").unwrap();
    assert!(!own.instance().control().system_calls_wanted());
}

#[test]
fn records_are_shown_as_the_kernel_shows_them() {
    let own = Own::new();
    own.write_calls();
    let text = own.get("trace");
    assert_eq!(messages(&text), MESSAGES, "{text}");
    own.set(&["options/verbose", "1"]);
    let text = own.get("trace");
    assert!(text.contains(": sys_read(unsigned int fd: 3, char * buf: 0x7ffd00002000, size_t count: 0xa)\n"));
    own.set(&["options/verbose", "0"]);
    own.set(&["options/fields", "1"]);
    let text = own.get("trace");
    assert!(text.contains(": sys_exit_read: __syscall_nr=0x0 (0) ret=0xa (10)\n"), "{text}");
    own.set(&["options/fields", "0"]);
    own.set(&["tracing_on", "0"]);
    assert_eq!(messages(&own.done(&["cat", "trace_pipe"])), MESSAGES);
}

#[test]
fn calls_are_paired_and_counted() {
    let own = Own::new();
    own.write_calls();
    own.extract();
    let report = |options: &[&str]| run(&mut own.scratch.report(options)).success().stdout;
    let text = report(&[]);
    assert_eq!(messages(&text), MESSAGES, "{text}");
    let calls = report(&["--calls"]);
    let calls: Vec<&str> =
        messages(&calls).into_iter().map(|call| call.split(" <").next().unwrap()).collect();
    let expected = [
        "sys_openat(dfd=0xffffff9c, filename=0x7ffd00001000, flags=0, mode=438) = -2 ENOENT",
        "sys_read(fd=3, buf=0x7ffd00002000, count=10) = 10",
        "  sys_rt_sigreturn() = ?",
        "NR 39(args={0x1, 0x2, 0x7ffd00002000, 0x0, 0x0, 0xffffffffffffffff}) = 77",
    ];
    assert_eq!(calls, expected);
    let pairs = report(&["--pair", "syscalls:*"]);
    for name in ["syscalls:sys_enter_openat", "syscalls:sys_enter_read"] {
        assert!(pairs.lines().any(|line| line.starts_with(name)), "{pairs}");
    }
    assert!(report(&["--pair", "raw_syscalls"]).contains("raw_syscalls:sys_enter"));
    let stat = report(&["--stat"]);
    assert!(stat.lines().any(|line| line.starts_with("syscalls:sys_exit_openat ")), "{stat}");
    let json = report(&["--json", "-e", "sys_enter_openat", "-e", "raw_syscalls:sys_enter"]);
    assert!(json.contains("\"fields\":{\"__syscall_nr\":257,\"dfd\":4294967196,"), "{json}");
    assert!(json.contains("\"args\":[1,2,140724603461632,0,0,18446744073709551615]"), "{json}");
    let failed = report(&["-F", "sys_exit_openat: ret < 0"]);
    assert_eq!(messages(&failed), [MESSAGES[1]], "{failed}");
    let tree = report(&["--tree"]);
    let counts = tree.lines().find_map(|line| line.strip_suffix("77  <...>"));
    let counts: Vec<&str> = counts.unwrap().split_whitespace().rev().take(2).collect();
    assert_eq!(counts, ["1", "4"], "errors and calls of\n{tree}");
}

#[test]
fn trace_cmd_shows_them() {
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let own = Own::new();
    own.write_calls();
    let file = own.extract();
    let mut command = own.scratch.command("trace-cmd");
    let shown = run(command.args(["report", "-i"]).arg(file)).success();
    for message in [
        "dfd: 0xffffff9c, filename: 0x7ffd00001000, flags: 0x00000000, mode: 0x000001b6",
        "sys_exit_openat:",
        "NR 39 (1, 2, 7ffd00002000, 0, 0, ffffffffffffffff)",
        "NR 39 = 77",
    ] {
        assert!(shown.stdout.contains(message), "{message} is not in\n{}", shown.stdout);
    }
    assert!(!shown.stdout.contains("FAILED TO PARSE"), "{}", shown.stdout);
}
