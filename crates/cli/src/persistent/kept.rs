//! The snapshots that an instance keeps.

use super::taken::{TakenSnapshot, Takers};
use crate::failure::Done;
use crate::json::Json;
use crate::number::count;
use session::{Instance, SnapshotNumber};

/// A snapshot that is kept.
pub(super) struct KeptSnapshot {
    pub(super) number: SnapshotNumber,
    /// The CPU whose events it has, where it has only one's.
    pub(super) cpu: Option<u32>,
    pub(super) events: u64,
    pub(super) taken: TakenSnapshot,
}

impl KeptSnapshot {
    /// Those of an instance, the oldest first.
    pub(super) fn all(session: &Instance) -> Done<Vec<KeptSnapshot>> {
        let takers = Takers::new(session);
        let holder = session.holder()?;
        let (cpus, blocks) = (session.buffer().geometry().cpus, session.buffer().geometry().blocks());
        let kept = session.snapshots().into_iter().filter_map(|snapshot| {
            let held = holder.hold(snapshot)?;
            let entries = |block| held.statistics(block).entries;
            let mut filled = (0..blocks).filter(|block| entries(*block) > 0);
            let cpu = filled.next().filter(|block| *block < cpus && filled.next().is_none());
            let events = (0..blocks).map(entries).sum();
            let number = session.snapshot_number(&snapshot);
            Some(KeptSnapshot { number, cpu, events, taken: takers.of(&snapshot) })
        });
        Ok(kept.collect())
    }

    /// What `--json` says of it.
    pub(super) fn json(&self) -> Json {
        let mut members = vec![
            ("number", Json::text(Some(self.number))),
            ("cpu", Json::number(self.cpu.map(u64::from))),
            ("events", Json::Number(self.events)),
        ];
        members.extend(self.taken.json());
        Json::Object(members)
    }
}

/// How many errors took no snapshot, as an addition; nothing where each has taken one.
pub(super) fn errors_within(session: &Instance) -> String {
    match session.errors_within() {
        0 => String::new(),
        within => {
            format!("; {} took none, less than a second after another", count(within, "error", "errors"))
        }
    }
}
