//! Traces that are damaged give what can be read.

use crate::support::{answer, converted, sql, texts, trace};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use trace_data::dat::Recording;

#[test]
fn a_truncated_trace_answers_and_fails() {
    let bytes = std::fs::read(trace()).unwrap();
    let whole: u64 = answer("SELECT count(*) FROM events")[0].parse().unwrap();
    let part = trace().with_file_name("part.dat");
    std::fs::write(&part, &bytes[..bytes.len() * 3 / 4]).unwrap();
    for table in ["events", "slices"] {
        let output =
            sql(&["--csv"]).arg(&part).arg(format!("SELECT count(*) FROM {table}")).output().unwrap();
        let (answer, said) = texts(&output);
        assert_eq!(output.status.code(), Some(125), "{said}");
        let count: u64 = answer.lines().nth(1).unwrap().parse().unwrap();
        assert!(count > 0 && count < whole, "{table}: {count} of {whole}");
        assert!(said.contains("part.dat: ") && said.contains("the answer is of what can be read"), "{said}");
    }
    std::fs::write(&part, &bytes[..100]).unwrap();
    let output = sql(&[&part]).arg("SELECT 1 AS one").output().unwrap();
    assert_eq!(output.status.code(), Some(125), "nothing can be read");
}

/// The trace with a page damaged that is neither the first nor the last of its CPU.
fn damaged_within() -> PathBuf {
    let mut bytes = std::fs::read(trace()).unwrap();
    let recording = Recording::open(Cursor::new(&bytes[..])).unwrap();
    let largest = recording.buffers()[0].cpus.iter().max_by_key(|data| data.size).copied().unwrap();
    assert!(largest.size >= 3 * 4096, "{largest:?}");
    // An event's length is out of the page.
    let at = largest.offset as usize + 4096 + 2000;
    bytes[at..at + 64].fill(0xff);
    let path = trace().with_file_name("damaged.dat");
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_trace_that_is_damaged_within_answers_and_fails() {
    let damaged = damaged_within();
    let whole: u64 = answer("SELECT count(*) FROM events")[0].parse().unwrap();
    let losses: u64 = answer("SELECT count(*) FROM losses")[0].parse().unwrap();
    let asked = |file: &Path, query: &str| {
        let output = sql(&["--csv", "--"]).arg(file).arg(query).output().unwrap();
        let (answer, said) = texts(&output);
        assert_eq!(output.status.code(), Some(125), "{query}: {said}");
        assert_eq!(said.matches(" at offset ").count(), 1, "{said}");
        answer.lines().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let events = asked(&damaged, "SELECT count(*) FROM events");
    assert!((1..=400).contains(&(whole - events)), "{events} of {whole}");
    assert!(asked(&damaged, "SELECT count(*) FROM slices") > 0);
    assert_eq!(asked(&damaged, "SELECT count(*) FROM losses"), losses + 1);
    assert_eq!(asked(&damaged, "SELECT count(*) FROM losses WHERE n IS NULL AND cpu IS NOT NULL"), 1);
    // Its tables say so, too.
    let tables = damaged.with_file_name("damaged-tables");
    let written = sql(&["--parquet"]).arg(&tables).arg("--").arg(&damaged).output().unwrap();
    assert_eq!(written.status.code(), Some(125), "{}", texts(&written).1);
    assert_eq!(asked(&tables, "SELECT count(*) FROM events"), events);
    let part = damaged.with_file_name("damaged-part.parquet");
    let written = converted(&["-e", "open"], &damaged, &part);
    assert_eq!(written.status.code(), Some(125), "{}", texts(&written).1);
    assert!(asked(&part, "SELECT count(*) FROM slices") > 0);
}
