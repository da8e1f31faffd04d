//! The ways in which a situation is run.

use crate::run::{lookback, run};
use std::ffi::OsString;
use std::path::Path;

/// A way of running a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Without lookback.
    Plain,
    /// By `record`.
    Recorded,
    /// In a session in which all events are on.
    Everything,
    /// By `record`, with the stack of each event.
    Stacks,
}

impl Way {
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
            Way::Everything => {
                let mut start = lookback();
                start.args(["start", "-q", "-b", "8192", "--session"]).arg(&session);
                let started = run(start);
                assert!(started.status.success(), "{started}");
                own(&["run", "-q", "--session", session.to_str().unwrap(), "--"])
            }
        }
    }

    /// Something was recorded; otherwise nothing was tried. What lookback made is deleted.
    pub(crate) fn check(self, directory: &Path, name: &str) {
        let (file, session) = (directory.join("trace.dat"), directory.join("session"));
        let mut show = lookback();
        match self {
            Way::Plain => return,
            Way::Recorded | Way::Stacks => show.args(["report", "-e", "sched"]).arg(file),
            Way::Everything => show.args(["show", "-e", "sched", "--session"]).arg(&session),
        };
        let shown = run(show);
        let is_recorded = shown.output.contains("sched_process_exit");
        assert!(is_recorded, "{name}, {self:?}: nothing was recorded: {shown}");
        if self == Way::Everything {
            let mut delete = lookback();
            delete.args(["delete", "--session"]).arg(&session);
            assert!(run(delete).status.success());
        }
    }
}
