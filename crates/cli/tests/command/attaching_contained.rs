//! Programs in PID and user namespaces of their own are attached from outside, as those of containers.

use crate::attaching::{ATTACHED, attach, attach_one, begin, events_of, opened, tell};
use crate::common::*;
use crate::detaching::detach;
use crate::functions::{NOPS, calls, path, session};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::read_to_string;
use std::process::Stdio;

/// A program in namespaces of its own, with its own /proc, shared memory and filter.
struct Contained {
    unshare: Running,
    /// As it is known here.
    pid: u32,
}

/// In the container it is the second process: some things are not for the first.
const INSIDE: &str =
    "mount -t proc proc /proc && mount -t tmpfs none /dev/shm && \"$1\" no-code <&3 & wait $!";

impl Contained {
    fn begin(scratch: &Scratch) -> Contained {
        compile(scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
        let program = scratch.outside("attached");
        let mut unshare = scratch.command("unshare");
        unshare.args(["-U", "-r", "-m", "-p", "-f", "--kill-child", "--propagation", "private"]);
        unshare.args(["sh", "-c", &format!("exec 3<&0; {INSIDE}"), "sh", path(&program)]);
        let mut unshare = start(unshare.stdin(Stdio::piped()));
        unshare.wait_for("ready");
        let shell = only_child(unshare.pid());
        let pid = only_child(shell);
        Contained { unshare, pid }
    }

    fn kill(&self) {
        kill_process(Pid::from_raw(self.pid as i32).unwrap(), Signal::KILL).unwrap();
    }
}

fn only_child(pid: u32) -> u32 {
    let children = read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.trim().parse().unwrap()
}

fn text(scratch: &Scratch, place: &str, file: &str) -> String {
    run(&mut scratch.lookback(&["get", "--session", place, file])).success().stdout
}

#[test]
fn a_program_in_a_container_is_attached_and_detached() {
    if is_missing(&["unshare"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-e", "sched_process_exit"]);
    let mut contained = Contained::begin(&scratch);
    let pid = contained.pid.to_string();
    for turn in 1..=2 {
        let said = run(&mut scratch.lookback(&["attach", "--session", &place, &pid])).success().stderr;
        assert!(said.contains(&format!("attached-{pid} is attached")), "{said}");
        tell(&mut contained.unshare, "c");
        // Its PID is its own.
        assert_eq!(opened(&events_of(&scratch, &place, 2)), vec!["/dev/null"; turn]);
        let list = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
        assert!(list.contains("attached  1 process\n"), "{list}");
        assert!(list.contains(&format!("(in another pid namespace, {pid} here)")), "{list}");
        let again = attach(&scratch, &place, &[&pid]);
        again.failure(125, &["it is attached already"]);
        detach(&scratch, &place, contained.pid).success();
        tell(&mut contained.unshare, "c");
        assert_eq!(opened(&events_of(&scratch, &place, 2)).len(), turn);
    }
    attach(&scratch, &place, &[&pid]).success();
    // Its end is noticed from outside.
    contained.kill();
    contained.unshare.wait();
    let list = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
    assert!(list.contains("attached  0 processes"), "{list}");
    let events = events_of(&scratch, &place, 2);
    let end = events.iter().find(|event| event.name == "sched_process_exit");
    assert_eq!(end.and_then(|end| end.field("comm")), Some("attached"), "{events:?}");
}

#[test]
fn programs_that_could_be_taken_for_each_other_are_not_attached_to_one_session() {
    if is_missing(&["unshare"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let mut contained = Contained::begin(&scratch);
    let mut here = begin(&scratch, &[]);
    attach_one(&scratch, &place, &here);
    let refused = "it is in another PID namespace than processes of this session";
    attach(&scratch, &place, &[&contained.pid.to_string()]).failure(125, &[refused]);
    let other = path(&scratch.outside("lookback-other")).to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "64", "-e", "@file", "--session", &other])).success();
    attach(&scratch, &other, &[&contained.pid.to_string()]).success();
    attach(&scratch, &other, &[&here.pid().to_string()]).failure(125, &["it is attached to another session"]);
    tell(&mut here, "c");
    tell(&mut contained.unshare, "c");
    assert_eq!(opened(&events_of(&scratch, &place, here.pid())), ["/dev/null"]);
    assert_eq!(opened(&events_of(&scratch, &other, 2)), ["/dev/null"]);
}

#[test]
fn functions_of_a_program_in_a_container_are_switched_from_outside() {
    if is_missing(&["unshare"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    compile(&scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    let program = scratch.outside("attached");
    // Its /proc is that of the namespace above.
    let mut unshare = scratch.command("unshare");
    unshare.args(["-p", "-f", "--kill-child", path(&program)]);
    let mut unshare = start(unshare.stdin(Stdio::piped()));
    unshare.wait_for("ready");
    let pid = only_child(unshare.pid());
    attach(&scratch, &place, &[&pid.to_string()]).success();
    tell(&mut unshare, "c");
    assert_eq!(calls(&text(&scratch, &place, "trace")), ["leaf <-act"]);
    run(&mut scratch.lookback(&["set", "--now", "--session", &place, "set_ftrace_filter", "act"])).success();
    tell(&mut unshare, "c");
    assert_eq!(calls(&text(&scratch, &place, "trace")), ["leaf <-act", "act <-main"]);
}

#[test]
fn programs_of_several_containers_that_were_started_with_a_session_are_told() {
    if is_missing(&["unshare"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    compile(&scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    let program = scratch.outside("attached");
    let listed = |running: &mut Running| {
        tell(running, "c");
        run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout
    };
    let begin = || {
        let mut unshare = scratch.command("unshare");
        unshare.args(["-p", "-f", "--mount-proc", "--kill-child", LOOKBACK, "run", "--session", &place]);
        let mut unshare = start(unshare.arg(&program).stdin(Stdio::piped()));
        unshare.wait_for("ready");
        unshare
    };
    let several = "several pid namespaces: events of processes with equal PIDs can't be told apart";
    let mut first = begin();
    let list = listed(&mut first);
    assert!(list.contains("attached  1 process\n") && !list.contains(several), "{list}");
    let mut second = begin();
    // None is taken for what the other was before.
    let list = listed(&mut second);
    assert!(list.contains("attached  2 processes\n") && list.contains(several), "{list}");
    for running in [&mut first, &mut second] {
        let here = only_child(running.pid());
        let elsewhere = format!("(in another pid namespace, {here} here)");
        let list = listed(running);
        assert!(list.contains(&elsewhere), "{list}");
    }
    kill_process(Pid::from_raw(only_child(second.pid()) as i32).unwrap(), Signal::KILL).unwrap();
    second.wait();
    let list = listed(&mut first);
    assert!(list.contains("attached  1 process\n") && !list.contains(several), "{list}");
    // As is seen from where the other can't be seen, too.
    let own = only_child(first.pid()).to_string();
    let mut inside = scratch.command("nsenter");
    inside.args(["-p", "-m", "-t", &own, LOOKBACK, "list", "--session", &place]);
    let list = run(&mut inside).success().stdout;
    assert!(list.contains("attached  1 process\n") && !list.contains("in another"), "{list}");
}

/// What a traced program makes in a new PID namespace, by libc's calls or by the kernel's.
const MAKERS: [&[&str]; 2] = [
    &["unshare", "-p", "-f", "--mount-proc", "--kill-child"],
    &["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent"],
];

#[test]
fn what_a_traced_program_makes_in_a_pid_namespace_counts_there() {
    if is_missing(&["unshare", "bwrap"]) || needs_root("mount") {
        return;
    }
    for maker in MAKERS {
        let scratch = Scratch::new();
        let place = session(&scratch, &["-e", "@file", "-e", "sched_process_exit"]);
        compile(&scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
        let program = scratch.outside("attached");
        let mut command = scratch.lookback(&["run", "--session", &place, "--"]);
        let mut running = start(command.args(maker).arg(&program).stdin(Stdio::piped()));
        running.wait_for("ready");
        tell(&mut running, "c");
        let list = run(&mut scratch.lookback(&["list", "--session", &place])).success().stdout;
        let line = list.lines().find(|line| line.contains("/attached")).unwrap_or_else(|| panic!("{list}"));
        assert!(line.contains("(in another pid namespace, "), "{maker:?}: {list}");
        let own: u32 = line.split_whitespace().next().unwrap().parse().unwrap();
        assert!(own < 10, "{list}");
        assert_eq!(opened(&events_of(&scratch, &place, own)), ["/dev/null"], "{maker:?}");
    }
}

#[test]
fn programs_of_several_containers_without_root_have_a_session() {
    if is_missing(&["setpriv", "unshare"]) || needs_root("become somebody else") {
        return;
    }
    let scratch = Scratch::new();
    let Some(mut lookback) = as_nobody(&scratch) else { return };
    let directory = scratch.outside("nobody");
    std::fs::create_dir(&directory).unwrap();
    std::os::unix::fs::chown(&directory, Some(65534), Some(65534)).unwrap();
    let place = path(&directory.join("session")).to_string();
    run(lookback.args(["start", "-q", "--session", &place, "-e", "@file"])).success();
    compile(&scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    let program = scratch.outside("attached");
    let begin = || {
        let mut command = scratch.command("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.args(["unshare", "-U", "-r", "-p", "-f", "--mount-proc", "--kill-child"]);
        command.arg(scratch.outside("lookback")).args(["run", "--session", &place]);
        let mut running = start(command.arg(&program).stdin(Stdio::piped()));
        running.wait_for("ready");
        tell(&mut running, "c");
        running
    };
    let (_first, _second) = (begin(), begin());
    let mut lookback = as_nobody(&scratch).unwrap();
    let list = run(lookback.args(["list", "--session", &place])).success().stdout;
    assert!(list.contains("attached  2 processes\n"), "{list}");
    assert_eq!(list.matches("(in another pid namespace, ").count(), 2, "{list}");
}
