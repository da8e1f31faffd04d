//! Programs that have tests of their own: recorded they find the same.

use crate::support::{Program, Trace, available, command, lookback, run, scratch, skip, skip_documented};
use session::{Instance, Session};
use std::fmt::Write;

/// Everything on, in buffers that are large enough for most of it.
const EVERYTHING: [&str; 5] = ["-q", "-b", "65536", "-e", "*:*"];

/// Runs a program without and with lookback. All that can be seen of it is the same.
fn does_the_same(program: &Program) -> Trace {
    let untraced = program.untraced();
    let (traced, trace) = program.traced_with(&EVERYTHING);
    assert_eq!(untraced, traced, "\nwithout lookback: {untraced}\nwith: {traced}");
    trace.assert_ordered();
    trace
}

/// A Python that has its own tests with it: on Debian they are a package.
fn python() -> Option<&'static str> {
    let has_tests = |python: &&str| {
        let mut import = command(python);
        import.args(["-c", "import test.libregrtest, test.test_os"]);
        available(python) && run(import).status.success()
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_tests)
}

/// What each of Python's tests has come to, by name, and whether all have passed. The rest of what it prints
/// says how long it took.
const RESULTS: &str = r#"
    { "$0" -m test -v "$@"; echo "status $?"; } 2>&1 |
        sed -nE '/^status/p; s/^(test[^ ]* \([^)]*\)).* \.\.\. (ok|skipped .*|FAIL|ERROR)$/\1 \2/p' |
        LC_ALL=C sort"#;

/// All events, and all functions of Python's own, and of the libraries that it uses, with their returns.
const ALL_EVENTS: &[&str] = &["-e", "*:*"];
const ALL_FUNCTIONS: &[&str] = &["-p", "function_graph", "-l", ":mod:python3*", "-l", ":mod:lib*"];

/// Runs tests of Python's without lookback, and in a persistent session that records what `options` say: they
/// come to the same. At least so many are compared.
#[track_caller]
fn python_does_the_same(python: &str, arguments: &[&str], least: usize, options: &[&str]) {
    let shell = || {
        let mut shell = vec!["/bin/sh", "-c", RESULTS, python];
        shell.extend(arguments);
        shell
    };
    let mut untraced = command(shell()[0]);
    untraced.args(&shell()[1..]);
    let untraced = run(untraced);
    let path = scratch().join(format!("python-{}-{}", options.len(), arguments.join("-").replace('/', "")));
    let task = |task: &str, options: &[&str]| {
        let mut task_of = lookback();
        task_of.args([task, "-q", "--session"]).arg(&path).args(options);
        run(task_of)
    };
    assert!(task("start", options).status.success());
    let traced = task("run", &[&["--"], &shell()[..]].concat());
    let session = Instance::open(&path).unwrap();
    let written = |block| session.buffer().statistics(block).written;
    let written: u64 = (0..session.buffer().geometry().blocks()).map(written).sum();
    Session::remove(&path).unwrap();
    assert_eq!(untraced, traced, "\nwithout lookback: {untraced}\nwith: {traced}");
    assert!(untraced.output.lines().count() > least, "{arguments:?}: {untraced}");
    assert!(written > 10_000, "{arguments:?}: {written} events");
}

/// Tests of Python's that need no network and no privilege, and how many there are at least.
const FILES_AND_THREADS: [(&[&str], usize); 8] = [
    (&["test_os"], 200),
    (&["test_mmap"], 20),
    (&["test_fcntl"], 5),
    (&["test_posix"], 80),
    (&["test_tempfile"], 80),
    (&["test_thread"], 15),
    (&["test_threadsignals"], 4),
    (&["-m", "ConditionTests", "-m", "BarrierTests", "-m", "LockTests", "test_threading"], 20),
];

const PROCESSES_AND_SOCKETS: [(&[&str], usize); 5] = [
    (&["-m", "POSIXProcessTestCase", "test_subprocess"], 60),
    (&["-m", "WakeupSignalTests", "-m", "PendingSignalsTests", "test_signal"], 10),
    (&["-m", "Basic*Test", "-m", "Recvmsg*Test", "-m", "Sendmsg*Test", "test_socket"], 300),
    (&["test_select"], 3),
    (&["test_epoll"], 5),
];

#[test]
fn python_passes_its_tests_of_files_and_threads() {
    let Some(python) = python() else { return skip("python3 has no tests with it") };
    FILES_AND_THREADS
        .iter()
        .for_each(|(tests, least)| python_does_the_same(python, tests, *least, ALL_EVENTS));
}

#[test]
fn python_passes_its_tests_of_processes_and_sockets() {
    let Some(python) = python() else { return skip("python3 has no tests with it") };
    PROCESSES_AND_SOCKETS
        .iter()
        .for_each(|(tests, least)| python_does_the_same(python, tests, *least, ALL_EVENTS));
}

/// Tests of what jumps, throws, and switches stacks.
const EXCEPTIONS_AND_THREADS: [(&[&str], usize); 3] =
    [(&["test_generators"], 20), (&["test_thread"], 15), (&["test_dict"], 50)];

#[test]
fn python_passes_its_tests_with_all_of_its_functions_traced() {
    let Some(python) = python() else { return skip("python3 has no tests with it") };
    EXCEPTIONS_AND_THREADS
        .iter()
        .for_each(|(tests, least)| python_does_the_same(python, tests, *least, ALL_FUNCTIONS));
}

/// SQL that uses most of what a database does, with an answer at the end of each part.
fn sql() -> String {
    let mut sql = String::from("create table t(a integer primary key, b text, c real);\nbegin;\n");
    for row in 0..2000 {
        writeln!(sql, "insert into t values({row}, 'row {}', {}.5);", row * 7 % 1000, row * 3).unwrap();
    }
    sql.push_str(
        "commit;
        create index i on t(b);
        select count(*), sum(a), max(b), avg(c) from t;
        update t set b = b || '!' where a % 3 = 0;
        delete from t where a % 5 = 0;
        select count(*), group_concat(b) from (select b from t order by b, a limit 20);
        with recursive n(x) as (select 1 union all select x + 1 from n where x < 20000) select sum(x) from n;
        select t.a, u.a from t join t u on t.b = u.b and t.a < u.a order by 1, 2 limit 10;
        savepoint s; drop table t; rollback to s; vacuum into 'copy.db';
        pragma journal_mode = wal; insert into t values(-1, 'in wal', 0); pragma wal_checkpoint;
        pragma integrity_check; select sum(length(b)) from t;
        select no_such_column from t;",
    );
    sql
}

#[test]
fn sqlite_answers_the_same() {
    if !available("sqlite3") {
        return skip_documented("sqlite3 is not installed");
    }
    let script = scratch().join("script.sql");
    std::fs::write(&script, sql()).unwrap();
    let line = format!("d=$(mktemp -d) && cd $d && sqlite3 a.db < {}; rm -r $d", script.display());
    let trace = does_the_same(&Program::at("/bin/sh").arg("-c").arg(&line));
    assert!(trace.count("malloc") > 1000 && trace.count("fdatasync") + trace.count("fsync") > 0);
}

#[test]
fn redis_keeps_what_it_was_given() {
    if !available("redis-server") || !available("redis-cli") {
        return skip_documented("redis is not installed");
    }
    // In threads of its own it frees what it has deleted, and in a child it saves.
    let line = "d=$(mktemp -d); cd $d || exit
        redis-server --port 0 --unixsocket $d/s --io-threads 2 --enable-debug-command yes \
            --appendonly yes --daemonize no > log 2>&1 &
        c() { redis-cli -s $d/s \"$@\"; }
        for i in $(seq 100); do c ping 2> /dev/null | grep -q PONG && break; sleep 0.1; done
        for i in $(seq 500); do
            printf 'set key:%s value:%s\nrpush list %s\nzadd sorted %s m%s\n' $i $i $i $i $i
        done | c > /dev/null
        c debug digest; c save; c debug reload; c debug digest; c dbsize
        c bgrewriteaof; c flushall async; c debug loadaof; c dbsize
        c shutdown nosave; wait; rm -r $d";
    let trace = does_the_same(&Program::at("/bin/sh").arg("-c").arg(line));
    assert!(trace.count("sched_process_exec") > 5);
}
