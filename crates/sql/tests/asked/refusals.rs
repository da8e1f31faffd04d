//! What is refused, and how it is said.

use crate::support::{sql, texts, trace};

fn refused(query: &str) -> String {
    let output = sql(&[trace()]).arg(query).output().unwrap();
    let (answer, said) = texts(&output);
    assert_eq!((output.status.code(), answer.as_str()), (Some(125), ""), "{query}: {said}");
    said
}

#[test]
fn carets_are_below_the_place() {
    let said = refused("SELECT nam FROM slices");
    assert!(said.contains("\n  SELECT nam FROM slices\n         ^^^\n"), "{said}");
    assert!(said.contains("slices.name"), "it says what is similar: {said}");
    let said = refused("SELECT name FORM slices");
    assert!(said.contains("\n  SELECT name FORM slices\n                   ^"), "{said}");
    let said = refused("SELECT name FROM slices ORDER BY nam");
    let place = "\n  SELECT name FROM slices ORDER BY nam\n                                   ^^^\n";
    assert!(said.contains(place) && !said.contains("slices.caller"), "{said}");
    let said = refused("SELECT name FROM slices WHERE");
    assert!(said.contains("\n  SELECT name FROM slices WHERE\n                               ^\n"), "{said}");
    let said = refused("SELECT sum(name) FROM slices");
    assert!(said.contains("no function sum(Utf8); there is: sum(Decimal), "), "{said}");
    assert!(said.contains("\n         ^^^\n") && said.lines().count() == 3, "{said}");
}

#[test]
fn queries_only_read_tables() {
    let own = trace().with_file_name("made.csv");
    for query in [
        format!("COPY slices TO '{}'", own.display()),
        "CREATE TABLE x AS SELECT 1".to_owned(),
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'".to_owned(),
        "INSERT INTO meta VALUES ('a', 'b')".to_owned(),
        "DROP TABLE slices".to_owned(),
        "SET datafusion.execution.batch_size = 1".to_owned(),
        "SELECT * FROM '/etc/passwd'".to_owned(),
        "SELECT * FROM intersect('slices', 'slices; DROP TABLE slices')".to_owned(),
    ] {
        refused(&query);
    }
    assert!(!own.exists());
}

#[test]
fn wrong_arguments_are_said() {
    let output = sql(&["/nonexistent/trace.dat", "SELECT 1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(texts(&output).1.contains("/nonexistent/trace.dat: "), "{output:?}");
    let output = sql(&["--ask", "nothing"]).output().unwrap();
    assert!(texts(&output).1.contains("no question is called nothing: expected one of slow-calls, "));
    for (query, expected) in [
        ("SELECT pct(dur, 1.5) FROM slices", "pct takes a number from 0 to 1, and found 1.5"),
        ("SELECT pct(dur, self) FROM slices", "pct takes a column and a number: pct(dur, 0.99)"),
    ] {
        assert!(refused(query).contains(expected), "{query}");
    }
    let said = refused("SELECT * FROM intersect('slices', 'SELECT tid FROM slices')");
    assert!(said.contains("its second argument lacks a column ts or dur"), "{said}");
}
