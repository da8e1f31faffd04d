//! What threads are in, as `list --threads` shows it.

use super::Persistent;
use crate::common::*;
use rustix::process::Signal;

/// Programs that wait in calls, and without any until a signal comes.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t come;
static sigjmp_buf away;
static void *plain_away[5];
static char byte;
static void comes(int number) { (void)number; come = 1; }
static void spin(void) { while (!come) {} come = 0; }
static void jump(int number) { (void)number; siglongjmp(away, 1); }
static void plain_jump(int number) { (void)number; __builtin_longjmp(plain_away, 1); }
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER };
    sigaction(signal_number, &action, 0);
}
static void nap(int number) {
    (void)number;
    struct timespec length = { 0, 700000000 };
    nanosleep(&length, 0);
}
static int chosen(const struct dirent *entry) {
    if (strcmp(entry->d_name, ".")) return 0;
    if (!sigsetjmp(away, 1)) read(0, &byte, 1);
    write(1, "r", 1);
    spin();
    return 0;
}
static __attribute__((noinline)) void writes(char *far) { *far = 1; write(1, "w", 1); }
static __attribute__((noinline)) void deeper(void) { char many[8192]; writes(many); }
static __attribute__((noinline)) void reads_deeper(void) { char many[8192]; read(0, many, 1); spin(); }
static void *waits(void *nothing) { read(0, &byte, 1); return nothing; }

int main(int count, char **words) {
    const char *mode = words[count - 1];
    struct dirent **names;
    pthread_t thread;
    handle(SIGUSR2, comes);
    if (!strcmp(mode, "nested")) {
        scandir("/", &names, chosen, 0);
    } else if (!strcmp(mode, "nested_jump")) {
        handle(SIGUSR1, jump);
        scandir("/", &names, chosen, 0);
        spin();
    } else if (!strcmp(mode, "handler")) {
        handle(SIGUSR1, nap);
        read(0, &byte, 1);
    } else if (!strcmp(mode, "jump")) {
        handle(SIGUSR1, jump);
        if (!sigsetjmp(away, 1)) read(0, &byte, 1);
        deeper();
        spin();
    } else if (!strcmp(mode, "plain_jump")) {
        handle(SIGUSR1, plain_jump);
        if (!__builtin_setjmp(plain_away)) reads_deeper();
        write(1, "w", 1);
        spin();
    } else if (!strcmp(mode, "vfork")) {
        if (vfork() == 0) {
            read(0, &byte, 1);
            _exit(0);
        }
    } else if (!strcmp(mode, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            read(0, &byte, 1);
            _exit(0);
        }
        waitpid(child, 0, 0);
    } else if (!strcmp(mode, "threads")) {
        pthread_create(&thread, 0, waits, 0);
        pthread_join(thread, 0);
        pthread_create(&thread, 0, waits, 0);
        spin();
        pthread_cancel(thread);
        pthread_join(thread, 0);
    }
    pause();
    return 0;
}
"#;

/// A program of these that runs, with a pipe as its input.
struct Waiting {
    persistent: Persistent,
    running: Running,
}

impl Waiting {
    #[track_caller]
    fn new(events: &[&str], mode: &str) -> Waiting {
        let persistent = Persistent::new(events);
        let program = compile(&persistent.scratch, "waiting", PROGRAM, &["-pthread"]);
        let mut command = persistent.running(&[program.to_str().unwrap(), mode]);
        let running = start(command.stdin(std::process::Stdio::piped()));
        Waiting { persistent, running }
    }

    /// The threads, those that run and those that have ended.
    fn listed(&self) -> [Vec<Thread>; 2] {
        let listed = self.persistent.done("list", &["--threads", "--json"]).stdout;
        let (running, ended) = listed.split_once(r#"],"ended":["#).unwrap();
        [running, ended]
            .map(|list| list.split('{').filter(|part| part.contains("tid")).map(Thread::parse).collect())
    }

    /// What the threads are in, by PID and TID.
    fn calls(&self) -> Vec<String> {
        self.listed()[0].iter().map(|thread| thread.call.clone()).collect()
    }

    /// Waits until the threads are in these.
    fn expect(&self, calls: &[&str]) {
        self.running.wait_until(|| self.calls() == calls);
    }

    /// When the first thread has entered the call that it is in, in ns.
    fn since(&self) -> u64 {
        self.listed()[0][0].since
    }

    fn feed(&mut self, input: &mut impl std::io::Write) {
        input.write_all(b"x").unwrap();
    }
}

/// A thread, as it is listed.
#[derive(Debug, Clone, PartialEq)]
struct Thread {
    pid: u64,
    tid: u64,
    /// With its first argument.
    call: String,
    /// When it has entered that, in ns; 0 where it is in none.
    since: u64,
}

impl Thread {
    fn parse(object: &str) -> Thread {
        let value = |name: &str| {
            let (_, rest) = object.split_once(&format!("\"{name}\":")).unwrap();
            rest.split([',', '}']).next().unwrap().trim_matches('"').to_owned()
        };
        let number = |name: &str| value(name).parse().unwrap_or(0);
        let call = match (value("call").as_str(), value("argument").as_str()) {
            ("null", _) => "-".to_owned(),
            (call, "null") => call.to_owned(),
            (call, argument) => format!("{call}({argument})"),
        };
        Thread { pid: number("pid"), tid: number("tid"), call, since: number("since") }
    }
}

/// Far less than a call of the tests takes.
const SOON: u64 = 200_000_000;

#[test]
fn a_call_in_another_is_shown_until_it_ends() {
    let mut waiting = Waiting::new(&[], "nested");
    waiting.expect(&["read(0)"]);
    let mut input = waiting.running.input();
    waiting.feed(&mut input);
    waiting.running.wait_for("r");
    waiting.expect(&["scandir"]);
    waiting.running.signal(Signal::USR2);
    waiting.expect(&["pause"]);
    let text = waiting.persistent.done("list", &["-t"]).stdout;
    let [head, row] = text.lines().collect::<Vec<_>>().try_into().unwrap();
    assert!(head.ends_with("  IN") && row.ends_with("  pause") && row.contains("waiting"), "{text}");
}

#[test]
fn a_handler_shows_its_own_calls_and_then_what_it_has_interrupted() {
    let waiting = Waiting::new(&[], "handler");
    waiting.expect(&["read(0)"]);
    let before = waiting.since();
    waiting.running.signal(Signal::USR1);
    waiting.expect(&["nanosleep"]);
    assert!(waiting.since() > before);
    waiting.expect(&["read(0)"]);
    assert!(waiting.since().abs_diff(before) < SOON, "restarted, but not entered again");
}

#[test]
fn what_a_jump_has_left_is_not_shown() {
    // A jump that nobody sees is found by the next call from as far up the stack.
    for mode in ["jump", "plain_jump"] {
        let mut waiting = Waiting::new(&[], mode);
        waiting.expect(&["read(0)"]);
        waiting.running.signal(Signal::USR1);
        waiting.running.wait_for("w");
        waiting.expect(&["-"]);
        waiting.running.signal(Signal::USR2);
        waiting.expect(&["pause"]);
    }
    // Out of a call in another, which goes on.
    let mut waiting = Waiting::new(&[], "nested_jump");
    waiting.expect(&["read(0)"]);
    waiting.running.signal(Signal::USR1);
    waiting.running.wait_for("r");
    waiting.expect(&["-"]);
    waiting.running.signal(Signal::USR2);
    waiting.expect(&["-"]);
    std::thread::sleep(std::time::Duration::from_millis(50));
    waiting.running.signal(Signal::USR2);
    waiting.expect(&["pause"]);
}

#[test]
fn what_was_killed_has_been_in_its_call() {
    let waiting = Waiting::new(&["-e", "libc:*_exit"], "handler");
    waiting.expect(&["read(0)"]);
    let (pid, since) = (waiting.listed()[0][0].pid, waiting.since());
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    waiting.running.wait_until(|| waiting.calls().is_empty());
    let [_, ended] = waiting.listed();
    let [thread] = ended.try_into().unwrap();
    assert_eq!(thread.call, "read(0)");
    assert!(thread.since.abs_diff(since) < SOON, "{thread:?}");
    let text = waiting.persistent.done("list", &["-t"]).stdout;
    assert!(text.contains("read(0) since ") && text.contains(" ago, end seen "), "{text}");
}

#[test]
fn a_child_in_its_makers_memory_says_nothing() {
    let mut waiting = Waiting::new(&[], "vfork");
    waiting.running.wait_until(|| waiting.calls().len() == 2);
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(waiting.calls(), ["-", "-"]);
    let mut input = waiting.running.input();
    waiting.feed(&mut input);
    waiting.expect(&["pause"]);
}

#[test]
fn a_forked_child_has_calls_of_its_own() {
    let mut waiting = Waiting::new(&[], "fork");
    waiting.running.wait_until(|| waiting.calls().len() == 2);
    let [parent, child] = waiting.listed()[0].clone().try_into().unwrap();
    waiting.expect(&[&format!("waitpid({})", child.pid), "read(0)"]);
    assert_ne!(parent.pid, child.pid);
    let mut input = waiting.running.input();
    waiting.feed(&mut input);
    waiting.expect(&["pause"]);
    assert_eq!(waiting.listed()[1], []);
}

#[test]
fn threads_that_have_ended_or_were_cancelled_are_in_nothing() {
    let mut waiting = Waiting::new(&[], "threads");
    waiting.running.wait_until(|| waiting.calls().get(1).is_some_and(|call| call == "read(0)"));
    let first = waiting.listed()[0][1].tid;
    let mut input = waiting.running.input();
    waiting.feed(&mut input);
    let is_second = |threads: &[Thread]| threads.len() == 2 && threads[1].tid != first;
    waiting.running.wait_until(|| is_second(&waiting.listed()[0]) && waiting.calls()[1] == "read(0)");
    waiting.running.signal(Signal::USR2);
    waiting.expect(&["pause"]);
    assert_eq!(waiting.listed()[1], []);
}

/// The calls in progress of a report: `in read(0) for`, by the thread's number.
fn kept(report: &str) -> Vec<(u64, String)> {
    let lines = report.lines().filter(|line| line.contains(": call_in_progress: "));
    let parse = |line: &str| {
        let (head, text) = line.split_once(": call_in_progress: ").unwrap();
        let thread = head.split_whitespace().next().unwrap().rsplit_once('-').unwrap().1;
        let (call, length) = text.rsplit_once(' ').unwrap().0.rsplit_once(' ').unwrap();
        assert!(length.parse::<f64>().unwrap() < 600.0 && text.ends_with(" s"), "{line}");
        (thread.parse().unwrap(), call.to_owned())
    };
    lines.map(parse).collect()
}

#[test]
fn snapshots_keep_what_threads_are_in() {
    let waiting = Waiting::new(&[], "fork");
    waiting.running.wait_until(|| waiting.calls().get(1).is_some_and(|call| call == "read(0)"));
    let [parent, child] = waiting.listed()[0].clone().try_into().unwrap();
    waiting.persistent.done("snapshot", &["-s"]);
    let mut found = kept(&waiting.persistent.done("snapshot", &[]).stdout);
    found.sort();
    let expected =
        [(parent.tid, format!("in waitpid({}) for", child.pid)), (child.tid, "in read(0) for".to_owned())];
    assert_eq!(found, expected);
    assert!(kept(&waiting.persistent.done("show", &[]).stdout).is_empty(), "in the snapshot alone");
    waiting.persistent.done("set", &["lookback:call_in_progress", "off"]);
    waiting.persistent.done("snapshot", &["-s"]);
    assert!(kept(&waiting.persistent.done("snapshot", &[]).stdout).is_empty());
}

#[test]
fn what_was_killed_is_shown_with_its_call() {
    let waiting = Waiting::new(&[], "handler");
    waiting.expect(&["read(0)"]);
    let tid = waiting.listed()[0][0].tid;
    waiting.running.signal(Signal::KILL);
    // It may take a moment until it is gone.
    let shown = || waiting.persistent.done("show", &[]).stdout;
    waiting.running.wait_until(|| !kept(&shown()).is_empty());
    assert_eq!(kept(&shown()), [(tid, "in read(0) for".to_owned())]);
    let events = shown();
    assert!(events.find("call_in_progress") < events.find("sched_process_exit"), "{events}");
}

#[test]
fn recordings_end_with_what_was_killed_and_what_goes_on() {
    let scratch = Scratch::new();
    let program = compile(&scratch, "waiting", PROGRAM, &["-pthread"]);
    let script = r#"
        "$0" handler < pipe & killed=$!
        ("$0" handler < pipe & echo $! > left)
        for pid in $killed $(cat left); do
            until grep -q pipe_read /proc/$pid/wchan; do sleep 0.05; done
        done
        kill -9 $killed"#;
    run(scratch.command("mkfifo").arg("pipe")).success();
    let hold = start(scratch.command("sh").args(["-c", "exec sleep 60 <> pipe"]));
    run(&mut scratch.record(&[], &["sh", "-c", script, program.to_str().unwrap()])).code();
    let left = std::fs::read_to_string(scratch.path("left")).unwrap().trim().parse().unwrap();
    let found = kept(&run(&mut scratch.report(&[])).success().stdout);
    assert!(found.contains(&(left, "in read(0) for".to_owned())), "{found:?}");
    let left = rustix::process::Pid::from_raw(left as i32).unwrap();
    rustix::process::kill_process(left, Signal::KILL).unwrap();
    hold.signal(Signal::KILL);
    hold.wait();
}
