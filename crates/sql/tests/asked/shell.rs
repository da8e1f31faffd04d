//! The shell, on a terminal of its own whose keyboard is a pipe.

use crate::interruption::LONG;
use crate::support::trace;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TAB: &str = "\t";
const ENTER: &str = "\r";
const UP: &str = "\x1b[A";
const CONTROL_C: &str = "\x03";
const CONTROL_D: &str = "\x04";

/// A query that sorts before it has anything to answer.
const SORTS: &str = "SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY x % 1000003, x) AS n \
                     FROM generate_series(1, 200000000) AS t(x))";

/// A join of which each row has a million partners.
const JOINS: &str = "SELECT count(*) FROM generate_series(1, 4000000) AS a(x) \
                     JOIN generate_series(1, 4000000) AS b(y) ON a.x % 4 = b.y % 4 WHERE (a.x + b.y) % 7 = 3";

/// A window that grows, in which most rows are alike: each batch is kept until another value comes.
const WINDOW: &str = "SELECT max(s) FROM (SELECT sum(x) OVER (ORDER BY k) AS s FROM \
                      (SELECT x, x % 7 AS k FROM generate_series(1, 20000000) AS t(x)))";

/// It has no end.
const RECURS: &str =
    "WITH RECURSIVE t AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t";

/// Whoever waits longer has failed: loaded machines are slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// A shell that runs.
struct Terminal {
    script: Child,
    keyboard: ChildStdin,
    shown: Arc<Mutex<String>>,
    /// What was looked at already.
    seen: usize,
}

impl Terminal {
    /// A shell whose history is in `state`; nothing where no terminal can be had.
    fn open(state: &Path) -> Option<Terminal> {
        let line = format!("exec '{}' '{}'", env!("CARGO_BIN_EXE_lookback-sql"), trace().display());
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-c", &line, "/dev/null"]);
        script.env("XDG_STATE_HOME", state).env("TERM", "xterm").env_remove("NO_COLOR");
        let Ok(mut script) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
            assert!(std::env::var_os("LOOKBACK_CI").is_none(), "script(1) is part of util-linux");
            return None;
        };
        let (keyboard, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
        let shown = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        let mut terminal = Terminal { script, keyboard, shown, seen: 0 };
        terminal.wait_for("sql> ");
        Some(terminal)
    }

    fn type_keys(&mut self, keys: &[&str]) {
        self.keyboard.write_all(keys.concat().as_bytes()).unwrap();
    }

    /// Waits until something new is shown. How long that took.
    #[track_caller]
    fn wait_for(&mut self, expected: &str) -> Duration {
        let start = Instant::now();
        loop {
            let shown = self.shown.lock().unwrap().clone();
            if let Some(place) = shown[self.seen..].find(expected) {
                self.seen += place + expected.len();
                return start.elapsed();
            }
            assert!(start.elapsed() < PATIENCE, "no {expected:?} in {:?}", &shown[self.seen..]);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// How much of a CPU the shell has used, in ticks of the clock.
    fn ticks(&self) -> u64 {
        let script = self.script.id();
        let children = std::fs::read_to_string(format!("/proc/{script}/task/{script}/children")).unwrap();
        let shell = children.split_whitespace().next().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{shell}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11..=12].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum()
    }

    /// Waits until it computes nothing any more: a step of the engine goes on to its end.
    #[track_caller]
    fn rests(&self, query: &str) {
        let start = Instant::now();
        let mut before = self.ticks();
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let after = self.ticks();
            if after - before < 30 {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "it goes on computing: {query}");
            before = after;
        }
    }

    /// Waits until it has ended, with success.
    #[track_caller]
    fn ends(mut self) {
        let start = Instant::now();
        while self.script.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "it has not ended: {}", self.shown.lock().unwrap());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(self.script.wait().unwrap().success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

fn opened() -> Option<(TempDir, Terminal)> {
    let state = tempfile::tempdir().unwrap();
    let terminal = Terminal::open(state.path())?;
    Some((state, terminal))
}

#[test]
fn lines_are_kept_for_the_next_shell() {
    let Some((state, mut terminal)) = opened() else { return };
    terminal.type_keys(&["SELECT 6 * 7 AS", ENTER, "answer;", ENTER]);
    terminal.wait_for("42");
    terminal.wait_for("sql> ");
    let history = std::fs::read_to_string(state.path().join("lookback/sql_history")).unwrap();
    assert!(history.contains("SELECT 6 * 7"), "it is kept before the shell ends: {history}");
    terminal.type_keys(&[CONTROL_D]);
    terminal.ends();
    let mut next = Terminal::open(state.path()).unwrap();
    next.type_keys(&[UP, ENTER]);
    next.wait_for("42");
    next.wait_for("sql> ");
    next.type_keys(&["quit", ENTER]);
    next.ends();
}

#[test]
fn words_are_completed() {
    let Some((_state, mut terminal)) = opened() else { return };
    terminal.type_keys(&["SELECT 'n' || min(call", TAB]);
    terminal.wait_for("caller");
    terminal.type_keys(&[" IS NULL) FROM slic", TAB, " WHERE errno_n", TAB, "2) = 'ENOENT';", ENTER]);
    terminal.wait_for("slices");
    terminal.wait_for("errno_name(");
    terminal.wait_for("nfalse");
    terminal.type_keys(&["quit", ENTER]);
    terminal.ends();
}

#[test]
fn control_c_drops_a_line_and_ends_a_query() {
    let Some((_state, mut terminal)) = opened() else { return };
    terminal.type_keys(&["SELECT nonsense", CONTROL_C]);
    terminal.wait_for("sql> ");
    for long in [LONG, SORTS, JOINS, WINDOW, RECURS] {
        terminal.type_keys(&[long, ";", ENTER]);
        std::thread::sleep(Duration::from_millis(700));
        terminal.type_keys(&[CONTROL_C]);
        let took = terminal.wait_for("interrupted");
        assert!(took < Duration::from_secs(2), "{took:?}");
        terminal.wait_for("sql> ");
        terminal.rests(long);
    }
    terminal.type_keys(&["SELECT 6 * 7;", ENTER]);
    terminal.wait_for("42");
    // Before that the terminal itself takes the key.
    terminal.wait_for("sql> ");
    terminal.type_keys(&[CONTROL_D]);
    terminal.ends();
}
