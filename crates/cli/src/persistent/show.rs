//! `lookback show`.

use crate::arguments::{ShowArguments, SnapshotOption};
use crate::failure::{Done, Failure};
use crate::persistent::follow::follow;
use crate::report::show_copy;
use query::{Choice, IdList};
use recording::{Recorded, Version};
use session::Session;
use std::io::{BufWriter, Seek};
use std::path::Path;
use std::sync::Arc;

/// Shows what a session holds.
pub(crate) fn show(arguments: &ShowArguments) -> Done {
    let session = Arc::new(arguments.instance.open(&arguments.which)?);
    if let Some(cpu) = arguments.only_cpu {
        session.check_cpu(cpu)?;
    }
    if arguments.pipe {
        return follow(&session, arguments.only_cpu, &arguments.choice.choice());
    }
    let mut choice = arguments.choice.choice();
    if let Some(cpu) = arguments.only_cpu {
        choice.cpus = Some(IdList::of(cpu));
    }
    show_kept(&session, &arguments.snapshot, &choice)
}

/// Shows what the buffers hold, or a snapshot. By way of a recording: what shows those shows this.
pub(super) fn show_kept(session: &Arc<Session>, kept: &SnapshotOption, choice: &Choice) -> Done {
    let directory = std::env::temp_dir();
    let failed = |error: std::io::Error| Failure::failed(format_args!("{}: {error}", directory.display()));
    let mut recorded = copy(session, kept, &directory)?;
    let mut file = tempfile::tempfile_in(&directory).map_err(failed)?;
    recorded.write_dat(BufWriter::new(&mut file), Version::Six, |_| ())?;
    file.rewind().map_err(failed)?;
    show_copy(file, choice)
}

/// Copies what the buffers hold, or a snapshot.
pub(super) fn copy(session: &Arc<Session>, kept: &SnapshotOption, directory: &Path) -> Done<Recorded> {
    let Some(number) = kept.snapshot else { return Ok(Recorded::copy(session, directory)?) };
    let missing = || {
        let path = session.path().display();
        let option = super::option(session.path());
        Failure::failed(match number {
            Some(number) => {
                format!("{path} has no snapshot {number}: `lookback stat{option}` shows which there are")
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
    Ok(Recorded::copy_snapshot(session, &held, directory)?)
}
