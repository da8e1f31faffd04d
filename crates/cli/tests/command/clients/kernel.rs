//! A recording of the kernel next to one of ours, by the same clock: trace-cmd shows both as one.

use super::Place;
use crate::common::*;
use std::path::Path;
use std::process::Command;

/// A program that sleeps, opens a file, and sleeps.
const PROGRAM: &str = "#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	usleep(10000);
	close(open(\"/etc/hostname\", O_RDONLY));
	usleep(10000);
	return 0;
}";

/// trace-cmd records the kernel's scheduler into an instance of its own, while the arguments run. It does so
/// where other files lie over those that a locked-down kernel refuses: without them it stops.
const SCRIPT: &str = r#"
set -e
name=lookback-both-$$
place=/sys/kernel/tracing/instances/$name
mkdir "$place"
# trace-cmd removes it itself, at its end.
trap '[ ! -d "$place" ] || rmdir "$place"' EXIT
for file in "$place"/set_ftrace_* /sys/kernel/tracing/set_ftrace_*; do
    if [ -e "$file" ]; then : > empty; mount --bind empty "$file"; fi
done
echo 1 > enabled
for file in ftrace_enabled kptr_restrict; do mount --bind enabled "/proc/sys/kernel/$file"; done
trace-cmd record -q -B "$name" -C mono -e sched:sched_switch -o kernel.dat "$@"
"#;

/// The events of the program in both recordings, as they follow each other from its first sleep on: their
/// names, and when the kernel has taken it off its CPU.
#[track_caller]
fn interleaved(place: &Place) -> Vec<String> {
    let mut report = place.scratch.command("trace-cmd");
    let report = run(report.args(["report", "-t", "-i", "kernel.dat", "-i", "ours.dat"])).success();
    let events: Vec<Event> = report.stdout.lines().filter_map(Event::parse).collect();
    assert!(events.is_sorted_by_key(|event| event.time), "{report:#?}");
    let slept =
        events.iter().position(|event| event.name == "usleep").unwrap_or_else(|| panic!("{report:#?}"));
    let pid = events[slept].pid;
    let off = format!("sleeper:{pid} ");
    let name = |event: &Event| match event.name.as_str() {
        // That it is put on again isn't always recorded, where the CPU was idle.
        "sched_switch" => event.text.starts_with(&off).then(|| "off".to_string()),
        _ => (event.pid == pid).then(|| event.name.clone()),
    };
    events[slept..].iter().filter_map(name).collect()
}

/// Both recordings are made at once, by a command that records the program.
#[track_caller]
fn check(recorder: impl FnOnce(&mut Command, &Path)) {
    if is_missing(&["trace-cmd", "unshare", "mount", "cc"]) || is_without_tracefs() {
        return;
    }
    let place = Place::new();
    let program = compile(&place.scratch, "sleeper", PROGRAM, &[]);
    let script = place.scratch.write("record.sh", SCRIPT);
    let mut command = place.in_session(place.scratch.command("unshare"));
    command.args(["-m", "bash"]).arg(script);
    recorder(&mut command, &program);
    run(&mut command).success();
    let names = interleaved(&place);
    // It may also be made to wait for its CPU: that says nothing.
    let mut rest = names.iter().map(String::as_str);
    for expected in ["usleep", "off", "usleep_exit", "open", "open_exit", "usleep", "off", "usleep_exit"] {
        assert!(rest.any(|name| name == expected), "no {expected} in its place in {names:?}");
    }
}

#[test]
fn is_interleaved_with_what_lookback_records() {
    check(|command, program| {
        command.args([LOOKBACK, "record", "-q", "-C", "mono", "-o", "ours.dat", "--"]).arg(program);
    });
}

#[test]
fn is_interleaved_with_what_trace_cmd_records_of_a_session() {
    check(|command, program| {
        command.args([LOOKBACK, "exec", "--", "trace-cmd", "record", "-q", "-C", "mono", "-e", "libc"]);
        command.args(["-o", "ours.dat", LOOKBACK, "run", "-q", "--"]).arg(program);
    });
}
