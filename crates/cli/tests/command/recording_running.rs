//! Programs that run already are recorded into a file, and are afterwards as before.

use crate::attaching::{attach, begin, opened, tell};
use crate::attaching_elsewhere::resources;
use crate::common::*;
use crate::function_interruptions::field;
use crate::functions::{path, session};
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::Command;

/// Begins to record processes, until they are attached.
pub fn record(scratch: &Scratch, file: &str, running: &[&Running]) -> (Running, PathBuf) {
    let file = scratch.path(file);
    let pids: Vec<String> = running.iter().map(|running| running.pid().to_string()).collect();
    let mut command: Command = scratch.lookback(&["record", "-e", "@file", "-b", "64", "-o", path(&file)]);
    let recording = start(command.args(["--pid", &pids.join(",")]));
    for running in running {
        let maps = || std::fs::read_to_string(format!("/proc/{}/maps", running.pid())).unwrap();
        // It is mapped while the process is traced.
        let own = format!("/record-{}/session\n", recording.pid());
        recording.wait_until(|| maps().contains(&own) && field(running.pid(), "TracerPid:") == "0");
    }
    (recording, file)
}

pub fn recorded(scratch: &Scratch, file: &std::path::Path, pid: u32) -> Vec<Event> {
    let text = run(&mut scratch.lookback(&["report", path(file)])).success().stdout;
    text.lines().filter_map(Event::parse).filter(|event| event.pid == pid as i32).collect()
}

#[test]
fn several_are_recorded_until_control_c_and_left_as_before() {
    let scratch = Scratch::new();
    let mut both = [begin(&scratch, &["threads"]), begin(&scratch, &[])];
    let pids = both.each_ref().map(Running::pid);
    let mut after_first = None;
    for turn in 0..3 {
        let (recording, file) = record(&scratch, &format!("turn-{turn}.dat"), &both.each_ref());
        both.iter_mut().for_each(|running| tell(running, "c"));
        recording.signal(Signal::INT);
        let said = recording.wait().success().stderr;
        assert!(said.contains("2 processes, ") && said.contains(" 0 lost"), "{said}");
        assert!(said.contains("2 processes that are still running, and no longer recorded"), "{said}");
        both.iter_mut().for_each(|running| tell(running, "c"));
        for pid in pids {
            assert_eq!(opened(&recorded(&scratch, &file, pid)), ["/dev/null"]);
            assert_code_is_of_files(pid);
        }
        // Of the agent all stays, of the session nothing.
        let found = pids.map(resources);
        assert!(!found.iter().any(|(_, mapped)| mapped.iter().any(|(name, _)| name.contains("session"))));
        assert_eq!(*after_first.get_or_insert(found.clone()), found, "turn {turn}");
    }
}

#[test]
fn a_recording_ends_with_the_processes_or_its_time() {
    let scratch = Scratch::new();
    let mut running = begin(&scratch, &[]);
    let pid = running.pid();
    let file = scratch.path("limited.dat");
    let limited = ["record", "-e", "@file", "-P", &pid.to_string(), "--duration", "0.4", "-o", path(&file)];
    let said = run(&mut scratch.lookback(&limited)).success().stderr;
    assert!(said.contains(" 0 lost"), "{said}");
    tell(&mut running, "c");
    let (recording, file) = record(&scratch, "ended.dat", &[&running]);
    tell(&mut running, "c");
    tell(&mut running, "c");
    running.signal(Signal::KILL);
    let said = recording.wait().success().stderr;
    assert!(said.contains("1 process, ") && !said.contains("still running"), "{said}");
    assert_eq!(opened(&recorded(&scratch, &file, pid)), ["/dev/null", "/dev/null"]);
}

#[test]
fn a_recording_that_is_killed_harms_nobody_and_the_next_one_goes_on() {
    let scratch = Scratch::new();
    let mut running = begin(&scratch, &["threads"]);
    for turn in 0..2 {
        let (recording, file) = record(&scratch, &format!("killed-{turn}.dat"), &[&running]);
        recording.signal(Signal::KILL);
        recording.wait();
        assert!(!file.exists());
        tell(&mut running, "c");
        tell(&mut running, "t");
    }
    let (recording, file) = record(&scratch, "next.dat", &[&running]);
    tell(&mut running, "c");
    recording.signal(Signal::TERM);
    recording.wait().success();
    assert!(opened(&recorded(&scratch, &file, running.pid())).contains(&"/dev/null"));
    assert_eq!(field(running.pid(), "TracerPid:"), "0");
}

#[test]
fn who_is_recorded_elsewhere_is_refused_and_the_status_says_so() {
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let [mut taken, mut free] = [begin(&scratch, &[]), begin(&scratch, &[])];
    let [taken_pid, free_pid] = [&taken, &free].map(|running| running.pid().to_string());
    attach(&scratch, &place, &[&taken_pid]).success();
    let file = scratch.path("refused.dat");
    let record = |pids: &str| {
        let arguments = ["record", "-e", "@file", "-P", pids, "--duration", "0.3", "-o", path(&file)];
        run(&mut scratch.lookback(&arguments))
    };
    let why = "was not attached: it is attached to another session: ";
    record(&taken_pid).failure(125, &[why, "no process could be attached: nothing was recorded"]);
    assert!(!file.exists());
    record(&format!("{taken_pid},{free_pid}")).failure(125, &[why, "1 process, "]);
    assert!(file.exists());
    tell(&mut taken, "c");
    tell(&mut free, "c");
    let both = ["record", "-P", &free_pid, "--", "true"];
    run(&mut scratch.lookback(&both)).failure(125, &["cannot be used with"]);
    run(&mut scratch.lookback(&["record", "-P", &free_pid, "--duration", "0"]))
        .failure(125, &["expected seconds"]);
}
