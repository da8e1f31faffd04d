//! `lookback explain`.

use crate::arguments::ExplainArguments;
use crate::failure::Done;
use crate::persistent;
use crate::report::{show_file, show_written};

/// Says what a trace.dat file or a session has.
pub(crate) fn run(arguments: &ExplainArguments) -> Done {
    let source = &arguments.source;
    match source.file() {
        Some(path) => show_file(path, source.part.instance.name.as_deref(), &arguments.view()),
        None => show_written(persistent::copied(&source.part.instance, &source.snapshot)?, &arguments.view()),
    }
}
