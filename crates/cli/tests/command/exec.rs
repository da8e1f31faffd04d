//! `lookback exec`: programs for which a session is the system's tracefs.

use crate::common::*;
use session::{Session, SessionOptions};
use std::process::Command;

/// A scratch directory with a session.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let options = SessionOptions { buffer_kb: 1024, snapshots: 1, instances: 2, ..SessionOptions::default() };
    Session::create(&scratch.path("session"), &options).unwrap();
    scratch
}

fn on(scratch: &Scratch, arguments: &[&str]) -> Command {
    let mut command = scratch.lookback(arguments);
    command.env("LOOKBACK_SESSION", scratch.path("session"));
    command
}

/// A shell script for which the session is the system's tracefs. It finds the command in `$LOOKBACK`.
fn exec(scratch: &Scratch, script: &str) -> Outcome {
    run(on(scratch, &["exec", "--", "sh", "-c", script]).env("LOOKBACK", LOOKBACK))
}

const MOUNTS: &str = "/proc/self/mounts";

#[test]
fn the_tree_lies_over_the_kernels_and_only_here() {
    let scratch = scratch();
    // Other tests have mounts of sessions elsewhere, and the kernel mounts its own where somebody looks.
    let covered = || -> Vec<String> {
        let all = std::fs::read_to_string(MOUNTS).unwrap();
        let is_system = |line: &&str| line.contains(" /sys") || line.contains(" /proc");
        all.lines().filter(|line| line.contains("lookback")).filter(is_system).map(String::from).collect()
    };
    let script = "echo libc:open > /sys/kernel/tracing/set_event; cat $TRACEFS_PATH/set_event
                  cat /proc/sys/kernel/ftrace_enabled /proc/sys/kernel/kptr_restrict
                  echo 1 > /proc/sys/kernel/ftrace_enabled && echo done; pwd; id -u; exit 7";
    let outcome = exec(&scratch, script);
    let own = rustix::process::geteuid().as_raw();
    let here = scratch.path("").canonicalize().unwrap();
    assert_eq!(outcome.stdout, format!("libc:open\n1\n0\ndone\n{}\n{own}\n", here.display()));
    assert_eq!((outcome.stderr.as_str(), outcome.code()), ("", Some(7)));
    assert_eq!(covered(), Vec::<String>::new());
    let inside = exec(&scratch, &format!("cat {MOUNTS}")).stdout;
    assert!(inside.lines().any(|line| line.contains("lookback") && line.contains(" /sys/kernel/tracing ")));
    assert_eq!(run(&mut on(&scratch, &["get", "set_event"])).success().stdout, "libc:open\n");
}

#[test]
fn without_a_program_it_is_a_shell() {
    let scratch = scratch();
    let shell = scratch.write_program("shell", "#!/bin/sh\necho a shell of $# arguments; exit 3\n");
    let outcome = run(on(&scratch, &["exec"]).env("SHELL", shell));
    assert_eq!((outcome.stdout.as_str(), outcome.code()), ("a shell of 0 arguments\n", Some(3)));
    run(&mut on(&scratch, &["exec", "--", "no-such-program"])).failure(127, &["no-such-program"]);
    run(on(&scratch, &["exec", "true"]).env("LOOKBACK_SESSION", "/nowhere/s")).failure(125, &["/nowhere/s"]);
    let outcome = exec(&scratch, "kill -TERM $$");
    assert_eq!(outcome.signal(), Some(15));
}

/// In containers: nothing is mounted that libtracefs would find.
#[test]
fn where_there_is_no_tracefs_clients_find_one() {
    let scratch = scratch();
    let script = "umount -a -t tracefs,debugfs
                  exec $LOOKBACK exec -- sh -c 'grep -c \" tracefs \" /proc/mounts; trace-cmd list -e libc:^open$'";
    if is_missing(&["trace-cmd"]) {
        return;
    }
    let Some(mut command) = with_mount(&scratch, "covered", "size=1M", script) else { return };
    let outcome = run(command.env("LOOKBACK_SESSION", scratch.path("session"))).success();
    assert_eq!(outcome.stdout, "1\nlibc:open\n", "also for children of the program");
}

/// Neither is there where the kernel's is in other systems.
#[test]
fn where_there_is_no_place_for_one_it_is_somewhere_else() {
    let scratch = scratch();
    let script = "mount -t tmpfs none /sys/kernel && mkdir covered/tmp && export TMPDIR=$PWD/covered/tmp
                  $LOOKBACK exec -- sh -c 'grep -m1 \" tracefs \" /proc/mounts; cat $TRACEFS_PATH/tracing_on; exit 5'
                  echo $?; ls covered/tmp";
    let Some(mut command) = with_mount(&scratch, "covered", "size=1M", script) else { return };
    let outcome = run(command.env("LOOKBACK_SESSION", scratch.path("session"))).success();
    let mut lines = outcome.stdout.lines();
    assert!(lines.next().unwrap().contains("/covered/tmp/lookback-tracing-"), "{outcome:#?}");
    assert_eq!(lines.collect::<Vec<_>>(), ["1", "5"], "nothing is left");
}

/// Nor is there FUSE.
#[test]
fn where_there_is_no_fuse_that_is_told() {
    let scratch = scratch();
    let script = "mount -t tmpfs none /sys/kernel && mkdir /dev/shm /dev/tmp && export TMPDIR=/dev/tmp
                  $LOOKBACK exec -- true; echo $?; ls $TMPDIR; exit 125";
    let Some(mut command) = with_mount(&scratch, "/dev", "size=1M", script) else { return };
    let outcome = run(command.env("LOOKBACK_SESSION", scratch.path("session")));
    let outcome = outcome.failure(125, &["/dev/fuse: No such file or directory", "modprobe fuse"]);
    assert_eq!(outcome.stdout, "125\n", "nothing is left");
}

/// In a root directory with next to nothing; then with `/proc`, which clients read.
#[test]
fn in_a_bare_root_it_needs_proc() {
    let scratch = scratch();
    let script = "cd root && mkdir usr dev proc tmp && ln -s usr/bin usr/lib usr/lib64 . && cp $LOOKBACK tmp
                  mount --bind /usr usr && mount --bind /dev dev && mkdir session && mount --bind ../session session
                  chroot . /tmp/lookback exec -- true; echo $?; ls tmp; mount -t proc none proc
                  chroot . /tmp/lookback exec -- sh -c 'cat $TRACEFS_PATH/tracing_on'; echo $?; ls tmp; exit 125";
    let Some(mut command) = with_mount(&scratch, "root", "size=256M", script) else { return };
    let outcome = run(command.env("LOOKBACK_SESSION", "/session")).failure(125, &["/proc has to be mounted"]);
    assert_eq!(outcome.stdout, "125\nlookback\n1\n0\nlookback\n", "{}", outcome.stderr);
}

#[test]
fn signals_reach_the_program() {
    let scratch = scratch();
    let script = "trap 'echo told; exit 9' TERM; echo ready; while :; do sleep 0.01; done";
    let mut running = start(&mut on(&scratch, &["exec", "--", "sh", "-c", script]));
    running.wait_for("ready");
    running.signal(rustix::process::Signal::TERM);
    let outcome = running.wait();
    assert_eq!((outcome.stdout.as_str(), outcome.code()), ("ready\ntold\n", Some(9)));
}

/// Each has the tree of its own session.
#[test]
fn one_runs_within_another() {
    let (scratch, other) = (scratch(), scratch());
    run(&mut on(&other, &["set", "set_event", "libc:close"])).success();
    let script = "echo libc:open > /sys/kernel/tracing/set_event
                  LOOKBACK_SESSION=$OTHER $LOOKBACK exec -- cat /sys/kernel/tracing/set_event
                  cat /sys/kernel/tracing/set_event";
    let mut command = on(&scratch, &["exec", "--", "sh", "-c", script]);
    command.env("LOOKBACK", LOOKBACK).env("OTHER", other.path("session"));
    assert_eq!(run(&mut command).success().stdout, "libc:close\nlibc:open\n");
}

/// A script that somebody else than root runs, with a device that he may open as distributions have it, or
/// with that `$MODE`. He finds the command in `$LOOKBACK`, and has a session. None where a test can't be run.
fn nobodys(scratch: &Scratch, script: &str) -> Option<Command> {
    let nobody = as_nobody(scratch)?;
    let lookback = nobody.get_args().last()?.to_os_string();
    // A directory of his own, and the device for all: in a mount namespace, so only here.
    let device = "mknod covered/fuse c 10 229 && chmod ${MODE:-666} covered/fuse
                  mount --bind covered/fuse /dev/fuse
                  mkdir -m 777 covered/own && cd covered/own
                  exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \"$SCRIPT\"";
    let mut command = with_mount(scratch, "covered", "size=64M,mode=755", device)?;
    let script = format!("$LOOKBACK start -q -b 256 -e libc:open_exit && {script}");
    command.env("SCRIPT", script).env("LOOKBACK", lookback);
    command.env("LOOKBACK_SESSION", scratch.path("covered/own/session"));
    Some(command)
}

#[test]
fn nobody_needs_to_be_root() {
    let scratch = scratch();
    let script = "$LOOKBACK exec -- sh -c 'id -u; cat /sys/kernel/tracing/set_event
                  echo hello > /sys/kernel/tracing/trace_marker; grep -c hello /sys/kernel/tracing/trace
                  $LOOKBACK run -- cat /etc/hostname > /dev/null; grep -c hostname /sys/kernel/tracing/trace'";
    let Some(mut command) = nobodys(&scratch, script) else { return };
    assert_eq!(run(&mut command).success().stdout, "65534\nlibc:open_exit\n1\n1\n");
}

/// The server has rights to the open files of the program, which splice(2) of `trace_pipe` needs.
#[test]
fn nobody_needs_to_be_root_to_splice() {
    let scratch = scratch();
    if is_missing(&["python3"]) {
        return;
    }
    let script = r#"$LOOKBACK exec -- python3 -c '
import os
marker = os.open("/sys/kernel/tracing/trace_marker", os.O_WRONLY)
pipe = os.open("/sys/kernel/tracing/trace_pipe", os.O_RDONLY)
reader, writer = os.pipe()
for mark in "one", "two":
    os.write(marker, mark.encode())
    os.splice(pipe, writer, 65536)
    print(os.read(reader, 65536).decode().rpartition(": ")[2], end="")'"#;
    let Some(mut command) = nobodys(&scratch, script) else { return };
    assert_eq!(run(&mut command).success().stdout, "one\ntwo\n");
}

/// No helper is asked: it would have no more rights there.
#[test]
fn who_may_not_use_the_device_is_told() {
    let scratch = scratch();
    let Some(mut command) = nobodys(&scratch, "$LOOKBACK exec -- true") else { return };
    let outcome = run(command.env("MODE", "600")).failure(125, &["/dev/fuse: Permission denied"]);
    assert!(!outcome.stderr.contains("fusermount3"), "{}", outcome.stderr);
}

#[test]
fn who_may_not_mount_mounts_by_the_helper() {
    let scratch = scratch();
    if is_missing(&["fusermount3"]) {
        return;
    }
    let script = "mkdir here && $LOOKBACK mount here > said && cat here/set_event
                  $LOOKBACK umount here && $LOOKBACK umount here";
    let Some(mut command) = nobodys(&scratch, script) else { return };
    let outcome = run(&mut command).failure(125, &["no session is mounted here"]);
    assert_eq!(outcome.stdout, "libc:open_exit\n");
}

#[test]
fn where_namespaces_are_forbidden_the_way_out_is_told() {
    let scratch = scratch();
    if is_missing(&["unshare", "setpriv"]) {
        return;
    }
    let script = "echo 0 > /proc/sys/user/max_user_namespaces
                  exec setpriv --bounding-set -sys_admin $LOOKBACK exec -- true";
    let mut command = scratch.command("unshare");
    command.args(["-Ur", "sh", "-c", script]).env("LOOKBACK", LOOKBACK);
    command.env("LOOKBACK_SESSION", scratch.path("session"));
    let parts = ["no user namespace", "sysctl user.max_user_namespaces=15000", "lookback mount DIR"];
    run(&mut command).failure(125, &parts);
}

/// The lines of a text that are about a thread of this name.
fn lines_of<'a>(text: &'a str, comm: &str) -> Vec<&'a str> {
    let is_its = |line: &&str| line.trim_start().starts_with(&format!("{comm}-"));
    text.lines().filter(is_its).collect()
}

#[test]
fn what_it_runs_is_recorded() {
    let scratch = scratch();
    let script = "echo libc:open_exit > /sys/kernel/tracing/set_event; cat /etc/passwd > /dev/null
                  $LOOKBACK run -- cat /etc/hostname > /dev/null; echo a marker > /sys/kernel/tracing/trace_marker
                  cat /sys/kernel/tracing/trace";
    let text = exec(&scratch, script).success().stdout;
    assert!(text.contains("pathname=\"/etc/passwd\""), "{text}");
    assert!(text.contains("pathname=\"/etc/hostname\"") && text.contains("a marker"), "{text}");
    // The shell only writes the tree. It is attached once, also where it is started by a traced one.
    assert_eq!(lines_of(&text, "sh").iter().filter(|line| line.contains("/trace_marker\"")).count(), 1);
    let traced = "exec $LOOKBACK exec -- sh -c \"$SCRIPT\"";
    let mut command = on(&scratch, &["run", "-q", "--", "sh", "-c", traced]);
    let script = ": < /etc/services; cat /sys/kernel/tracing/trace";
    let text = run(command.env("LOOKBACK", LOOKBACK).env("SCRIPT", script)).success().stdout;
    assert_eq!(text.matches("pathname=\"/etc/services\"").count(), 1, "{text}");
}

/// Else it would read for ever what it does itself.
#[test]
fn who_reads_the_tree_is_left_out_from_then_on() {
    let scratch = scratch();
    let script = "cd /sys/kernel/tracing; echo 1 > events/libc/enable; exec cat trace_pipe";
    let mut running = start(&mut on(&scratch, &["exec", "--", "sh", "-c", script]));
    // It was recorded until it read: with the opening, and the call that then waits.
    running.wait_for("pathname=\"trace_pipe\"");
    let is_reading = |text: &str| text.contains(" read: fd=") || text.contains(" poll: ");
    running.wait_until(|| lines_of(&running.printed(), "cat").last().is_some_and(|line| is_reading(line)));
    let before = running.printed();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(running.printed(), before);
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.wait().signal(), Some(15));
}

#[test]
fn children_of_a_reader_are_left_out_and_programs_that_it_executes_are_not() {
    let scratch = scratch();
    if is_missing(&["python3"]) {
        return;
    }
    let script = r#"
import os, threading
tree = "/sys/kernel/tracing/"
def write(name, text):
    with open(tree + name, "w") as file: file.write(text)
def touch(path):
    try: os.close(os.open(path, os.O_RDONLY))
    except OSError: pass
write("set_event", "libc:open_exit sched:sched_process_exec sched:sched_process_exit")
touch("/before")
# By a thread that has recorded nothing.
reader = threading.Thread(target=lambda: open(tree + "tracing_on").read())
reader.start(); reader.join()
touch("/after")
if os.fork() == 0:
    touch("/child")
    os._exit(0)
os.wait()
os.posix_spawn("/bin/cat", ["cat", "/spawned"], os.environ)
os.wait()
if os.fork() == 0:
    touch("/forked")
    os.execvp("cat", ["cat", "/executed"])
os.wait()
write("trace_marker", "end")
print(open(tree + "trace").read())
"#;
    let mut command = on(&scratch, &["exec", "--", "python3", "-c", script]);
    let text = run(&mut command).success().stdout;
    let has = |path: &str| text.contains(&format!("pathname=\"{path}\""));
    assert!(has("/before") && !has("/after") && !has("/child") && !has("/forked"), "{text}");
    assert!(has("/spawned") && has("/executed") && text.contains("end"), "{text}");
    assert_eq!(text.matches("sched_process_exec: ").count(), 2, "{text}");
    assert_eq!(text.matches("sched_process_exit: ").count(), 2, "{text}");
}

#[test]
fn the_list_says_who_is_left_out() {
    let scratch = scratch();
    let script = "cat /sys/kernel/tracing/trace_pipe & reader=$!; sleep 100 &
                  until $LOOKBACK list | grep -q 'not recorded'; do sleep 0.05; done
                  $LOOKBACK list; $LOOKBACK list --json; kill $reader $!; wait";
    let text = exec(&scratch, script).stdout;
    let (table, json) = text.split_once("{\"session\"").unwrap();
    let line = |name: &str| table.lines().find(|line| line.contains(name)).unwrap();
    assert!(line("/cat").ends_with("/cat  (not recorded: reads the control tree)"), "{table}");
    assert!(line("/sleep").ends_with("/sleep"), "{table}");
    assert_eq!(json.matches("\"left_out_because\":\"reads the control tree\"").count(), 1, "{json}");
}

#[test]
fn in_somebody_elses_session_programs_run_unrecorded() {
    let scratch = scratch();
    if needs_root("another user") {
        return;
    }
    std::os::unix::fs::chown(scratch.path("session/session"), Some(65534), None).unwrap();
    let outcome = exec(&scratch, "cat /sys/kernel/tracing/tracing_on; echo $LD_PRELOAD").success();
    assert_eq!(outcome.stdout, "1\n\n");
    assert!(outcome.stderr.contains("programs run unrecorded"), "{}", outcome.stderr);
}
