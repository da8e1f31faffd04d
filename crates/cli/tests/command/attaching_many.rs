//! Processes are attached and detached by what they are in: a control group, a service, a user.

use crate::attaching::{ATTACHED, again_and_again, events_of, opened, tell};
use crate::common::*;
use crate::functions::{path, session};
use std::fs::{create_dir, remove_dir, write};
use std::path::PathBuf;
use std::process::Stdio;

/// A control group of this test's, whose processes are gone when it is removed.
struct Group(PathBuf);

impl Group {
    /// None where there are none.
    fn new(name: &str) -> Option<Group> {
        let mounted = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"].map(PathBuf::from);
        let mounted = mounted.into_iter().find(|mounted| mounted.join("cgroup.procs").exists())?;
        let directory = mounted.join(name);
        create_dir(&directory).ok()?;
        Some(Group(directory))
    }

    fn enter(&self, running: &Running) {
        write(self.0.join("cgroup.procs"), running.pid().to_string()).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = remove_dir(&self.0);
    }
}

fn begin(scratch: &Scratch) -> Running {
    let program = scratch.outside("attached");
    if !program.exists() {
        compile(scratch, "attached", ATTACHED, &["-O1", "-w", "-ldl"]);
    }
    let mut running = start(scratch.command(&program).stdin(Stdio::piped()));
    running.wait_for("ready");
    running
}

/// Attaches or detaches two processes by `option`, and looks that a third one is left alone.
fn check(scratch: &Scratch, option: &[&str], both: &mut [Running; 2], other: &mut Running) {
    let place = session(scratch, &["-e", "@file", "-b", "64"]);
    let act =
        |task: &str| again_and_again(|| run(scratch.lookback(&[task, "--session", &place]).args(option)));
    let said = act("attach").success().stderr;
    assert_eq!(said.matches(" is attached; ").count(), 2, "{said}");
    assert_eq!(act("attach").success().stderr, "", "they are attached already");
    let mut touch = || {
        both.iter_mut().for_each(|running| tell(running, "c"));
        tell(other, "c");
    };
    touch();
    let said = act("detach").success().stderr;
    assert_eq!(said.matches(" is detached; ").count(), 2, "{said}");
    assert_eq!(act("detach").success().stderr, "", "none is attached");
    touch();
    for running in both {
        assert_eq!(opened(&events_of(scratch, &place, running.pid())), ["/dev/null"]);
    }
    assert!(events_of(scratch, &place, other.pid()).is_empty());
}

#[test]
fn a_service_s_and_a_control_group_s_processes_are_attached() {
    let scratch = Scratch::new();
    let name = format!("lookback-test-{}.service", std::process::id());
    if needs_root("make a control group") {
        return;
    }
    let Some(group) = Group::new(&name) else { panic!("no control group can be made") };
    for by_service in [true, false] {
        let (mut both, mut other) = ([begin(&scratch), begin(&scratch)], begin(&scratch));
        both.iter().for_each(|running| group.enter(running));
        let service = name.trim_end_matches(".service");
        let option = if by_service { ["--service", service] } else { ["--cgroup", path(&group.0)] };
        check(&scratch, &option, &mut both, &mut other);
        let place = path(&scratch.outside("session")).to_string();
        run(&mut scratch.lookback(&["delete", "-q", "--session", &place])).success();
    }
    let place = session(&scratch, &["-e", "@file", "-b", "64"]);
    let none = ["attach", "--session", &place, "--service", "no-such-unit"];
    run(&mut scratch.lookback(&none)).failure(125, &["there is no process in no-such-unit.service"]);
    run(&mut scratch.lookback(&["attach", "--session", &place])).failure(125, &["--all-of-user"]);
}

#[test]
fn a_user_s_processes_are_listed_with_why_they_are_not_attached() {
    if is_missing(&["setpriv"]) || needs_root("become somebody else") {
        return;
    }
    let scratch = Scratch::new();
    let place = session(&scratch, &["-e", "@file", "-b", "64"]);
    drop(begin(&scratch));
    let program = path(&scratch.outside("attached")).to_string();
    // Nobody else has processes of this user.
    let user = (40_000 + std::process::id() % 20_000).to_string();
    let begin = || {
        let mut setpriv = scratch.command("setpriv");
        setpriv.args(["--reuid", &user, "--regid", &user, "--clear-groups", &program]).stdin(Stdio::piped());
        let mut running = start(&mut setpriv);
        running.wait_for("ready");
        running
    };
    let mut both = [begin(), begin()];
    let option = format!("--all-of-user={user}");
    let said = run(&mut scratch.lookback(&["attach", "--session", &place, &option])).failure(125, &[]).stderr;
    for running in &mut both {
        let why = format!(
            "attached-{} was not attached: its user, {user}, may not open the session",
            running.pid()
        );
        assert!(said.contains(&why), "{said}");
        tell(running, "c");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
    let nobody = ["attach", "--session", &place, "--all-of-user=no such user"];
    run(&mut scratch.lookback(&nobody)).failure(125, &["there is no user no such user"]);
}
