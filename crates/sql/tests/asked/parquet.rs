//! Traces as Parquet answer as they do themselves.

use crate::support::{answer, answer_of, converted, lookback, sql, texts, trace};
use std::path::{Path, PathBuf};

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

fn directory(name: &str) -> PathBuf {
    trace().with_file_name(name)
}

#[test]
fn a_part_of_a_trace_is_chosen_as_for_other_formats() {
    let thread = &answer("SELECT max(tid) FROM slices")[0];
    let half = &answer("SELECT cast((min(ts) + max(ts)) / 2 AS BIGINT) FROM events")[0];
    let (seconds, rest) = half.split_at(half.len() - 9);
    let from = format!("{seconds}.{rest}");
    for (number, (words, condition)) in [
        (vec!["-e", "open", "-e", "open_exit"], "name IN ('open', 'open_exit')".to_owned()),
        (vec!["-P", thread], format!("tid = {thread}")),
        (vec!["--from", &from], format!("ts >= {half}")),
        (vec!["-F", "open_exit: ret < 0"], "name = 'open_exit' AND ret < 0".to_owned()),
    ]
    .iter()
    .enumerate()
    {
        let out = directory(&format!("part-{number}"));
        let words: Vec<&str> = ["--format", "parquet"].iter().chain(words).copied().collect();
        let output = converted(&words, trace(), &out);
        let (_, said) = texts(&output);
        assert!(output.status.success(), "{words:?}: {said}");
        let count =
            |condition: &str| format!("SELECT count(*), min(ts), max(ts) FROM events WHERE {condition}");
        // What belongs to an event, its stack, is in the part as well.
        let own = format!("{condition} AND name <> 'kernel_stack'");
        let chosen = answer_of(&out, &count("name <> 'kernel_stack'"));
        assert_eq!(chosen, answer(&count(&own)), "{words:?}");
        let called = answer_of(&out, "SELECT value FROM meta WHERE key = 'file'");
        assert_eq!(called, [format!("a part of {}", trace().display())]);
    }
}

#[test]
fn strings_are_hidden_as_for_other_formats() {
    let out = directory("hidden.parquet");
    let output = converted(&["--redact", "open_exit.pathname"], trace(), &out);
    assert!(output.status.success(), "{}", texts(&output).1);
    let paths = answer_of(&out, "SELECT DISTINCT path FROM slices WHERE name = 'open'");
    assert_eq!(paths, ["***"]);
    let bytes = std::fs::read(&out).unwrap();
    assert!(!bytes.windows(11).any(|part| part == b"nonexistent"), "nothing of them is left");
}

#[test]
fn what_a_trace_has_lost_is_said_of_its_tables_too() {
    let lossy = directory("lossy.dat");
    let mut record = lookback();
    record.args(["record", "-q", "-b", "8", "-e", "write", "-o"]);
    record.arg(&lossy).args([
        "--",
        "sh",
        "-c",
        "exec dd if=/dev/zero of=/dev/null bs=1 count=300000 2> /dev/null",
    ]);
    let recorded = record.output().unwrap();
    assert!(recorded.status.success(), "{recorded:?}");
    let (tables, file) = (directory("lossy"), directory("lossy.parquet"));
    for (words, out) in [(vec!["--format", "parquet"], &tables), (vec![], &file)] {
        let output = converted(&words, &lossy, out);
        assert!(output.status.success(), "{}", texts(&output).1);
    }
    let said = |path: &Path| {
        let output = sql(&[path]).arg("SELECT count(*) FROM slices").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = texts(&output).1;
        assert!(said.contains(" lacks "), "{}: {said}", path.display());
        said.rsplit_once(" lacks ").unwrap().1.to_owned()
    };
    assert_eq!([said(&tables), said(&file)], [said(&lossy), said(&lossy)]);
    // Of all files of a query what they have lost is known, each by its name.
    let all = "0, 9000000000000000000";
    let lost = format!(
        "lost_in({all}), lost_in({all}, 'lossy'), lost_in({all}, 'lossy_2'), lost_in({all}, 'lossy_3')"
    );
    let query = format!("SELECT {lost}");
    let output = sql(&["--csv", "--"]).args([trace(), &lossy, &tables, &file]).arg(query).output().unwrap();
    let (text, said) = texts(&output);
    let counts: Vec<&str> = text.lines().nth(1).unwrap_or(&said).split(',').collect();
    let expected = &answer_of(&lossy, "SELECT sum(coalesce(n, 1)) FROM losses")[0];
    assert_eq!(counts, ["0", expected, expected, ""], "nobody knows when a file of calls has lost some");
    let output = sql(&[trace()]).arg(format!("SELECT lost_in({all}, 'other')")).output().unwrap();
    assert!(texts(&output).1.contains("no file is called other: expected one of trace"), "{output:?}");
}
