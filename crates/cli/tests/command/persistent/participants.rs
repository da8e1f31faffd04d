//! Which processes are attached to a session, and which are not: programs that can't, workers, several users.

use super::Persistent;
use crate::common::*;
use std::path::{Path, PathBuf};

#[test]
fn the_list_has_attached_processes_and_others() {
    let persistent = Persistent::new(&[]);
    let sleeps = "#include <unistd.h>\nint main(void) { return sleep(60); }";
    let fixed = compile(&persistent.scratch, "fixed", sleeps, &["-static"]);
    let script = format!("{} & sleep 60 & echo started; wait", fixed.display());
    let mut running = start(&mut persistent.running(&["sh", "-c", &script]));
    running.wait_for("started");
    let listed = || persistent.done("list", &[]).stdout;
    running.wait_until(|| listed().contains("static program"));
    let text = listed();
    let (attached, others) = text.split_once("not attached").unwrap();
    assert!(attached.contains("sh") && attached.contains("/sleep"), "{text}");
    assert!(!attached.contains("fixed") && others.contains("fixed"), "{text}");
    let json = persistent.done("list", &["--json"]).stdout;
    assert!(json.contains("\"comm\":\"fixed\"") && json.contains("\"why\":\"static program\""), "{json}");
    let stat = persistent.done("stat", &[]).stdout;
    assert!(stat.contains("\nunseen     static program: ") && stat.contains(" fixed\n"), "{stat}");
    let json = persistent.done("stat", &["--json"]).stdout;
    assert!(
        json.contains("\"comm\":\"fixed\",\"why\":\"static program\"}],\"recorded_in_part\":[]"),
        "{json}"
    );
    let threads = persistent.done("list", &["--threads"]).stdout;
    let pid = others.lines().find_map(|line| line.trim().strip_suffix("static program")?.split(' ').next());
    let is_of = |line: &str| line.split_whitespace().next() == pid;
    assert!(threads.contains("sleep") && pid.is_some() && !threads.lines().any(is_of), "{pid:?}\n{threads}");
    // The whole group.
    drop(running);
    while !listed().contains("attached  0 processes") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    persistent.shown(&[]).expect_of("sh", "sched_process_exit", "comm=sh");
    assert!(persistent.done("list", &["--threads"]).stdout.starts_with("no thread is attached\n"));
}

#[test]
fn who_records_into_a_session_that_was_deleted_is_listed_as_such() {
    let persistent = Persistent::new(&[]);
    let mut running = start(&mut persistent.running(&["sh", "-c", "echo started; sleep 60; true"]));
    running.wait_for("started");
    persistent.done("delete", &[]);
    persistent.done("start", &["-b", "64"]);
    let why = "it records into an earlier session of this name, which was deleted: start it again";
    let listed = persistent.done("list", &[]).stdout;
    assert!(listed.contains("attached  0 processes") && listed.contains(why), "{listed}");
}

#[test]
fn what_is_seen_in_part_is_listed_and_extracted() {
    if is_missing(&["cc", "go"]) {
        return;
    }
    let persistent = Persistent::new(&[]);
    let source = "package main\nimport \"C\"\nimport \"time\"\nfunc main() { time.Sleep(time.Minute) }\n";
    let program = build_go(&persistent.scratch, "waits", source, &[]).display().to_string();
    let running = start(&mut persistent.running(&[&program]));
    running.wait_until(|| {
        persistent.done("list", &[]).stdout.contains("(in part: Go makes its own system calls)")
    });
    let json = persistent.done("list", &["--json"]).stdout;
    assert!(json.contains("\"in_part\":\"Go makes its own system calls\""), "{json}");
    let stat = persistent.done("stat", &[]).stdout;
    assert!(
        stat.contains("\nin part    Go makes its own system calls: ") && !stat.contains("unseen"),
        "{stat}"
    );
    let json = persistent.done("stat", &["--json"]).stdout;
    assert!(json.contains("\"not_recorded\":[],\"recorded_in_part\":[{\"pid\":"), "{json}");
    let file = persistent.scratch.outside("trace.dat").display().to_string();
    let extracted = persistent.done("extract", &["-o", &file]).stderr;
    assert!(extracted.contains("in part  Go makes its own system calls: "), "{extracted}");
    let told = run(&mut persistent.scratch.report(&[])).success().stderr;
    assert!(told.contains("lookback: recorded in part: Go makes its own system calls: "), "{told}");
}

#[test]
fn the_newest_have_their_names_after_any_number_of_programs() {
    let persistent = Persistent::of_size("4096", &["-e", "sched:"]);
    // Each has two entries of 4096: as what was forked, and as the program.
    let script = "i=0; while [ $i -lt 2500 ]; do /bin/true; i=$((i + 1)); done; exec /bin/sh -c :";
    let outcome = run(&mut persistent.running(&["sh", "-c", script]));
    assert!(outcome.status.success(), "{outcome:?}");
    let events = persistent.shown(&[]).events;
    assert!(events.len() > 10_000, "nothing was overwritten");
    let nameless: Vec<&Event> =
        events.iter().rev().take(1000).filter(|event| event.comm == "<...>").collect();
    assert!(nameless.is_empty(), "{nameless:?}");
}

/// A program that becomes nobody, with the group `group` or none, says so, and runs another.
fn dropping(scratch: &Scratch, group: u32) -> PathBuf {
    let source = format!(
        "#include <fcntl.h>\n#include <grp.h>\n#include <unistd.h>\n
        int main(void) {{
            gid_t group = {group};
            if (setgroups(group != 0, &group) || setgid(65534) || setuid(65534)) return 1;
            openat(AT_FDCWD, \"/dropped\", O_RDONLY);
            if (fork() == 0) {{ execlp(\"cat\", \"cat\", \"/executed\", (char *)0); }}
            write(1, \"dropped\\n\", 8);
            return sleep(60);
        }}"
    );
    compile(scratch, "dropping", &source, &["-w"])
}

#[test]
fn a_worker_that_drops_its_privileges_stays_what_it_executes_is_listed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let persistent = Persistent::new(&[]);
    let program = dropping(&persistent.scratch, 0);
    let program = std::fs::read(program).unwrap();
    let program = persistent.scratch.write_program("dropping", program);
    let script = format!("exec {}", program.display());
    let mut running = start(&mut persistent.running(&["sh", "-c", &script]));
    running.wait_for("dropped");
    running.wait_until(|| persistent.opened(&[]).contains(&"/dropped".to_string()));
    assert!(!persistent.opened(&[]).contains(&"/executed".to_string()));
    // Its own shell has no rights either: it is listed with the reason as long as it runs.
    let mut nobody = persistent.running(&["setpriv", "--reuid", "65534", "--clear-groups", "sleep", "60"]);
    let others = start(&mut nobody);
    others.wait_until(|| {
        let text = persistent.done("list", &[]).stdout;
        text.contains("its user, 65534, may not open the session")
    });
}

#[test]
fn a_group_can_share_a_session() {
    // Some group that nobody is in by itself.
    const GROUP: u32 = 60;
    let scratch = Scratch::new();
    let Some(mut stranger) = as_nobody(&scratch) else { return };
    let path = scratch.outside("shared");
    let name = path.to_str().unwrap();
    let mut command = scratch.lookback(&["start", "-q", "-b", "64", "--session", name]);
    run(command.args(["--group", &GROUP.to_string()])).success();
    let mode = |path: &Path| std::os::unix::fs::MetadataExt::mode(&path.metadata().unwrap()) & 0o7777;
    assert_eq!((mode(&path), mode(&path.join("session"))), (0o2770, 0o660));
    let private = Persistent::new(&[]);
    run(&mut private.task("start", &["--group", "0"])).failure(125, &["leave out --group"]);
    run(stranger.args(["show", "--session", name])).failure(125, &["Permission denied"]);
    let member = |arguments: &[&str]| {
        let mut command = scratch.command("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--groups", &GROUP.to_string()]);
        command.arg(scratch.outside("lookback")).args(arguments);
        command
    };
    let program = dropping(&scratch, GROUP);
    let program = scratch.write_program("dropping", std::fs::read(program).unwrap());
    let mut command = scratch.lookback(&["run", "--session", name, "--", program.to_str().unwrap()]);
    let mut running = start(&mut command);
    running.wait_for("dropped");
    // By a member, without root: what the worker did, and what it has executed.
    running.wait_until(|| {
        let text = run(&mut member(&["show", "--session", name, "-e", "open*_exit"])).success().stdout;
        text.contains("/dropped") && text.contains("/executed")
    });
    run(&mut member(&["snapshot", "-s", "-q", "--session", name])).success();
    run(&mut member(&["delete", "--session", name])).failure(125, &["Permission denied"]);
    assert!(path.join("session").exists(), "the directory above is not the group's: nothing is done by half");
    let own = scratch.lookback(&["delete", "--session", name]);
    drop(running);
    run(&mut { own }).success();
}
