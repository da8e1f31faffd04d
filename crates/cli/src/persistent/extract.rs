//! `lookback extract`.

use crate::arguments::{ExtractArguments, OutputArguments};
use crate::failure::Done;
use crate::number::{bytes, count};
use crate::persistent::left_out;
use crate::persistent::saving::look_after;
use crate::persistent::show::{copy, shown_time, takers};
use crate::record::output::Output;
use crate::say::note;
use crate::unseen;
use anstyle::Style;
use journal::{Damage, Restored};
use recording::{Written, write_dat};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use trace_data::dat::UnseenProcess;
use trace_data::text::{print_date, printable};

/// Writes what a session holds to a file.
pub(crate) fn extract(arguments: &ExtractArguments) -> Done {
    if let Some(journal) = &arguments.from.from {
        return extract_from(journal, &arguments.output);
    }
    let version = arguments.output.version()?;
    let session = Arc::new(arguments.instance.open()?);
    look_after(&session)?;
    let output = Output::prepare(&arguments.output.file)?;
    let directory = output.directory().to_path_buf();
    let mut records = copy(&session, &arguments.snapshot, &directory)?;
    records.unseen = unseen::of_session(&session);
    let mut notes = takers(&session, &records);
    notes.extend(left_out::lines(&session, &shown_time(&records)));
    let written = output.write(|file| write_dat(&mut records, &directory, file, version, |_| ()))?;
    tell(&written, &records.unseen, &arguments.output.file);
    notes.iter().for_each(|line| note!("  {line}"));
    Ok(ExitCode::SUCCESS)
}

/// Writes what `lookback persist` has copied to a file.
fn extract_from(journal: &Path, to: &OutputArguments) -> Done {
    let version = to.version()?;
    let output = Output::prepare(&to.file)?;
    let directory = output.directory().to_path_buf();
    let mut restored = Restored::read(journal, &directory)?;
    let records = &mut restored.records;
    let written = output.write(|file| write_dat(records, &directory, file, version, |_| ()))?;
    tell(&written, &restored.records.unseen, &to.file);
    tell_of_journal(&restored);
    Ok(ExitCode::SUCCESS)
}

fn tell_of_journal(restored: &Restored) {
    let Restored { damage, until, run, others, .. } = restored;
    let mut date = Vec::new();
    print_date(until.unwrap_or(0), &mut date);
    match until {
        Some(_) => note!("  from {}: copied until {}", run.display(), String::from_utf8_lossy(&date)),
        None => note!("  from {}: nobody knows until when it was copied", run.display()),
    }
    if *damage != Damage::default() {
        note!(
            "  {} of it can't be read, {}, and {} missing: the events in there are counted as lost",
            count(damage.places, "place", "places"),
            bytes(damage.bytes),
            count(damage.entries, "entry is", "entries are"),
        );
    }
    for other in others {
        note!("  there is also --from {}", other.display());
    }
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
    for refusal in &written.refusals {
        note!("  {}", printable(refusal));
    }
    for (what, number) in &written.refused {
        note!("  {number} {what}: the session's tables were full");
    }
}
