//! Which trace is read by what looks at one: a file or a session, and which events of it.

use super::{ChoiceArguments, InstanceArguments, SnapshotOption, ViewArguments};
use clap::Args;
use query::RedactRule;
use std::path::{Path, PathBuf};

/// What is read, and which events of it.
#[derive(Debug, Args)]
pub(crate) struct SourceArguments {
    /// The trace.dat file [default: trace.dat, or a session's buffers with -s or --session]
    #[arg(value_name = "FILE", conflicts_with_all = ["snapshot", "with_snapshots", "session"])]
    file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) snapshot: SnapshotOption,

    #[command(flatten)]
    pub(crate) part: PartArguments,

    /// Show names of C++ and Rust as linkers know them
    ///
    /// Not as in the source.
    #[arg(long)]
    no_demangle: bool,
}

/// Which part of a trace is read: a buffer, and events of it.
#[derive(Debug, Args)]
pub(crate) struct PartArguments {
    #[command(flatten)]
    pub(crate) instance: InstanceArguments,

    #[command(flatten)]
    choice: ChoiceArguments,

    /// Show *** for strings of these fields
    ///
    /// As report does: 'EVENT.FIELD', or 'EVENT.FIELD~*PATTERN*'.
    #[arg(long, value_name = "EVENT.FIELD")]
    redact: Vec<RedactRule>,
}

impl PartArguments {
    /// The options that choose a buffer, events of it or what is shown of them, as they can be typed.
    pub(crate) fn given(&self) -> Vec<String> {
        let buffer = self.instance.name.as_ref().map(|name| format!("-B {name}"));
        let redacted = (!self.redact.is_empty()).then(|| "--redact".to_owned());
        self.choice.given(true).into_iter().chain(buffer).chain(redacted).collect()
    }

    /// Whether a time is chosen.
    pub(crate) fn chooses_time(&self) -> bool {
        let choice = &self.choice;
        choice.from.is_some() || choice.to.is_some() || choice.time.is_some()
    }

    /// What is chosen, as `report` takes it.
    pub(crate) fn view(&self) -> ViewArguments {
        ViewArguments { choice: self.choice.clone(), redact: self.redact.clone(), ..ViewArguments::default() }
    }
}

impl SourceArguments {
    /// The file; none where a session is meant.
    pub(crate) fn file(&self) -> Option<&Path> {
        let SnapshotOption { snapshot, with_snapshots } = &self.snapshot;
        let is_of_session =
            snapshot.is_some() || *with_snapshots || self.part.instance.which.session.is_some();
        (!is_of_session).then(|| self.file.as_deref().unwrap_or(Path::new("trace.dat")))
    }

    /// What is chosen of it, as `report` takes it.
    pub(crate) fn view(&self) -> ViewArguments {
        ViewArguments { no_demangle: self.no_demangle, ..self.part.view() }
    }
}
