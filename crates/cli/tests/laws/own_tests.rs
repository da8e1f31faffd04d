//! Programs that have tests of their own: recorded they find the same.

use crate::support::{Program, Trace, available, command, run, scratch, skip_documented};
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

/// Tests of Python's that need no network and no privilege, and take some seconds together.
const PYTHON: [&str; 4] = ["test_os", "test_mmap", "test_fcntl", "test_threadsignals"];

#[test]
fn python_passes_its_tests() {
    let has_tests = |python: &&str| {
        let mut import = command(python);
        import.args(["-c", "import test.libregrtest, test.test_os"]);
        available(python) && run(import).status.success()
    };
    let Some(python) = ["python3", "/usr/bin/python3"].into_iter().find(has_tests) else {
        return skip_documented("python3 has no tests with it");
    };
    for name in PYTHON {
        // What it prints says how long it took.
        let words = ["/bin/sh", "-c", "\"$0\" -m test -q \"$1\" > /dev/null 2>&1", python, name];
        let [shell, arguments @ ..] = words;
        let program = arguments.iter().fold(Program::at(shell), |program, word| program.arg(word));
        assert!(does_the_same(&program).count("getenv") > 0, "{name}");
    }
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
