//! The files of `ktrace/buffers` in a mounted tree: records for programs that know the tracer's interface.

use crate::common::*;
use crate::formats::{STRINGS, compiled};
use rustix::process::Signal;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUESTS: &str = include_str!("programs/ktrace_requests.c");
const READER: &str = include_str!("../../../../examples/c/ktrace_reader.c");

/// A session that records tracepoints, mounted, and programs.
struct MountedKtrace {
    scratch: Scratch,
    mounted: PathBuf,
}

impl MountedKtrace {
    fn new(arguments: &[&str]) -> Option<MountedKtrace> {
        if is_missing(&["gcc", "fusermount3"]) {
            return None;
        }
        let scratch = Scratch::new();
        let mounted = scratch.path("mounted");
        fs::create_dir(&mounted).unwrap();
        compiled(&scratch, "gcc -std=gnu11", STRINGS, "strings");
        compiled(&scratch, "gcc -std=gnu11 -D_GNU_SOURCE", REQUESTS, "requests");
        compiled(&scratch, "gcc -std=gnu11", READER, "reader");
        let ktrace = MountedKtrace { scratch, mounted };
        run(ktrace.lookback(&["start", "-q", "-e", "ktrace:*"]).args(arguments)).success();
        run(&mut ktrace.lookback(&["mount", "mounted"])).success();
        Some(ktrace)
    }

    fn lookback(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.lookback(arguments);
        command.env("LOOKBACK_SESSION", self.scratch.path("session"));
        command
    }

    fn program(&self, name: &str) -> String {
        self.scratch.path(name).to_str().unwrap().to_string()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.mounted.join("ktrace").join(name)
    }

    /// Runs the program that traces on one CPU, and gives what is to be read.
    fn traced(&self, times: &str) -> String {
        let program = self.program("strings");
        run(&mut self.lookback(&["run", "--", "taskset", "-c", "0", &program, times])).success().stdout
    }

    fn reader(&self) -> Command {
        let mut reader = self.scratch.command(self.program("reader"));
        reader.arg(self.mounted.join("ktrace")).arg("300");
        reader
    }

    fn overflow(&self) -> u64 {
        fs::read_to_string(self.file("overflow")).unwrap().trim().parse().unwrap()
    }
}

impl Drop for MountedKtrace {
    fn drop(&mut self) {
        run(&mut self.lookback(&["umount", "mounted"]));
    }
}

/// Whether this is a file of the directory that only its owner and group can read.
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().mode() & 0o7777 == 0o440
}

#[test]
fn records_are_read_as_they_were_traced_and_once() {
    let Some(ktrace) = MountedKtrace::new(&[]) else { return };
    assert!(is_private(&ktrace.file("buffers/cpu0")));
    let expected = ktrace.traced("3");
    assert_eq!(expected.lines().count(), 36);
    // Looking takes nothing away.
    let records = run(&mut ktrace.lookback(&["get", "ktrace/buffers/cpu0"])).success();
    assert!(records.stdout.len() > 3 * 1000, "{}", records.stdout.len());
    assert_eq!(run(&mut ktrace.reader()).success().stdout, expected);
    assert_eq!(run(&mut ktrace.reader()).success().stdout, "", "all were consumed");
    let more = ktrace.traced("1");
    assert_eq!(run(&mut ktrace.reader()).success().stdout, more);
    assert_eq!(ktrace.overflow(), 0);
}

#[test]
fn requests_have_the_errors_that_are_documented() {
    let Some(ktrace) = MountedKtrace::new(&[]) else { return };
    ktrace.traced("1");
    let file = ktrace.file("buffers/cpu0");
    let outcome = run(ktrace.scratch.command(ktrace.program("requests")).arg(file)).success();
    let expected = "poll done\nGET_SIZE done\nGET_PRODUCED done\nGET_CONSUMED done\nwithin done\n\
        PUT_PRODUCED ENOTTY\nof 64 bits ENOTTY\nno request ENOTTY\nno address EFAULT\nbeyond ERANGE\n\
        too early ERANGE\nin a record EINVAL\nnothing done\nmmap ENODEV\nanother EBUSY\nPUT_CONSUMED done\n\
        poll ETIME\n";
    assert_eq!(outcome.stdout, expected);
}

#[test]
fn a_consumer_is_told_where_records_are_missing_and_how_many() {
    let Some(ktrace) = MountedKtrace::new(&["-b", "64"]) else { return };
    let expected = ktrace.traced("200");
    let found = run(&mut ktrace.reader()).success().stdout;
    let (first, rest) = found.split_once('\n').unwrap();
    let lost = first.strip_prefix("[LOST ").and_then(|rest| rest.strip_suffix(" EVENTS]"));
    let lost: u64 = lost.unwrap_or_else(|| panic!("{first}")).parse().unwrap();
    assert!(expected.ends_with(rest));
    assert_eq!(rest.lines().count() as u64 + lost, 200 * 12);
    assert_eq!(ktrace.overflow(), lost);
    let mut files: Vec<String> = fs::read_dir(ktrace.file("buffers"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert!(files.starts_with(&["cpu0".to_string()]) && files.ends_with(&["lane3".to_string()]));
}

#[test]
fn a_consumer_that_is_killed_goes_on_where_it_was() {
    let Some(ktrace) = MountedKtrace::new(&[]) else { return };
    let expected = ktrace.traced("5");
    // It has looked at everything, and consumed nothing.
    let mut command = ktrace.scratch.command("cat");
    let looking = start(command.arg(ktrace.file("buffers/cpu0")));
    looking.wait_until(|| looking.printed().contains("nothing") || looking.printed().len() > 5 * 900);
    looking.signal(Signal::KILL);
    looking.wait();
    let mut all = String::new();
    for _ in 0..3 {
        let reader = start(&mut ktrace.reader());
        reader.wait_until(|| !reader.printed().is_empty() || !all.is_empty());
        std::thread::sleep(std::time::Duration::from_millis(20));
        reader.signal(Signal::KILL);
        all.push_str(&reader.wait().stdout);
    }
    all.push_str(&run(&mut ktrace.reader()).success().stdout);
    assert_eq!(all, expected);
    assert_eq!(ktrace.overflow(), 0);
}
