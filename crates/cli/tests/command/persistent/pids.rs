//! PID filters that traced programs heed.

use super::Persistent;
use crate::common::*;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{ChildStdin, Stdio};

/// A thread, a child of it by fork, and one of the first thread by vfork and execve: each opens what is named
/// after it, and waits until nobody has any more to do.
const FAMILY: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void *thread(void *unused) {
    open(\"/thread\", O_RDONLY);
    if (fork() == 0) {
        open(\"/forked\", O_RDONLY);
        _exit(0);
    }
    wait(0);
    return 0;
}
int main(void) {
    printf(\"%d.\", getpid());
    fflush(stdout);
    getchar();
    open(\"/first\", O_RDONLY);
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    pthread_join(other, 0);
    char *arguments[] = {\"cat\", \"/spawned\", 0};
    pid_t child;
    posix_spawnp(&child, \"cat\", 0, 0, arguments, environ);
    waitpid(child, 0, 0);
    open(\"/last\", O_RDONLY);
    puts(\"done\");
    fflush(stdout);
    getchar();
    return 0;
}";

/// Three thousand threads that start as fast as they can, and open a file each.
const CROWD: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *thread(void *number) {
    char path[32];
    snprintf(path, sizeof path, \"/%ld\", (long)number);
    open(path, O_RDONLY);
    return 0;
}
int main(void) {
    static pthread_t threads[3000];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    printf(\"%d.\", getpid());
    fflush(stdout);
    getchar();
    for (long i = 0; i < 3000; i++)
        if (pthread_create(&threads[i], &small, thread, (void *)i))
            return 1;
    for (long i = 0; i < 3000; i++)
        pthread_join(threads[i], 0);
    puts(\"done\");
    fflush(stdout);
    getchar();
    return 0;
}";

struct Family {
    persistent: Persistent,
    running: Running,
    input: ChildStdin,
    pid: String,
}

impl Family {
    /// One that waits to begin.
    fn new(persistent: Persistent) -> Family {
        Family::of(persistent, FAMILY)
    }

    /// The lines of other members.
    fn of(persistent: Persistent, source: &str) -> Family {
        let program = compile(&persistent.scratch, "family", source, &["-pthread"]);
        let mut command = persistent.running(&[program.to_str().unwrap()]);
        let mut running = start(command.stdin(Stdio::piped()));
        let input = running.input();
        running.wait_for(".");
        let pid = running.printed().trim_end_matches('.').to_string();
        Family { persistent, running, input, pid }
    }

    /// What they have opened, once all are done.
    fn opened(&mut self) -> BTreeSet<String> {
        self.input.write_all(b"\n").unwrap();
        self.running.wait_for("done");
        self.persistent.opened(&[]).into_iter().filter(|path| path.matches('/').count() == 1).collect()
    }

    fn list(&self) -> String {
        self.persistent.done("get", &["set_event_pid"]).stdout
    }
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn one_thread_alone_is_recorded() {
    let persistent = Persistent::of_size("256", &["-e", "libc:open*_exit"]);
    let mut family = Family::new(persistent);
    let pid = family.pid.clone();
    family.persistent.done("set", &["set_event_pid", &pid]);
    assert_eq!(family.opened(), set(&["/first", "/last"]));
    assert_eq!(family.list(), format!("{pid}\n"));
}

#[test]
fn one_thread_alone_is_not_recorded() {
    let mut family = Family::new(Persistent::of_size("256", &["-e", "libc:open*_exit"]));
    let pid = family.pid.clone();
    family.persistent.done("set", &["set_event_notrace_pid", &pid]);
    assert_eq!(family.opened(), set(&["/thread", "/forked", "/spawned"]));
}

#[test]
fn children_of_all_kinds_follow_and_go() {
    let mut family = Family::new(Persistent::of_size("256", &["-e", "libc:open*_exit"]));
    let pid = family.pid.clone();
    family.persistent.done("start", &["-q", "-e", "libc:open*_exit", "-P", &pid, "-c"]);
    let stat = family.persistent.done("stat", &["--interval", "0"]).stdout;
    assert!(stat.contains(&format!("only {pid}, and their children")), "{stat}");
    assert_eq!(family.opened(), set(&["/first", "/thread", "/forked", "/spawned", "/last"]));
    assert_eq!(family.list(), format!("{pid}\n"), "those that have ended are gone");
    drop(family.input);
    family.running.wait();
    let left = family.persistent.done("get", &["set_event_pid"]).stdout;
    assert_eq!(left, "");
    family.persistent.done("clear", &[]);
    family.persistent.run(&["cat", "/other"]);
    assert_eq!(family.persistent.opened(&[]), [""; 0], "a list that nobody is in");
}

#[test]
fn thousands_of_threads_follow() {
    let mut family = Family::of(Persistent::of_size("4096", &["-e", "libc:open_exit"]), CROWD);
    let pid = family.pid.clone();
    family.persistent.done("start", &["-q", "-e", "libc:open_exit", "-P", &pid, "-c"]);
    assert_eq!(family.opened(), (0..3000).map(|number| format!("/{number}")).collect());
}

#[test]
fn a_filter_attaches_nobody() {
    let session = Persistent::new(&[]);
    let mut sleep = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = sleep.id().to_string();
    let outcome = session.done("start", &["-P", &pid]);
    assert!(outcome.stderr.contains(&format!("sleep-{pid} is not attached")), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("`lookback run --session"), "{}", outcome.stderr);
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    let outcome = session.done("start", &["-P", &pid]);
    assert!(
        outcome.stderr.contains(&format!("no process or thread has PID {pid} now")),
        "{}",
        outcome.stderr
    );
}

#[test]
fn who_is_found_gone_died_at_an_unknown_time() {
    let session = Persistent::new(&["-e", "sched:sched_process_ex*"]);
    let sleep = start(&mut session.running(&["sleep", "60"]));
    sleep.wait_until(|| session.shown(&[]).count("sched_process_exec", "") > 0);
    sleep.signal(rustix::process::Signal::KILL);
    sleep.wait();
    session.done("list", &[]);
    session.shown(&[]).expect("sched_process_exit", "comm=sleep noticed_by=observer signal=unknown");
}
