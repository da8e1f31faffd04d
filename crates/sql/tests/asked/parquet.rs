//! Traces as Parquet answer as they do themselves.

use crate::support::{answer, answer_of, sql, texts, trace};

#[test]
fn tables_are_the_same_in_both() {
    let out = trace().with_file_name("tables");
    let file = trace().with_file_name("calls.parquet");
    for out in [&out, &file] {
        let output = sql(&["--parquet"]).arg(out).arg("--").arg(trace()).output().unwrap();
        assert!(output.status.success(), "{}", texts(&output).1);
    }
    for (columns, table, order) in [
        ("*", "events", "ts, cpu, tid, name"),
        ("*", "slices", "id"),
        ("*", "states", "ts, tid"),
        ("id, folded(frames)", "stacks", "id"),
        ("*", "threads", "tid"),
        ("*", "losses", "ts, cpu"),
    ] {
        let query = format!("SELECT {columns} FROM {table} ORDER BY {order}");
        assert_eq!(answer_of(&out, &query), answer(&query), "{table}");
    }
    let calls = "SELECT name, count(*), sum(dur) FROM slices GROUP BY name ORDER BY name";
    assert_eq!(answer_of(&file, calls), answer(calls));
    let sorted =
        "SELECT count(*) FROM (SELECT name, lag(name) OVER () AS before FROM slices) WHERE before > name";
    assert_eq!(answer_of(&file, sorted), ["0"]);
}
