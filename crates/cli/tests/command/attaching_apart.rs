//! Programs are attached that have other files: mounts of their own, another root directory.

use crate::attaching::{ATTACHED, attach, attach_one, events_of, opened, tell};
use crate::attaching_elsewhere::resources;
use crate::common::*;
use crate::detaching::detach;
use crate::function_interruptions::field;
use crate::functions::{NOPS, calls, path, session};
use crate::recording_running::{record, recorded};
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A root directory with the program and what it needs. It has no /dev/shm, and nothing of ours.
fn make_root(scratch: &Scratch) -> PathBuf {
    compile(scratch, "attached", ATTACHED, &["-O1", "-w", NOPS, "-ldl"]);
    let root = scratch.outside("root");
    let script = "mkdir -p \"$1/proc\" \"$1/dev\" && : >\"$1/dev/null\" && : >\"$1/dev/zero\" &&
        cp \"$0\" \"$1/\" && for file in $(ldd \"$0\" | grep -o '/[^ )]*')
        do mkdir -p \"$1/${file%/*}\" && cp \"$file\" \"$1/$file\"; done";
    let program = scratch.outside("attached");
    run(scratch.command("sh").args(["-c", script, path(&program), path(&root)])).success();
    root
}

/// The program, in a mount namespace of its own: after `script`, in which `$1` is the root directory.
fn begin_apart(scratch: &Scratch, root: &Path, script: &str) -> Running {
    let mut unshare = scratch.command("unshare");
    unshare.args(["-m", "--propagation", "private", "sh", "-c", script, "sh", path(root)]);
    let mut running = start(unshare.stdin(Stdio::piped()));
    running.wait_for("ready");
    running.wait_until(|| field(running.pid(), "State:").starts_with('S'));
    running
}

#[test]
fn a_program_in_another_root_directory_is_attached_and_detached() {
    if is_missing(&["unshare", "chroot"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-p", "function", "-l", "leaf"]);
    let root = make_root(&scratch);
    let script = "mount -t proc proc \"$1/proc\" && exec chroot \"$1\" /attached";
    let mut running = begin_apart(&scratch, &root, script);
    let pid = running.pid();
    let (descriptors, _) = resources(pid);
    let mut mapped = None;
    for turn in 1..=3 {
        attach_one(&scratch, &place, &running);
        tell(&mut running, "c");
        let events = events_of(&scratch, &place, pid);
        assert_eq!(opened(&events), vec!["/dev/null"; turn], "turn {turn}");
        let text = run(&mut scratch.lookback(&["get", "--session", &place, "trace"])).success().stdout;
        assert_eq!(calls(&text), vec!["leaf <-act"; turn], "turn {turn}: {text}");
        assert_eq!(resources(pid).0, descriptors, "turn {turn}");
        detach(&scratch, &place, pid).success();
        tell(&mut running, "c");
        assert_eq!(opened(&events_of(&scratch, &place, pid)).len(), turn, "turn {turn}: it is detached");
        // What it keeps is the agent, once.
        let kept = resources(pid);
        assert_eq!(&kept, mapped.get_or_insert_with(|| kept.clone()), "turn {turn}");
    }
}

#[test]
fn a_program_with_mounts_of_its_own_is_recorded_by_record() {
    if is_missing(&["unshare"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let root = make_root(&scratch);
    // Its shared memory is another one, as in a container: the session isn't there.
    let script = "mount -t tmpfs none /dev/shm && exec \"$1/attached\"";
    let mut running = begin_apart(&scratch, &root, script);
    let (recording, file) = record(&scratch, "apart.dat", &[&running]);
    tell(&mut running, "c");
    let pid = running.pid();
    recording.signal(Signal::INT);
    recording.wait().success();
    let own = recorded(&scratch, &file, pid);
    assert_eq!(opened(&own), ["/dev/null"]);
}

#[test]
fn what_can_be_handed_nothing_is_unharmed() {
    if is_missing(&["unshare", "chroot"]) || needs_root("mount") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file"]);
    let root = make_root(&scratch);
    let refused = |script: &str, why: &str| {
        let mut running = begin_apart(&scratch, &root, script);
        let before = resources(running.pid());
        attach(&scratch, &place, &[&running.pid().to_string()]).failure(125, &[why]);
        tell(&mut running, "c");
        assert_eq!(resources(running.pid()), before, "{why}");
    };
    refused("exec chroot \"$1\" /attached", "has no /proc by which it could be handed that");
    let no_more = "mount -t proc proc \"$1/proc\" && ulimit -n 4 && exec chroot \"$1\" /attached";
    refused(no_more, "it may have no more descriptors (ulimit -n)");
}
