//! Names that could harm are values, wherever they come from and wherever they go.

use crate::support::{lookback, sql, texts};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A function whose name could harm opens what it is given, as a thread whose name could.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

int harm(const char *path) __asm__("\"f;'<b>,\\x\"");
__attribute__((noinline)) int harm(const char *path)
{
    int fd = open(path, O_RDONLY | O_CREAT, 0600);
    return close(fd);
}

int main(int count, char **arguments)
{
    prctl(PR_SET_NAME, "t;'\"\n\x1b<i>");
    for (int at = 1; at < count; at++)
        harm(arguments[at]);
    return 0;
}
"#;

/// What is opened, and what of it is text.
fn paths() -> Vec<(Vec<u8>, String)> {
    let plain =
        ["x\ny", "q\"q,\\", "'; DROP TABLE slices; --", "<script>a()</script>", "\u{1b}[31m\r\u{7}", " 7;8 "];
    let mut paths: Vec<(Vec<u8>, String)> =
        plain.iter().map(|path| (path.as_bytes().to_vec(), (*path).to_owned())).collect();
    paths.push((b"\xff\xfe".to_vec(), "\u{fffd}\u{fffd}".to_owned()));
    let long = "long/".repeat(40);
    paths.push((long.clone().into_bytes(), long));
    paths
}

/// A trace with all of these, whose own name could harm.
fn recorded() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let [source, program] = ["program.c", "program"].map(|name| directory.path().join(name));
    std::fs::write(&source, PROGRAM).unwrap();
    let built = Command::new("gcc").args(["-O1", "-rdynamic", "-o"]).args([&program, &source]).status();
    assert!(built.unwrap().success());
    let trace = directory.path().join(OsStr::from_bytes(b"a'b \"c;\n\x1b[31m%41?*#.dat"));
    let mut record = lookback();
    record.args(["record", "-q", "-o"]).arg(&trace).arg("--").arg(&program).current_dir(directory.path());
    record.args(paths().iter().map(|(path, _)| OsStr::from_bytes(path)));
    assert!(record.status().unwrap().success());
    (directory, trace)
}

fn asked(form: &str, file: &Path, query: &str) -> String {
    let output = sql(&[form, "--"]).arg(file).arg(query).output().unwrap();
    let (answer, said) = texts(&output);
    assert!(output.status.success(), "{query}: {said}");
    answer
}

/// As a string of SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[test]
fn names_are_values_in_every_form() {
    let (directory, trace) = recorded();
    let tables = directory.path().join("t'\n \"%41?*#");
    let converted = sql(&["--quiet", "--parquet"]).arg(&tables).arg("--").arg(&trace).output().unwrap();
    assert!(converted.status.success(), "{}", texts(&converted).1);
    let calls = directory.path().join("c'\n \"%41?*#.parquet");
    let converted = sql(&["--quiet", "--parquet"]).arg(&calls).arg("--").arg(&trace).output().unwrap();
    assert!(converted.status.success(), "{}", texts(&converted).1);
    let query = "SELECT DISTINCT path, comm, caller FROM slices WHERE name = 'open' ORDER BY path";
    let table = asked("--csv", &trace, query);
    for file in [&trace, &tables, &calls] {
        for (_, path) in paths() {
            let count =
                format!("SELECT count(*) FROM slices WHERE name = 'open' AND path = {}", quoted(&path));
            assert_eq!(asked("--csv", file, &count), "count(*)\n1\n", "{path:?} in {file:?}");
        }
        assert_eq!(asked("--csv", file, query), table, "{file:?}");
        let rows = asked("--json", file, query);
        assert_eq!(rows.lines().count(), paths().len(), "{rows}");
        assert!(rows.contains(r#""comm":"t;'\"?\u001b<i>""#) && rows.contains("f;'<b>,"), "{rows}");
        let shown = sql(&["--"]).arg(file).arg(query).output().unwrap();
        let (shown, _) = texts(&shown);
        assert!(!shown.contains(|letter: char| letter.is_control() && letter != '\n'), "{shown:?}");
        assert_eq!(shown.lines().filter(|line| line.starts_with('|')).count(), paths().len() + 1, "{shown}");
        let arrow = sql(&["--arrow", "--"]).arg(file).arg(query).output().unwrap();
        assert!(arrow.status.success() && arrow.stdout.starts_with(&[0xff; 4]));
        for question in ["errors", "slow-files", "slow-calls", "processes"] {
            let asked = sql(&["--ask", question, "--"]).arg(file).output().unwrap();
            let said = texts(&asked);
            // A file of calls alone is enough for these.
            assert!(asked.status.success(), "{question}: {}", said.1);
            assert!(!said.0.contains('\u{1b}'), "{question}: {said:?}");
        }
    }
}

#[test]
fn names_in_complaints_are_printable() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x\n\u{1b}[31m.dat");
    let complaints = [
        sql(&["--"]).arg(&file).arg("SELECT 1").output().unwrap(),
        sql(&["--ask", "\u{1b}[31m\nx", "--"]).arg(&file).output().unwrap(),
    ];
    std::fs::write(&file, "no trace").unwrap();
    let other = sql(&["--"]).arg(&file).arg("SELECT 1").output().unwrap();
    for output in complaints.iter().chain([&other]) {
        let said = texts(output).1;
        assert_eq!(output.status.code(), Some(125), "{said:?}");
        assert!(!said.contains('\u{1b}') && said.lines().count() == 1, "{said:?}");
    }
    let (_directory, trace) = recorded();
    let output = sql(&["--"]).arg(&trace).arg("SELECT \"\u{1b}[31m\" FROM slices").output().unwrap();
    assert!(!texts(&output).1.contains('\u{1b}'), "{output:?}");
}
