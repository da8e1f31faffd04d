//! Queries that take long: they end when they are told to, and keep to their memory.

use crate::support::{answer, sql, texts, trace};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A query that would take hours.
pub const LONG: &str = "SELECT count(*) FROM generate_series(1, 10000000) AS a(x) \
     CROSS JOIN generate_series(1, 10000000) AS b(y) \
                    WHERE (x * y) % 7 = 3";

#[test]
fn control_c_ends_a_query_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let mut command = sql(&[trace()]);
    command.arg(LONG).env("TMPDIR", temporary.path()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let files = || std::fs::read_dir(temporary.path()).unwrap().count();
    let start = Instant::now();
    while files() == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "it has not begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(500));
    let told = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(told.elapsed() < Duration::from_secs(2), "{:?}", told.elapsed());
    assert_eq!(files(), 0, "all of its files are gone");
}

#[test]
fn what_needs_more_memory_is_spilled_or_refused() {
    let sorted = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY v % 1000003, v) AS n FROM \
                  (SELECT value * 7919 AS v FROM generate_series(1, 1500000)))";
    let output = sql(&["--csv", "--memory", "24"]).arg(trace()).arg(sorted).output().unwrap();
    let (text, said) = texts(&output);
    assert_eq!(text.lines().nth(1), Some("1500000"), "{said}");
    let joined = "SELECT count(*) FROM (SELECT value AS x FROM generate_series(1, 3000000)) AS a \
                  JOIN (SELECT value AS x FROM generate_series(1, 3000000)) AS b ON a.x = b.x";
    let output = sql(&["--memory", "16"]).arg(trace()).arg(joined).output().unwrap();
    let (text, said) = texts(&output);
    assert_eq!((output.status.code(), text.as_str()), (Some(125), ""), "{said}");
    assert!(said.contains("a join keeps one of its tables in memory.\n  Raise --memory, or leave"), "{said}");
    assert!(said.contains("\n  HashJoinInput") && !said.contains("Failed to allocate"), "{said}");
    let output = sql(&["--csv", "--memory", "1024"]).arg(trace()).arg(joined).output().unwrap();
    assert_eq!(texts(&output).0.lines().nth(1), Some("3000000"), "it says the truth");
    assert_eq!(answer("SELECT 1"), ["1"]);
}

#[test]
fn a_list_that_memory_does_not_suffice_for_is_refused() {
    for list in [
        "range(1, 1000000000)",
        "generate_series(1, 1000000000)",
        "range(1, x * 1000000)",
        "array_repeat(7, 1000000000)",
        "repeat('long', 1000000000)",
        "generate_series(TIMESTAMP '2026-01-01', TIMESTAMP '2027-01-01', INTERVAL '1 millisecond')",
    ] {
        let query = format!("SELECT {list} FROM generate_series(1, 100) AS t(x)");
        let output = sql(&["--memory", "64"]).arg(trace()).arg(&query).output().unwrap();
        let (text, said) = texts(&output);
        assert_eq!((output.status.code(), text.as_str()), (Some(125), ""), "{list}: {said}");
        assert!(said.contains("values at once, and the memory suffices for 2097152"), "{list}: {said}");
    }
    assert_eq!(answer("SELECT sum(x) FROM (SELECT unnest(range(1, 1001)) AS x)"), ["500500"]);
    assert_eq!(
        answer("SELECT sum(v) FROM (SELECT unnest(range(x, x + 2)) AS v FROM generate_series(1, 3) AS t(x))"),
        ["15"]
    );
    assert_eq!(answer("SELECT array_length(array_repeat(7, 3)), repeat('ab', 2)"), ["3,abab"]);
}
