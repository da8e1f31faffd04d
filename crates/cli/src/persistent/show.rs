//! `lookback show`.

use crate::arguments::{InstanceArguments, ShowArguments, SnapshotOption, ViewArguments};
use crate::completeness::completeness;
use crate::failure::{Done, Failure};
use crate::persistent::follow::follow;
use crate::persistent::left_out;
use crate::persistent::saving::look_after;
use crate::persistent::session_text::SessionText;
use crate::persistent::taken::Takers;
use crate::report::show_written;
use query::{Choice, IdList};
use reading::{Contents, Reader, SessionRecords, layout};
use recording::write_dat;
use session::Instance;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use trace_data::dat::Version;
use trace_data::text::{Header, Layout, is_nanoseconds};

/// Shows what a session holds.
pub(crate) fn show(arguments: &ShowArguments) -> Done {
    let session = Arc::new(arguments.instance.open()?);
    if let Some(cpu) = arguments.only_cpu {
        session.check_cpu(cpu)?;
    }
    if let Some(cpus) = &arguments.view.choice.cpu {
        check_cpus(&session, cpus)?;
    }
    let mut view = arguments.view.clone();
    if arguments.pipe {
        return match view.is_plain() {
            true => follow(&session, arguments.only_cpu, &view.choice.choice()),
            false => Err(Failure::failed(
                "show -p prints plain text as events arrive: leave out -p for other forms",
            )),
        };
    }
    if let Some(cpu) = arguments.only_cpu {
        view.choice.cpu = Some(IdList::of(cpu));
    }
    // So that it is shown what was killed, and in which call.
    look_after(&session)?;
    match view.is_plain() {
        true => {
            let choice = view.choice.choice();
            show_kept(&session, &arguments.snapshot, &choice, &view.choice.given(false))
        }
        false => show_as_report(&session, &arguments.snapshot, &view),
    }
}

/// Whether the session has any of these CPUs.
fn check_cpus(session: &Instance, cpus: &IdList) -> Done<()> {
    let count = session.buffer().geometry().cpus;
    if (0..count).any(|cpu| cpus.contains(cpu)) {
        return Ok(());
    }
    let (path, last) = (session.path().display(), count.saturating_sub(1));
    Err(Failure::failed(format_args!("{path} has no such CPU: expected -C with 0 to {last}")))
}

/// Shows what the buffers hold, or a snapshot, or both, in a form that `report` has: from a file without a
/// name.
fn show_as_report(session: &Arc<Instance>, kept: &SnapshotOption, view: &ViewArguments) -> Done {
    show_written(written(session, kept)?, view)
}

/// What a session holds, in a file without a name.
pub(crate) fn copied(instance: &InstanceArguments, kept: &SnapshotOption) -> Done<File> {
    let session = Arc::new(instance.open()?);
    look_after(&session)?;
    written(&session, kept)
}

fn written(session: &Arc<Instance>, kept: &SnapshotOption) -> Done<File> {
    let directory = std::env::temp_dir();
    let failed = |error| recording::Error::Spool { directory: directory.clone(), error };
    let mut file = tempfile::tempfile_in(&directory).map_err(failed)?;
    let mut records = copy(session, kept, &directory)?;
    let mut out = BufWriter::new(&mut file);
    write_dat(&mut records, &directory, &mut out, Version::Seven, |_| ())?;
    out.flush().map_err(failed)?;
    drop(out);
    file.rewind().map_err(failed)?;
    Ok(file)
}

/// Records that are printed at once.
const BATCH: usize = 512;

/// Shows what the buffers hold, or a snapshot, or both: what is chosen, by the options `given`.
pub(super) fn show_kept(
    session: &Arc<Instance>,
    kept: &SnapshotOption,
    choice: &Choice,
    given: &[String],
) -> Done {
    let mut records = copy(session, kept, &std::env::temp_dir())?;
    let (entries, written) = (records.entries, records.entries + records.overrun);
    let layout = Layout {
        graph: layout(session).graph,
        nanoseconds: is_nanoseconds(session.trace_clock().name()),
        ..Layout::default()
    };
    let text = SessionText::new(session, choice, records.bounds(), records.real_times())?;
    let mut text = text.without_first_losses();
    let last = records.bounds().map_or(0, |(_, last)| last);
    let mut notes = takers(session, &records);
    notes.extend(left_out::lines(session, &shown_time(&records)));
    let dropped = session.buffer().dropped().map(|(_, count)| count).sum();
    notes.extend(completeness(&records.gaps(), dropped, last, layout.nanoseconds));
    let (cpus, tracer) = (u64::from(session.buffer().geometry().cpus), session.tracer().name);
    let mut is_read = text.header(
        layout,
        &Header { tracer, entries, written, cpus, notes: &notes, release: "", longest: None },
    )?;
    while is_read {
        let batch = records.batch(BATCH).map_err(recording::Error::from)?;
        let goes_on = batch.records.len() == BATCH;
        is_read = text.print(&batch, layout, goes_on)? && goes_on;
    }
    text.tell_none_shown(given);
    Ok(ExitCode::SUCCESS)
}

/// The time that records are from: up to now, where no snapshot was copied.
pub(super) fn shown_time(records: &SessionRecords) -> RangeInclusive<u64> {
    match records.bounds() {
        Some((first, last)) if !records.snapshots.is_empty() => first..=last,
        bounds => bounds.map_or(0, |(first, _)| first)..=u64::MAX,
    }
}

/// Who took the snapshots that were copied, a line each.
pub(super) fn takers(session: &Instance, records: &SessionRecords) -> Vec<String> {
    if records.snapshots.is_empty() {
        return Vec::new();
    }
    let takers = Takers::new(session);
    records.snapshots.iter().map(|snapshot| takers.of(snapshot).line()).collect()
}

/// Copies what the buffers hold, or a snapshot, or both, into files without a name in `directory`.
pub(super) fn copy(session: &Arc<Instance>, kept: &SnapshotOption, directory: &Path) -> Done<SessionRecords> {
    let failed = |error| recording::Error::Spool { directory: directory.to_path_buf(), error };
    let mut reader = Reader::new(session.clone());
    if kept.with_snapshots {
        let holder = session.holder()?;
        return Ok(reader.copy_with_snapshots(&holder, None, Some(directory)).map_err(failed)?);
    }
    let Some(number) = kept.snapshot else {
        return Ok(reader.copy(Contents::Live, None, Some(directory)).map_err(failed)?);
    };
    let missing = || {
        let path = session.path().display();
        let option = super::option(session.path());
        Failure::failed(match number {
            Some(number) => {
                format!("{path} has no snapshot {number}: `lookback snapshots{option}` lists them")
            }
            None => format!("{path} has no snapshot: `lookback snapshot -s{option}` takes one"),
        })
    };
    let holder = session.holder()?;
    // It may have been dropped just now.
    let held =
        session.find_snapshot(number).and_then(|snapshot| holder.hold(snapshot)).ok_or_else(missing)?;
    // What was on its way when it was taken is there now.
    held.settle();
    Ok(reader.copy(Contents::Snapshot(&held), None, Some(directory)).map_err(failed)?)
}
