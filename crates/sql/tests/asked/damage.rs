//! Traces that are damaged give what can be read.

use crate::support::{answer, sql, texts, trace};

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
