//! Real programs: recorded they do what they do otherwise, and the trace explains it.

use crate::common::*;
use rustix::process::Signal;
use std::fmt::Write;

/// Runs a program without and with lookback, each time in a new directory that `prepare` has filled. Checks
/// that nobody sees a difference and that nothing is lost; gives what was recorded.
#[track_caller]
fn alike(prepare: impl Fn(&Scratch), program: &[&str]) -> (Outcome, Trace) {
    let (plain, recorded) = (Scratch::new(), Scratch::new());
    prepare(&plain);
    prepare(&recorded);
    let expected = run(plain.command(program[0]).args(&program[1..]));
    let mut outcome = run(&mut recorded.record(&[], program));
    // The summary comes last.
    let summary = outcome.stderr.split_off(expected.stderr.len().min(outcome.stderr.len()));
    assert_eq!(outcome.visible(), expected.visible());
    assert_eq!(recorded.names(), plain.names());
    let first = summary.lines().next().unwrap_or_default();
    assert!(first.starts_with("lookback: ") && first.ends_with(", 0 lost"), "{summary}");
    let trace = recorded.trace();
    let ends = trace.count("sched_process_exit", "group_dead=true");
    assert!(first.contains(&format!("{ends} process")), "{ends} have ended: {summary}");
    (outcome, trace)
}

/// The PIDs of all processes that have executed a program whose path ends with `name`.
fn executed<'a>(trace: &'a Trace, name: &str) -> Vec<&'a str> {
    let name = format!("/{name}");
    trace
        .named("sched_process_exec")
        .filter(|event| event.get("filename").ends_with(&name))
        .map(|event| event.get("pid"))
        .collect()
}

/// How a process has ended, by what its parent got from waiting.
#[track_caller]
fn status<'a>(trace: &'a Trace, pid: &str) -> &'a str {
    let waits = ["wait_exit", "waitpid_exit", "wait3_exit", "wait4_exit"];
    let mut waits = trace.events.iter().filter(|event| waits.contains(&event.name.as_str()));
    waits
        .find(|event| event.has("ret", pid))
        .unwrap_or_else(|| panic!("nobody has waited for {pid}"))
        .get("wstatus")
}

/// A C project of `units` files that are compiled one by one, then linked.
fn project(scratch: &Scratch, units: usize) {
    let (mut objects, mut calls, mut declarations) = (String::new(), String::new(), String::new());
    for unit in 0..units {
        let body = format!("#include \"common.h\"\nint unit{unit}(int x) {{ return SCALE * x + {unit}; }}\n");
        scratch.write(&format!("unit{unit}.c"), body);
        write!(objects, " unit{unit}.o").unwrap();
        write!(calls, " + unit{unit}(1)").unwrap();
        writeln!(declarations, "int unit{unit}(int);").unwrap();
    }
    scratch.write("common.h", "#define SCALE 3\n");
    scratch.write("main.c", format!("{declarations}int main(void) {{ return 0{calls}; }}\n"));
    let makefile = format!("program: main.o{objects}\n\tcc -o $@ $^\n%.o: %.c common.h\n\tcc -O1 -c $<\n");
    scratch.write("Makefile", makefile);
}

#[test]
fn make_of_a_c_project() {
    if is_missing(&["make", "cc"]) {
        return;
    }
    let (_, trace) = alike(|scratch| project(scratch, 12), &["make", "-j2"]);
    assert_eq!(executed(&trace, "make").len(), 1);
    assert_eq!(executed(&trace, "cc1").len(), 13);
    assert_eq!(executed(&trace, "as").len(), 13);
    assert_eq!(executed(&trace, "ld").len(), 1);
    for unit in 0..12 {
        trace.expect_of("cc1", "open_exit", &format!("pathname=unit{unit}.c error=0"));
        trace.expect_of("ld", "fopen_exit", &format!("pathname=unit{unit}.o error=0"));
    }
    for pid in executed(&trace, "cc1") {
        assert_eq!(status(&trace, pid), "0");
    }
}

#[test]
fn make_of_a_project_with_an_error() {
    if is_missing(&["make", "cc"]) {
        return;
    }
    let broken = |scratch: &Scratch| {
        project(scratch, 2);
        scratch.write("unit1.c", "this is not C\n");
    };
    let (outcome, trace) = alike(broken, &["make", "-j2", "-k"]);
    assert_eq!(outcome.code(), Some(2));
    let failed = executed(&trace, "cc1").into_iter().filter(|pid| status(&trace, pid) == "256");
    assert_eq!(failed.count(), 1, "exit code 1 of one compiler");
    assert!(executed(&trace, "ld").is_empty());
}

const PYTHON: &str = r#"
import os, signal, socket, subprocess, sys, threading

def write(number):
    with open(f"file{number}", "w") as file:
        file.write("x" * number)

threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(name for name in os.listdir(".") if name.startswith("file")))

server = socket.create_server(("127.0.0.1", 0))
def serve():
    connection, _ = server.accept()
    with connection:
        connection.sendall(connection.recv(100).upper())
thread = threading.Thread(target=serve)
thread.start()
with socket.create_connection(server.getsockname()) as client:
    client.sendall(b"hello")
    print(client.recv(100))
thread.join()

print(subprocess.run(["sh", "-c", "echo from a child; exit 3"], capture_output=True).returncode)
child = os.fork()
if child == 0:
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

signal.signal(signal.SIGUSR1, lambda *_: print("signal"))
os.kill(os.getpid(), signal.SIGUSR1)
try:
    open("missing")
except OSError as error:
    print(error, file=sys.stderr)
sys.exit(7)
"#;

#[test]
fn python_with_threads_sockets_and_children() {
    if is_missing(&["python3"]) {
        return;
    }
    let prepare = |scratch: &Scratch| drop(scratch.write("script.py", PYTHON));
    let (outcome, trace) = alike(prepare, &["python3", "script.py"]);
    assert_eq!(outcome.code(), Some(7));
    for number in 1..4 {
        let opened = trace.expect("open_exit", &format!("pathname=file{number} error=0"));
        trace.expect("write", &format!("fd={} count={number}", opened.get("ret")));
    }
    let missing = trace.expect("open_exit", "pathname=missing ret=-1 error=ENOENT");
    let listening = trace.expect("listen_exit", "ret=0");
    let connected = trace.expect("connect_exit", "ret=0");
    assert!(connected.get("addr").starts_with("127.0.0.1:"), "{connected:?}");
    let accepted = trace.named("accept4_exit").find(|event| event.pid != missing.pid).unwrap();
    assert!(accepted.get("addr").starts_with("127.0.0.1:"), "{accepted:?}");
    assert!(listening.time <= accepted.time);
    assert!(trace.count("send_exit", "ret=5") + trace.count("sendto_exit", "ret=5") >= 2);
    trace.expect("kill", "sig=SIGUSR1");
    assert!(trace.count("sched_process_exit", "group_dead=false") >= 5, "the threads");
    for (text, expected) in [("3", "768"), ("5", "1280")] {
        assert!(outcome.stdout.lines().any(|line| line == text), "{}", outcome.stdout);
        assert!(trace.events.iter().any(|event| event.has("wstatus", expected)), "{expected}");
    }
}

const BASH: &str = r#"
trap 'echo trapped' USR1
trap 'echo end' EXIT
for word in one two three; do echo $word; done | sort | tail -n 1
(cd /; pwd; exit 4)
echo "subshell: $?"
sleep 0.05 & wait $!
echo "waited: $?"
kill -USR1 $$
cat <<TEXT
a here-document of $((6 * 7)) words
TEXT
read -r word < <(echo substitution)
echo $word >&2
cat < missing
exec 5> descriptor; echo five >&5; exec 5>&-
env -i PATH="$PATH" sh -c 'echo environment: $FOO.'
exit 3
"#;

#[test]
fn a_script_of_the_shell() {
    if is_missing(&["bash"]) {
        return;
    }
    let prepare = |scratch: &Scratch| drop(scratch.write("script.sh", BASH));
    let (outcome, trace) = alike(prepare, &["bash", "script.sh"]);
    assert_eq!(outcome.code(), Some(3));
    for program in ["sort", "tail", "sleep", "cat", "env", "sh"] {
        assert_eq!(executed(&trace, program).len(), 1, "{program}");
    }
    let bash = executed(&trace, "bash")[0];
    let subshell = trace.expect("chdir_exit", "error=0 path=/");
    assert_eq!(status(&trace, &subshell.pid.to_string()), "1024", "exit 4");
    trace.expect("kill", &format!("pid={bash} sig=SIGUSR1"));
    trace.expect_of("bash", "open_exit", "pathname=missing error=ENOENT");
    assert!(trace.count("pipe_exit", "ret=0") >= 3);
    let mut sleeps = trace.named("nanosleep_exit").chain(trace.named("clock_nanosleep_exit"));
    assert!(sleeps.any(|event| event.comm == "sleep" && event.has_all("ret=0 req=50000000")));
    let exits = trace.named("exit").filter(|event| event.pid.to_string() == bash);
    assert_eq!(exits.map(|event| event.get("status")).collect::<Vec<_>>(), ["3"]);
}

#[test]
fn sqlite_in_a_transaction() {
    if is_missing(&["sqlite3"]) {
        return;
    }
    let script = "PRAGMA journal_mode = delete; PRAGMA synchronous = full;
        CREATE TABLE words(id INTEGER PRIMARY KEY, word TEXT);
        BEGIN; INSERT INTO words(word) VALUES ('one'), ('two'), ('three'); COMMIT;
        SELECT count(*), max(word) FROM words; SELECT * FROM missing;";
    let (outcome, trace) = alike(|_| {}, &["sqlite3", "-batch", "test.db", script]);
    assert!(outcome.stdout.contains("3|two"), "{}", outcome.stdout);
    assert_eq!(outcome.code(), Some(1));
    let journal = trace.named("open_exit").find(|event| event.get("pathname").ends_with("/test.db-journal"));
    assert!(journal.is_some_and(|event| event.has("error", "0")));
    let syncs = trace.count("fsync_exit", "ret=0") + trace.count("fdatasync_exit", "ret=0");
    assert!(syncs >= 4, "two transactions, of journal and database each: {syncs}");
    assert!(trace.count("pwrite", "offset=0") >= 2);
    let removed =
        trace.named("unlink_exit").filter(|event| event.get("pathname").ends_with("/test.db-journal"));
    assert_eq!(removed.count(), 2);
}

const GIT: &str = "
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2008-09-26T12:00:00Z' GIT_COMMITTER_DATE='2008-09-26T12:00:00Z'
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
# Else it does its housework in the background, and may be at it when the script has ended.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=maintenance.auto GIT_CONFIG_VALUE_0=false
git init -q -b main repository && cd repository
echo text > file && git add file && git commit -m 'first' && echo more >> file && git commit -qam 'second'
git log --stat
git show missing
";

#[test]
fn git_with_a_commit() {
    if is_missing(&["git"]) {
        return;
    }
    let prepare = |scratch: &Scratch| drop(scratch.write("script.sh", GIT));
    let (outcome, trace) = alike(prepare, &["sh", "script.sh"]);
    assert_eq!(outcome.code(), Some(128));
    assert!(executed(&trace, "git").len() >= 6);
    // Git names what it keeps by its content: this is "text".
    let object = ".git/objects/8e/27be7d6154a1f68ea9160ef0e18691d20560dc";
    trace.expect_of("git", "access_exit", &format!("error=ENOENT pathname={object}"));
    trace.expect_of("git", "mkdir_exit", "ret=0 pathname=.git/objects/8e");
    let named = trace.named("link_exit").chain(trace.named("rename_exit"));
    assert_eq!(named.filter(|event| event.has("newpath", object) && event.has("ret", "0")).count(), 1);
    trace.expect_of("git", "exit", "status=128");
}

/// Numbers differ from run to run: PIDs, times.
fn without_numbers(text: &str) -> String {
    let parts: Vec<&str> =
        text.split(|letter: char| letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    parts.join("0")
}

/// Serves on a socket in the directory, until it is told to end.
const REDIS: [&str; 9] =
    ["redis-server", "--port", "0", "--unixsocket", "redis.sock", "--save", "", "--daemonize", "no"];

/// Has a server do something and end.
fn use_server(scratch: &Scratch, server: Running) -> Outcome {
    server.wait_until(|| scratch.path("redis.sock").exists());
    let client = |program: &str, arguments: &[&str]| {
        run(scratch.command(program).args(["-s", "redis.sock"]).args(arguments)).success().stdout
    };
    client("redis-benchmark", &["-n", "2000", "-c", "10", "-P", "4", "-t", "set,get,lpush", "-q"]);
    assert_eq!(client("redis-cli", &["SET", "key", "value"]), "OK\n");
    assert_eq!(client("redis-cli", &["GET", "key"]), "value\n");
    server.signal(Signal::TERM);
    server.wait()
}

#[test]
fn redis_under_load() {
    if is_missing(&["redis-server", "redis-benchmark", "redis-cli"]) {
        return;
    }
    let (plain, recorded) = (Scratch::new(), Scratch::new());
    let expected = use_server(&plain, start(plain.command(REDIS[0]).args(&REDIS[1..])));
    let outcome = use_server(&recorded, start(&mut recorded.record(&["-b", "16384"], &REDIS)));
    assert_eq!(outcome.status, expected.status);
    assert_eq!(without_numbers(&outcome.stdout), without_numbers(&expected.stdout));
    assert!(
        outcome.stderr.lines().next().is_some_and(|line| line.ends_with(", 0 lost")),
        "{}",
        outcome.stderr
    );
    let trace = recorded.trace();
    trace.expect("bind_exit", "ret=0 addr=unix:redis.sock");
    trace.expect("listen_exit", "ret=0");
    let accepted =
        trace.named("accept4_exit").chain(trace.named("accept_exit")).filter(|event| event.has("error", "0"));
    assert!(accepted.count() >= 10 * 3, "the connections of the benchmark");
    assert!(trace.count("epoll_wait_exit", "ret=1") + trace.count("epoll_pwait_exit", "ret=1") > 0);
    assert!(trace.count("write", "count=5") > 0, "+OK");
    trace.expect("unlink_exit", "ret=0 pathname=redis.sock");
    trace.expect("sched_process_exit", "comm=redis-server group_dead=true");
}
