//! Questions that have names, answered by DuckDB as well.

use crate::support::{root, sql, texts, trace};
use std::process::Command;

/// Has DuckDB answer a query over the tables of a directory, with our functions as macros.
const DUCKDB: &str = r#"
import csv, sys, duckdb
directory, query = sys.argv[1:]
database = duckdb.connect()
for table in ["events", "slices", "states", "stacks", "threads", "losses"]:
    database.execute(f"CREATE VIEW {table} AS SELECT * FROM '{directory}/{table}.parquet'")
database.execute("CREATE MACRO pct(x, p) AS quantile_cont(x, p)")
database.execute("CREATE MACRO folded(frames) AS array_to_string(list_reverse(frames), ';')")
import errno
names = " ".join(f"WHEN {number} THEN '{name}'" for number, name in errno.errorcode.items())
database.execute(f"CREATE MACRO errno_name(error) AS CASE error {names} END")
out = csv.writer(sys.stdout, lineterminator="\n")
for row in database.execute(query).fetchall():
    out.writerow(["" if value is None else value for value in row])
"#;

#[test]
fn duckdb_answers_the_same() {
    let python = root().join("target/python/bin/python");
    let has_duckdb = Command::new(&python).args(["-c", "import duckdb"]).output();
    if !has_duckdb.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("LOOKBACK_CI").is_none(), "./setup installs DuckDB");
        return;
    }
    let directory = trace().with_file_name("for-duckdb");
    let written = sql(&["--parquet"]).arg(&directory).arg("--").arg(trace()).output().unwrap();
    assert!(written.status.success(), "{}", texts(&written).1);
    let names = texts(&sql(&["--ask"]).output().unwrap()).0;
    let mut answered = 0;
    for name in names.lines().filter_map(|line| line.split_whitespace().next()) {
        let query = texts(&sql(&["--ask", name, "--show-query"]).output().unwrap()).0;
        let ours = texts(&sql(&["--csv", "--"]).arg(trace()).arg(&query).output().unwrap()).0;
        let (header, ours) = ours.split_once('\n').unwrap();
        let theirs = Command::new(&python).args(["-c", DUCKDB]).arg(&directory).arg(&query).output().unwrap();
        let (theirs, said) = texts(&theirs);
        assert_eq!(said, "", "{name}");
        let (own, other) = (rows(ours), rows(&theirs));
        let mut both = own.iter().zip(&other);
        let is_same = own.len() == other.len() && both.all(|(own, other)| are_same(header, own, other));
        assert!(is_same, "{name}: {own:?} and {other:?}");
        answered += usize::from(!ours.trim().is_empty());
    }
    assert!(answered >= 7, "{answered} have an answer");
}

/// Rows without the last blank.
fn rows(text: &str) -> Vec<String> {
    text.trim_end().split('\n').map(str::to_owned).collect()
}

/// Whether two rows are the same. Percentiles are between two neighbours, which DataFusion knows to a
/// millionth of their distance.
fn are_same(header: &str, own: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let are_near = |(own, other): (f64, f64)| (own - other).abs() <= own * 1e-5 + 1.0;
    let is_same = |((column, own), other): ((&str, &str), &str)| {
        let is_percentile = ["p50_ns", "p99_ns"].contains(&column);
        own == other || is_percentile && number(own).zip(number(other)).is_some_and(are_near)
    };
    own.split(',').count() == other.split(',').count()
        && header.split(',').zip(own.split(',')).zip(other.split(',')).all(is_same)
}
