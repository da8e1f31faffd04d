//! Instances made and removed: who may, and while which of their files are open.

use super::kernel::Kernel;
use super::ours::Ours;
use super::target::Target;
use rustix::fs::OFlags;
use rustix::io::Errno;

/// What a script has found: what was done, and what came of it.
type Found = Vec<(String, Result<String, Errno>)>;

/// A script: played in a tree's `instances`, with a name that nobody else has.
type Script = fn(&mut dyn Target, &str) -> Found;

/// Plays it to both sides.
fn same(script: Script) {
    let Some(mut kernel) = Kernel::top() else { return };
    let name = kernel.own_name();
    let (kernels, ours) = (script(&mut kernel, &name), script(&mut Ours::with_instances(), &name));
    assert!(!kernels.is_empty());
    for (kernels, ours) in kernels.iter().zip(&ours) {
        assert_eq!(kernels, ours);
    }
    assert_eq!(kernels.len(), ours.len());
}

/// Files with which an instance is in use.
const KEEPING: &[&str] = &[
    "available_tracers",
    "buffer_percent",
    "buffer_size_kb",
    "buffer_subbuf_size_kb",
    "buffer_total_size_kb",
    "current_tracer",
    "error_log",
    "events/enable",
    "events/header_event",
    "events/header_page",
    "events/sched/enable",
    "events/sched/filter",
    "events/sched/sched_process_exec/enable",
    "events/sched/sched_process_exec/filter",
    "per_cpu/cpu0/buffer_size_kb",
    "per_cpu/cpu0/stats",
    "per_cpu/cpu0/trace",
    "per_cpu/cpu0/trace_pipe",
    "per_cpu/cpu0/trace_pipe_raw",
    "set_event",
    "timestamp_mode",
    "trace",
    "trace_clock",
    "trace_options",
    "trace_pipe",
    "tracing_cpumask",
    "tracing_on",
];

/// Files that can only be written, and keep their instance while they are open.
const KEEPING_WRITTEN: &[&str] = &["free_buffer", "trace_marker", "trace_marker_raw"];

fn shown<T>(result: Result<T, Errno>) -> Result<String, Errno> {
    result.map(|_| String::new())
}

#[test]
fn who_has_a_file_open_keeps_the_instance() {
    same(|target, name| {
        let path = format!("instances/{name}");
        let mut found = vec![("mkdir".to_string(), shown(target.make_directory(&path)))];
        let read = KEEPING.iter().map(|file| (file, OFlags::RDONLY | OFlags::NONBLOCK));
        let written = KEEPING_WRITTEN.iter().map(|file| (file, OFlags::WRONLY));
        for (file, flags) in read.chain(written) {
            let opened = target.open(&format!("{path}/{file}"), flags);
            found.push((format!("open {file}"), shown(opened)));
            found.push((format!("rmdir with {file}"), shown(target.remove_directory(&path))));
            if let Ok(opened) = opened {
                target.close(opened);
            }
        }
        found.push(("rmdir".to_string(), shown(target.remove_directory(&path))));
        found.push(("rmdir again".to_string(), shown(target.remove_directory(&path))));
        found
    });
}

#[test]
fn what_describes_an_event_keeps_nothing() {
    same(|target, name| {
        let path = format!("instances/{name}");
        let mut found = Found::new();
        for file in ["format", "id"] {
            found.push(("mkdir".to_string(), shown(target.make_directory(&path))));
            let event = format!("{path}/events/sched/sched_process_exec/{file}");
            let opened = target.open(&event, OFlags::RDONLY);
            found.push((format!("open {file}"), shown(opened)));
            found.push((format!("rmdir with {file}"), shown(target.remove_directory(&path))));
            if let Ok(opened) = opened {
                found.push((format!("read {file}"), shown(target.read(opened, 100))));
                target.close(opened);
            }
        }
        found
    });
}

#[test]
fn names_are_taken_as_by_the_kernel() {
    same(|target, name| {
        let path = |end: &str| format!("instances/{name}{end}");
        let mut found = Found::new();
        let long = format!("instances/{}", "x".repeat(256));
        let mut make = |target: &mut dyn Target, path: &str| {
            found.push((format!("mkdir {}", path.replace(name, "")), shown(target.make_directory(path))));
        };
        for path in [
            &path(""),
            &path(""),
            &path("/"),
            &path("/new"),
            &path("/events/new"),
            &path("/events"),
            &path(" with blanks.and.dots"),
            &long,
            "instances",
            "instances/.",
            "instances/..",
            "instances/nothing/new",
        ] {
            make(target, path);
        }
        for path in [
            &path("/events"),
            &path("/events/sched"),
            &path("/options"),
            &path("/per_cpu/cpu0"),
            &path("/trace"),
            &path("/trace/x"),
            &path("/nothing"),
            &long,
            "instances",
            "instances/nothing-of-this-name",
        ] {
            let name = path.replace(name, "");
            found.push((format!("rmdir {name}"), shown(target.remove_directory(path))));
            found.push((format!("unlink {name}"), shown(target.remove_file(path))));
        }
        let enable = target.open(&path("/events/sched/enable"), OFlags::WRONLY);
        if let Ok(enable) = enable {
            found.push(("enable".to_string(), shown(target.write(enable, b"1"))));
            target.close(enable);
        }
        for end in ["/", "", " with blanks.and.dots"] {
            found.push((format!("rmdir {end:?}"), shown(target.remove_directory(&path(end)))));
        }
        found
    });
}

#[test]
fn a_new_one_is_as_the_kernels() {
    same(|target, name| {
        let path = format!("instances/{name}");
        let mut found = vec![("mkdir".to_string(), shown(target.make_directory(&path)))];
        for file in
            ["tracing_on", "current_tracer", "set_event", "events/enable", "error_log", "trace_options"]
        {
            let opened = target.open(&format!("{path}/{file}"), OFlags::RDONLY);
            let content = opened.and_then(|opened| {
                let content = target.read(opened, 10);
                target.close(opened);
                content
            });
            let text = content.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            // Which options there are differs.
            let text =
                if file == "trace_options" { text.map(|text| text.is_empty().to_string()) } else { text };
            found.push((file.to_string(), text));
        }
        found.push(("rmdir".to_string(), shown(target.remove_directory(&path))));
        found
    });
}
