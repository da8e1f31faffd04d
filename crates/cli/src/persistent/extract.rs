//! `lookback extract`.

use crate::arguments::ExtractArguments;
use crate::failure::Done;
use crate::number::{bytes, count};
use crate::persistent::show::{copy, takers};
use crate::record::output::Output;
use crate::say::note;
use crate::unseen;
use anstyle::Style;
use recording::{Written, write_dat};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use trace_data::dat::UnseenProcess;
use trace_data::text::printable;

/// Writes what a session holds to a file.
pub(crate) fn extract(arguments: &ExtractArguments) -> Done {
    let version = arguments.output.version()?;
    let session = Arc::new(arguments.instance.open()?);
    let output = Output::prepare(&arguments.output.file)?;
    let directory = output.directory().to_path_buf();
    let mut records = copy(&session, &arguments.snapshot, &directory)?;
    records.unseen = unseen::of_session(&session);
    let taken = takers(&session, &records);
    let written = output.write(|file| write_dat(&mut records, &directory, file, version, |_| ()))?;
    tell(&written, &records.unseen, &arguments.output.file);
    taken.iter().for_each(|line| note!("  {line}"));
    Ok(ExitCode::SUCCESS)
}

fn tell(written: &Written, unseen: &[UnseenProcess], file: &Path) {
    let bold = Style::new().bold();
    let older = if written.lost > 0 {
        format!("; {} before them", count(written.lost, "was overwritten", "were overwritten"))
    } else {
        String::new()
    };
    note!(
        "{bold}lookback:{bold:#} {}, {} in {}{older}",
        count(written.events, "event", "events"),
        bytes(written.bytes),
        file.display(),
    );
    unseen::tell(unseen);
    for (reason, number) in &written.dropped {
        note!("  {}: {reason}", count(*number, "event", "events"));
    }
    for (path, why) in &written.nameless {
        note!("  {} {}: its functions have no names", printable(&path.to_string_lossy()), why.describe());
    }
    for (what, number) in &written.refused {
        note!("  {number} {what}: the session's tables were full");
    }
}
