//! KernelShark opens recordings, whoever has made them.

use super::{Place, compile_all};
use crate::common::*;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What has to be there to try it: the compiler's options for its library.
#[track_caller]
fn needed() -> Option<Vec<String>> {
    (!is_missing(&["kernelshark", "trace-cmd"])).then(|| libraries("libkshark")).flatten()
}

/// The events of a recording, as trace-cmd prints them: with times in ns.
#[track_caller]
fn expected(scratch: &Scratch, file: &Path) -> Trace {
    printed_by_trace_cmd(scratch, file, &[])
}

#[track_caller]
fn printed_by_trace_cmd(scratch: &Scratch, file: &Path, options: &[&str]) -> Trace {
    let mut command = scratch.command("trace-cmd");
    let report = run(command.args(["report", "-t"]).args(options).arg("-i").arg(file)).success().stdout;
    let events = report.lines().filter(|line| !line.starts_with("cpus="));
    Trace::new(&events.map(|line| format!("{line}\n")).collect::<String>())
}

/// Its library finds the same, to the letter.
#[track_caller]
fn assert_read(scratch: &Scratch, reader: &Path, file: &Path) {
    assert_eq!(read(scratch, reader, file), expected(scratch, file), "{}", file.display());
}

#[track_caller]
fn read(scratch: &Scratch, reader: &Path, file: &Path) -> Trace {
    Trace::new(&run(scratch.command(reader).arg(file)).success().stdout)
}

/// Its window shows a recording, without a screen: the plugin is given each event, and nothing falls over.
#[track_caller]
fn assert_shown(scratch: &Scratch, plugin: &Path, file: &Path, expected: &Trace) {
    let home = scratch.path("home");
    let _ = std::fs::create_dir(&home);
    let mut command = scratch.command("kernelshark");
    if rustix::process::geteuid().is_root() {
        // It asks root whether that is meant.
        std::os::unix::fs::chown(&home, Some(65534), Some(65534)).unwrap();
        command = scratch.command("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "kernelshark"]);
    }
    std::fs::set_permissions(&home, Permissions::from_mode(0o700)).unwrap();
    std::fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
    command.arg("-p").arg(plugin).arg("-i").arg(file).env("QT_QPA_PLATFORM", "offscreen");
    let window = start(command.env("HOME", &home).env("XDG_RUNTIME_DIR", &home));
    let mut wanted: Vec<String> = expected.events.iter().map(told).collect();
    window.wait_until(|| events_in(&window.printed()).len() >= wanted.len());
    // Long enough to draw it, and to fall over.
    std::thread::sleep(std::time::Duration::from_millis(500));
    window.signal(rustix::process::Signal::TERM);
    let outcome = window.wait();
    assert_eq!(outcome.signal(), Some(15), "{outcome:#?}");
    let mut shown = events_in(&outcome.stdout);
    shown.sort();
    wanted.sort();
    assert_eq!(shown, wanted, "{}", file.display());
}

/// As the plugin reports an event.
fn told(event: &Event) -> String {
    format!("{} {} {} {}", event.cpu, event.time, event.pid, event.name)
}

/// What the plugin has told.
fn events_in(printed: &str) -> Vec<String> {
    printed.lines().filter_map(|line| line.strip_prefix("event ")).map(String::from).collect()
}

/// A recording in each way to make one, of a program that opens files on all sides.
fn recordings(place: &Place) -> Vec<PathBuf> {
    let program = ["cat", "/etc/hostname", "/nonexistent"];
    let record = |name: &str, options: &[&str]| {
        let file = place.scratch.path(name);
        let mut command = place.scratch.lookback(&["record", "-q", "-o"]);
        run(command.arg(&file).args(options).arg("--").args(program)).failure(1, &["/nonexistent"]);
        file
    };
    let mut files = vec![
        record("six.dat", &[]),
        record("seven.dat", &["--file-version", "7"]),
        record("compressed.dat", &["--compress"]),
    ];
    let theirs = place.scratch.path("theirs.dat");
    let mut recorder = place.lookback(&["exec", "--", "trace-cmd", "record", "-q", "-e", "all", "-o"]);
    recorder.arg(&theirs).args([LOOKBACK, "run", "-q", "--", "cat", "/etc/hostname"]);
    run(&mut recorder).success();
    let kept = place.scratch.path("kept.dat");
    run(&mut place.lookback(&["set", "-B", "flight", "events/libc/enable", "1"])).success();
    run(&mut place.lookback(&["run", "-q", "--", "cat", "/etc/hostname"])).success();
    run(place.lookback(&["extract", "-q", "-o"]).arg(&kept)).success();
    files.extend([theirs, kept]);
    files
}

/// A recording of functions by a tracer.
fn calls(scratch: &Scratch, tracer: &str) -> PathBuf {
    let source = "__attribute__((noipa)) int inner(int x) { return x + 1; }\n\
        __attribute__((noipa)) int outer(int x) { return inner(x) * 3; }\n\
        int main(void) { return outer(1) + outer(2) - 15; }\n";
    let program = compile(scratch, "calls", source, &["-O2", "-fpatchable-function-entry=5"]);
    let file = scratch.path(&format!("{tracer}.dat"));
    let mut command = scratch.lookback(&["record", "-q", "-p", tracer, "-o"]);
    run(command.arg(&file).arg("--").arg(program)).success();
    file
}

/// The programs that it is tried with: one that its library is linked to, and a plugin.
fn tools(scratch: &Scratch, options: &[String]) -> (PathBuf, PathBuf) {
    let (reader, plugin) = (scratch.path("reader"), scratch.path("plugin-tell.so"));
    compile_all("kernelshark/reader", &reader, options);
    let shared = ["-shared", "-fPIC"].map(String::from);
    compile_all("kernelshark/plugin", &plugin, &[&shared, options].concat());
    (reader, plugin)
}

#[test]
fn it_opens_recordings() {
    let Some(options) = needed() else { return };
    let place = Place::new();
    let (reader, plugin) = tools(&place.scratch, &options);
    let broken = place.scratch.write("broken.dat", "tracing, but not so");
    run(place.scratch.command(&reader).arg(broken)).failure(1, &["expected a recording"]);
    for file in recordings(&place) {
        assert_read(&place.scratch, &reader, &file);
        assert_shown(&place.scratch, &plugin, &file, &expected(&place.scratch, &file));
    }
}

/// It has a text of its own for functions, with their names.
#[test]
fn it_opens_recordings_of_functions() {
    let Some(options) = needed() else { return };
    let scratch = Scratch::new();
    let (reader, plugin) = tools(&scratch, &options);
    for (tracer, event) in [("function", "function"), ("function_graph", "funcgraph_entry")] {
        let file = calls(&scratch, tracer);
        // Raw: otherwise trace-cmd prints a call that calls nothing as one event.
        let expected = printed_by_trace_cmd(&scratch, &file, &["-R"]);
        let found = read(&scratch, &reader, &file);
        let events = |trace: &Trace| trace.events.iter().map(told).collect::<Vec<_>>();
        assert_eq!(events(&found), events(&expected), "{tracer}");
        let calls = found.events.iter().filter(|found| found.name == event);
        let words = calls.filter_map(|call| call.text.rsplit('|').next());
        let names: Vec<_> = words.filter_map(|text| text.trim_start().split([' ', '(']).next()).collect();
        assert_eq!(names, ["main", "outer", "inner", "outer", "inner"], "{found:?}");
        assert_shown(&scratch, &plugin, &file, &expected);
    }
}
