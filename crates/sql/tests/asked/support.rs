//! A trace for all tests, and ways to ask it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A file whose name has all that could harm.
pub const HARMFUL: &str = "a'; DROP TABLE slices; --\n\u{1b}[31m\"b";

/// What is recorded: files, errors, a peer, and a lock that is waited for.
const PROGRAM: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *unused)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        usleep(2000);
        pthread_mutex_unlock(&lock);
        usleep(50);
    }
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t threads[2];
    char buffer[512];
    int pair[2];

    (void)count;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, hold, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 300; i++) {
        int fd = open(arguments[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (write(fd, buffer, 100) < 0 || pread(fd, buffer, sizeof buffer, 0) < 0)
            return 1;
        close(fd);
        snprintf(buffer, sizeof buffer, "/nonexistent/%d", i % 3);
        open(buffer, O_RDONLY);
    }
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    for (int i = 0; i < 100; i++)
        if (send(pair[0], buffer, 200, 0) < 0 || recv(pair[1], buffer, 200, 0) < 0)
            return 1;
    return 0;
}
"#;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command `lookback`, which the workspace's own build makes.
pub fn lookback() -> Command {
    let path = root().join("target/debug/lookback");
    assert!(path.exists(), "build it first: cargo build");
    Command::new(path)
}

/// A trace that was recorded once, in a directory that is there for its path alone.
pub fn trace() -> &'static Path {
    static TRACE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = TRACE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("program.c");
        let program = directory.path().join("program");
        std::fs::write(&source, PROGRAM).unwrap();
        let built = Command::new("gcc").args(["-O1", "-pthread", "-o"]).args([&program, &source]).status();
        assert!(built.unwrap().success());
        let trace = directory.path().join("trace.dat");
        let mut record = lookback();
        let events = ["-e", "@default", "-e", "@lock", "-e", "@switch"];
        record.args(["record", "-q"]).args(events).args(["--stacktrace", "-b", "32768", "-o"]);
        record.arg(&trace).arg("--").arg(&program).arg(directory.path().join(HARMFUL));
        assert!(record.status().unwrap().success());
        (directory, trace)
    });
    path
}

/// The program under test, with these words.
pub fn sql<W: AsRef<std::ffi::OsStr>>(words: &[W]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookback-sql"));
    command.args(words).stdin(Stdio::null());
    command
}

/// What it prints, and what it says.
pub fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// The answer to a query about a trace as lines of CSV, without the header.
pub fn answer_of(trace: &Path, query: &str) -> Vec<String> {
    let output = sql(&["--csv"]).arg("--").arg(trace).arg(query).output().unwrap();
    let (answer, said) = texts(&output);
    assert!(output.status.success(), "{query}: {said}");
    answer.lines().skip(1).map(str::to_owned).collect()
}

/// [`answer_of`] the trace of all tests.
pub fn answer(query: &str) -> Vec<String> {
    answer_of(trace(), query)
}

/// `lookback convert` with these words, which finds the program under test.
pub fn converted(words: &[&str], from: &Path, out: &Path) -> Output {
    let own = Path::new(env!("CARGO_BIN_EXE_lookback-sql")).parent().unwrap();
    let mut command = lookback();
    command.arg("convert").args(words).arg(from).arg("-o").arg(out);
    command.env("PATH", format!("{}:{}", own.display(), std::env::var("PATH").unwrap())).output().unwrap()
}
