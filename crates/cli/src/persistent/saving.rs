//! Snapshots that are saved as files by whoever looks at a session: no traced process ever waits for a disk.

mod directory;
mod file_name;
mod standing;

pub(super) use self::standing::{SavingThread, watch};

use self::directory::SavedSnapshots;
use self::file_name::SnapshotFileName;
use super::taken::Takers;
use crate::number::bytes;
use crate::say::{note, say};
use crate::unseen;
use reading::{Contents, Reader};
use recording::{Version, record_ends, write_dat};
use ring_buffer::Snapshot;
use session::{Instance, SnapshotNumber};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What a command does first that looks at a session: it records the end of processes that could not do so
/// themselves, and saves the snapshots that are to be saved. What can't be saved is said, and no reason not
/// to look.
pub(super) fn look_after(session: &Instance) -> Result<(), recording::Error> {
    record_ends(session)?;
    session.bring_back_events();
    save_and_say(session);
    Ok(())
}

/// Saves the snapshots that are to be saved, and says so, and what keeps it from doing so.
pub(super) fn save_and_say(session: &Instance) {
    if let Err(error) = save_new(session) {
        say!("lookback: {error}");
    }
}

/// Why snapshots can't be saved.
#[derive(Debug)]
pub(super) struct NotSaved {
    directory: PathBuf,
    reason: String,
}

impl std::fmt::Display for NotSaved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NotSaved { directory, reason } = self;
        write!(f, "snapshots can't be saved to {}: {reason}", directory.display())
    }
}

/// Saves the snapshots of the default instance that nobody has saved yet, the oldest first, if that is
/// wanted. Nothing where somebody else does just now.
pub(super) fn save_new(session: &Instance) -> Result<(), NotSaved> {
    let Some((directory, most_bytes)) = session.own_saving() else { return Ok(()) };
    let has_new = session.with_recording(|recording| Ok(!new_snapshots(recording).is_empty()));
    // The session may have been deleted just now.
    if !has_new.unwrap_or(false) {
        return Ok(());
    }
    let failed =
        |error: &dyn std::fmt::Display| NotSaved { directory: directory.clone(), reason: error.to_string() };
    let Ok(recording) = Instance::open(session.path()) else { return Ok(()) };
    let recording = Arc::new(recording);
    let saved = SavedSnapshots::lock(&directory, most_bytes).map_err(|error| failed(&error))?;
    let Some(mut saved) = saved else { return Ok(()) };
    for snapshot in new_snapshots(&recording) {
        save(&recording, &snapshot, &mut saved).map_err(|error| match error {
            recording::Error::Spool { error, .. } => failed(&error),
            error => failed(&error),
        })?;
        recording.set_saved_until(snapshot.time()).map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// Those that are newer than what was saved, the oldest first.
fn new_snapshots(session: &Instance) -> Vec<Snapshot> {
    let until = session.saved_until();
    session.snapshots().into_iter().filter(|snapshot| snapshot.time() > until).collect()
}

/// Saves a snapshot, whole or not at all. Where the disk is full, the oldest that were saved make space.
fn save(
    session: &Arc<Instance>,
    snapshot: &Snapshot,
    saved: &mut SavedSnapshots,
) -> Result<(), recording::Error> {
    let number = session.snapshot_number(snapshot);
    let name = SnapshotFileName::new(session.path(), &Takers::new(session).of(snapshot));
    loop {
        match write(session, number, &name, saved) {
            Err(error) if error.is_full() && saved.remove_oldest().unwrap_or(false) => {}
            done => return done,
        }
    }
}

fn write(
    session: &Arc<Instance>,
    number: SnapshotNumber,
    name: &SnapshotFileName,
    saved: &mut SavedSnapshots,
) -> Result<(), recording::Error> {
    let directory = saved.path().to_path_buf();
    let spool = |error: io::Error| recording::Error::Spool { directory: directory.clone(), error };
    let holder = session.holder()?;
    // It may have been dropped just now.
    let held = session.find_snapshot(Some(number)).and_then(|found| holder.hold(found));
    let Some(held) = held else { return Ok(()) };
    // What was on its way when it was taken is there now.
    held.settle();
    let mut records = Reader::new(session.clone())
        .copy(Contents::Snapshot(&held), None, Some(&directory))
        .map_err(spool)?;
    records.unseen = unseen::of_session(session);
    let mut file = saved.new_file().map_err(spool)?;
    let mut out = BufWriter::new(file.as_file_mut());
    let written = write_dat(&mut records, &directory, &mut out, Version::Six, |_| ())?;
    out.flush().map_err(spool)?;
    drop(out);
    match saved.add(file, name, written.bytes).map_err(spool)? {
        Some(path) => note!("lookback: snapshot {number} saved as {}", path.display()),
        None => say!(
            "lookback: snapshot {number} takes {}, more than all that may be saved in {}: it is not saved",
            bytes(written.bytes),
            directory.display()
        ),
    }
    Ok(())
}
