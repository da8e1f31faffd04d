//! The ways in which a situation is run.

use crate::run::{lookback, run};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// All functions that can be traced, of all files.
pub(crate) const ALL_FUNCTIONS: &[&str] = &[":mod:*"];

/// A way of running a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way<'a> {
    /// Without lookback.
    Plain,
    /// By `record`.
    Recorded,
    /// In a session in which all events are on.
    Everything,
    /// By `record`, with the stack of each event.
    Stacks,
    /// In a session in which this tracer has functions that these patterns mean.
    Functions(&'static str, &'a [&'a str]),
}

impl Way<'_> {
    /// Those that record events.
    pub(crate) const OF_EVENTS: [Way<'static>; 3] = [Way::Recorded, Way::Everything, Way::Stacks];

    /// Those that trace functions.
    pub(crate) const OF_FUNCTIONS: [Way<'static>; 2] =
        [Way::Functions("function", ALL_FUNCTIONS), Way::Functions("function_graph", ALL_FUNCTIONS)];

    /// How long a script may take, on a busy machine too. With all functions of each of its processes traced
    /// these take seconds to start.
    pub(crate) fn limit(self) -> Duration {
        Duration::from_secs(if matches!(self, Way::Functions(..)) { 1800 } else { 240 })
    }

    /// Whether the program may see a line that says what it has mapped: where functions are traced that
    /// nobody has built for it, their files are mapped once more, to be read.
    pub(crate) fn shows(self, line: &str) -> bool {
        matches!(self, Way::Functions(..)) && line.starts_with("r--p/")
    }

    /// The words before a program that is run in this way. What lookback makes is in the directory.
    pub(crate) fn words(self, directory: &Path) -> Vec<OsString> {
        let own = |words: &[&str]| {
            let words = words.iter().map(OsString::from);
            std::iter::once(env!("CARGO_BIN_EXE_lookback").into()).chain(words).collect()
        };
        let file = directory.join("trace.dat");
        let (file, session) = (file.to_str().unwrap(), directory.join("session"));
        match self {
            Way::Plain => Vec::new(),
            Way::Recorded => own(&["record", "-q", "-b", "65536", "-o", file, "--"]),
            Way::Stacks => own(&["record", "-q", "-b", "65536", "-T", "-o", file, "--"]),
            Way::Everything | Way::Functions(..) => {
                let mut start = lookback();
                start.args(["start", "-q", "--session"]).arg(&session).args(self.options());
                let started = run(start);
                assert!(started.status.success(), "{started}");
                own(&["run", "-q", "--session", session.to_str().unwrap(), "--"])
            }
        }
    }

    /// What its session is started with.
    fn options(&self) -> Vec<&str> {
        let Way::Functions(tracer, patterns) = self else { return vec!["-b", "8192"] };
        let patterns = patterns.iter().flat_map(|pattern| ["-l", pattern]);
        ["-b", "1024", "-p", tracer].into_iter().chain(patterns).collect()
    }

    /// Something was recorded; otherwise nothing was tried. What lookback made is deleted.
    pub(crate) fn check(self, directory: &Path, name: &str) {
        let session = directory.join("session");
        let shown = self.show(directory).map(run);
        let sign = match self {
            Way::Functions("function", _) => " <-",
            Way::Functions(..) => "}\n",
            _ => "sched_process_exit",
        };
        if let Some(shown) = shown {
            assert!(shown.output.contains(sign), "{name}, {self:?}: nothing was recorded: {shown}");
        }
        if matches!(self, Way::Everything | Way::Functions(..)) {
            let mut delete = lookback();
            delete.args(["delete", "--session"]).arg(&session);
            assert!(run(delete).status.success());
        }
    }

    /// Shows what was recorded. None where nothing may be: some functions alone may not be called.
    fn show(self, directory: &Path) -> Option<Command> {
        let (file, session) = (directory.join("trace.dat"), directory.join("session"));
        let mut show = lookback();
        match self {
            Way::Plain => return None,
            Way::Functions(_, some) if some != ALL_FUNCTIONS => return None,
            Way::Recorded | Way::Stacks => show.args(["report", "-e", "sched"]).arg(file),
            Way::Everything => show.args(["show", "-e", "sched", "--session"]).arg(session),
            Way::Functions(..) => show.args(["show", "--session"]).arg(session),
        };
        Some(show)
    }
}
