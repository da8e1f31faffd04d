//! Processes whose functions are not traced, as something was not as it should be.

use session::Instance;
use trace_data::text::printable;

/// One of them.
#[derive(Debug)]
pub(crate) struct FunctionsOffLine {
    name: String,
    why: String,
}

impl FunctionsOffLine {
    /// Those of a session, also those that have ended, as long as the session knows them.
    pub(crate) fn all(session: &Instance) -> Vec<FunctionsOffLine> {
        let processes = session.control().processes().filter_map(|process| {
            let why = session.session().functions_off(&process)?;
            Some(FunctionsOffLine { name: format!("{}-{}", process.name(), process.pid), why })
        });
        processes.collect()
    }

    /// Which process, and why.
    pub(crate) fn text(&self) -> String {
        format!("off in {}: {}", printable(&self.name), printable(&self.why))
    }
}
