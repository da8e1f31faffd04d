//! Containers: mounts, processes and shared memory of their own. docs/containers.md says what they need.

use crate::common::*;
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A container without rights: a read-only root directory with what this machine has, and nothing that is
/// shared but what is mounted there.
fn container(scratch: &Scratch, mounts: &[(&str, &Path)], options: &[&str]) -> Command {
    let mut command = scratch.command("bwrap");
    command.args(["--die-with-parent", "--unshare-ipc", "--cap-drop", "ALL", "--clearenv"]);
    command.args(["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LC_ALL", "C"]);
    for directory in ["/usr", "/etc", "/lib", "/lib64", "/bin"] {
        command.args(["--ro-bind", directory, directory]);
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/shm", "--tmpfs", "/tmp"]);
    command.args(["--tmpfs", "/var/cache"]);
    for (inside, outside) in mounts {
        command.arg("--bind").arg(outside).arg(inside);
    }
    command.arg("--ro-bind").arg(LOOKBACK).arg("/opt/lookback").args(options);
    command
}

fn is_without_containers() -> bool {
    is_missing(&["bwrap"]) || needs_root("make a container")
}

/// The variables and mounts that `lookback install --container` prints, as bwrap takes them.
fn joined<'a>(command: &'a mut Command, options: &str) -> &'a mut Command {
    for option in options.split_whitespace() {
        if let Some((name, value)) = option.strip_prefix("--env=").and_then(|text| text.split_once('=')) {
            command.args(["--setenv", name, value]);
        } else if let Some(volume) = option.strip_prefix("--volume=") {
            let mut parts = volume.split(':');
            let (outside, inside) = (parts.next().unwrap(), parts.next().unwrap());
            command.args([if parts.next() == Some("ro") { "--ro-bind" } else { "--bind" }, outside, inside]);
        } else {
            panic!("{option}");
        }
    }
    command
}

#[test]
fn a_service_is_recorded_from_inside_without_rights() {
    if is_without_containers() {
        return;
    }
    let scratch = Scratch::new();
    let out = scratch.outside("");
    let mut inside = container(&scratch, &[("/out", &out)], &["--unshare-pid", "--unshare-net"]);
    inside.args(["/opt/lookback", "record", "-o", "/out/trace.dat", "--", "cat", "/etc/hostname"]);
    let recorded = run(&mut inside).success();
    assert!(recorded.stderr.contains("1 process, "), "{}", recorded.stderr);
    let trace = scratch.trace();
    assert!(trace.events.iter().any(|event| event.text.contains("pathname=\"/etc/hostname\"")), "{trace:#?}");
    let mut ended = container(&scratch, &[("/out", &out)], &["--unshare-pid"]);
    ended.args(["/opt/lookback", "record", "-q", "-o", "/out/trace.dat", "--", "sh", "-c", "exit 3"]);
    assert_eq!(run(&mut ended).code(), Some(3));
}

#[test]
fn programs_of_a_container_are_recorded_in_a_session_of_the_host() {
    if is_without_containers() {
        return;
    }
    let scratch = Scratch::new();
    let session = scratch.outside("web").display().to_string();
    run(&mut scratch.lookback(&["start", "-q", "-b", "256", "--session", &session])).success();
    let options = run(&mut scratch.lookback(&["install", "--container", "--session", &session])).success();
    let mut inside = container(&scratch, &[], &["--unshare-pid"]);
    run(joined(&mut inside, &options.stdout).args(["cat", "/etc/hostname"])).success();
    let shown = run(&mut scratch.lookback(&["show", "--session", &session])).success().stdout;
    assert!(shown.contains("pathname=\"/etc/hostname\"") && shown.contains("comm=cat"), "{shown}");
    // Without the session's directory it runs all the same.
    let mut without = container(&scratch, &[], &["--setenv", "LOOKBACK_SESSION", &session]);
    let agent = options.stdout.split_whitespace().next().unwrap().strip_prefix("--env=LD_PRELOAD=").unwrap();
    without.args(["--setenv", "LD_PRELOAD", agent, "--ro-bind", agent, agent, "true"]);
    assert_eq!(run(&mut without).success().stderr, "");
}

#[test]
fn containers_of_a_pod_share_a_session() {
    if is_without_containers() {
        return;
    }
    let scratch = Scratch::new();
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let volume = [("/run/lookback", shared.path())];
    // As an init container does.
    let script = "cp \"$(/opt/lookback preload)\" /run/lookback/agent.so &&
        /opt/lookback start -q -b 256 --session /run/lookback/pod";
    run(container(&scratch, &volume, &[]).args(["sh", "-c", script])).success();
    let member = |script: &str| {
        let mut member = container(&scratch, &volume, &["--setenv", "LD_PRELOAD", "/run/lookback/agent.so"]);
        member.args(["--setenv", "LOOKBACK_SESSION", "/run/lookback/pod", "sh", "-c", script]);
        member
    };
    let waiting = "echo ready; read line; cat /etc/hostname";
    let mut one = start(member(waiting).stdin(Stdio::piped()));
    one.wait_for("ready\n");
    run(&mut member("head -1 /etc/os-release")).success();
    drop(one.input());
    one.wait();
    let session = shared.path().join("pod").display().to_string();
    let shown = run(&mut scratch.lookback(&["show", "--session", &session])).success().stdout;
    let trace = Trace::new(&shown);
    let opened = |path: &str| {
        let path = format!("pathname=\"{path}\"");
        trace
            .events
            .iter()
            .position(|event| event.text.contains(&path))
            .unwrap_or_else(|| panic!("{trace:#?}"))
    };
    let (first, second) = (opened("/etc/os-release"), opened("/etc/hostname"));
    assert!(first < second, "in the order of time: {trace:#?}");
    let names = [first, second].map(|at| trace.events[at].comm.as_str());
    assert_eq!(names, ["head", "cat"], "{trace:#?}");
    // One that is killed harms nobody.
    let mut killed = start(member("echo ready; sleep 100").stdin(Stdio::piped()));
    killed.wait_for("ready\n");
    killed.signal(Signal::KILL);
    killed.wait();
    run(&mut member("cat /etc/hostname")).success();
    assert!(fs::metadata(shared.path().join("pod/session")).is_ok());
}
