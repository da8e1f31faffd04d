//! Questions that have names, answered by DuckDB as well.

use crate::support::{answer, root, sql, texts, trace};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Has DuckDB answer a query over the tables of a directory, with our functions as macros.
const DUCKDB: &str = r#"
import csv, sys, duckdb
directory, query = sys.argv[1:]
database = duckdb.connect()
for table in ["events", "slices", "states", "stacks", "threads", "losses"]:
    database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{directory}/{table}.parquet'")
database.execute("CREATE MACRO folded(frames) AS array_to_string(list_reverse(frames), ';')")
import errno
names = " ".join(f"WHEN {number} THEN '{name}'" for number, name in errno.errorcode.items())
database.execute(f"CREATE MACRO errno_name(error) AS CASE error {names} END")
out = csv.writer(sys.stdout, lineterminator="\n")
# A macro takes no DISTINCT, FILTER and OVER.
for row in database.execute(query.replace("pct(", "quantile_cont(")).fetchall():
    out.writerow(["" if value is None else value for value in row])
"#;

/// The tables of the trace as Parquet; nothing where DuckDB is not installed.
fn tables() -> Option<&'static Path> {
    static TABLES: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        let has_duckdb = Command::new(python()).args(["-c", "import duckdb"]).output();
        if !has_duckdb.is_ok_and(|output| output.status.success()) {
            assert!(std::env::var_os("LOOKBACK_CI").is_none(), "./setup installs DuckDB");
            return None;
        }
        let directory = trace().with_file_name("for-duckdb");
        let written = sql(&["--parquet"]).arg(&directory).arg("--").arg(trace()).output().unwrap();
        assert!(written.status.success(), "{}", texts(&written).1);
        Some(directory)
    };
    TABLES.get_or_init(make).as_deref()
}

fn python() -> PathBuf {
    root().join("target/python/bin/python")
}

/// Has both answer a query: cells that are equal, numbers to the last bit. How many rows there are.
#[track_caller]
fn answered_by_both(directory: &Path, query: &str) -> usize {
    let (ours, said) = texts(&sql(&["-q", "--csv", "--"]).arg(trace()).arg(query).output().unwrap());
    assert_eq!(said, "", "{query}");
    let theirs = Command::new(python()).args(["-c", DUCKDB]).arg(directory).arg(query).output().unwrap();
    let (theirs, said) = texts(&theirs);
    assert_eq!(said, "", "{query}");
    let (own, other): (Vec<&str>, Vec<&str>) = (ours.lines().skip(1).collect(), theirs.lines().collect());
    assert_eq!(own.len(), other.len(), "{query}: {own:?} and {other:?}");
    for (own, other) in own.iter().zip(&other) {
        let mut cells = own.split(',').zip(other.split(','));
        let is_same = own.split(',').count() == other.split(',').count()
            && cells
                .all(|(own, other)| own == other || number(own).is_some_and(|it| Some(it) == number(other)));
        assert!(is_same, "{query}: {own} and {other}");
    }
    own.len()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

#[test]
fn duckdb_answers_the_same() {
    let Some(directory) = tables() else { return };
    let names = texts(&sql(&["--ask"]).output().unwrap()).0;
    let mut answered = 0;
    for name in names.lines().filter_map(|line| line.split_whitespace().next()) {
        let query = texts(&sql(&["--ask", name, "--show-query"]).output().unwrap()).0;
        let rows = answered_by_both(directory, &query);
        let needs_switches = ["off-cpu", "wakeups"].contains(&name);
        assert!(rows > 0 || name == "processes" || needs_switches && !has_switches(), "{name} has no answer");
        answered += 1;
    }
    assert!(answered >= 10, "{answered} have been asked");
}

/// Whether threads' switches could be recorded: by the kernel's events, or by perf's.
fn has_switches() -> bool {
    answer("SELECT count(*) FROM events WHERE name IN ('sched_switch', 'context_switch')") != ["0"]
}

#[test]
fn percentiles_are_duckdbs_to_the_last_bit() {
    let Some(directory) = tables() else { return };
    let all: Vec<String> = ["0", "0.1", "0.333", "0.5", "0.9", "0.99", "0.999", "1"]
        .map(|part| format!("pct(dur, {part}), pct(self + 9007199254740993, {part})"))
        .to_vec();
    let all = all.join(", ");
    for query in [
        format!("SELECT {all} FROM slices"),
        format!("SELECT name, {all} FROM slices GROUP BY name ORDER BY name"),
        // More groups than a partition has rows for, and values that are missing.
        format!("SELECT ts % 997, {all} FROM slices GROUP BY 1 ORDER BY 1"),
        "SELECT name, pct(error, 0.4), pct(size / 7.0, 0.7) FROM slices GROUP BY name ORDER BY name"
            .to_owned(),
        "SELECT tid, pct(DISTINCT depth + error, 0.3) FROM slices GROUP BY tid ORDER BY tid".to_owned(),
        "SELECT id, pct(dur, 0.9) OVER (PARTITION BY tid ORDER BY id) FROM slices ORDER BY id LIMIT 500"
            .to_owned(),
        "SELECT id, pct(dur, 0.99) OVER (PARTITION BY name ORDER BY id \
         ROWS BETWEEN 20 PRECEDING AND 3 FOLLOWING) FROM slices ORDER BY id"
            .to_owned(),
        "SELECT id, pct(error + depth, 0.3) OVER (ORDER BY ts \
         RANGE BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM slices ORDER BY id"
            .to_owned(),
        "SELECT pct(dur, 0.5) FILTER (WHERE error IS NULL) FROM slices".to_owned(),
    ] {
        assert!(answered_by_both(directory, &query) > 0, "{query}");
    }
}
