//! Probes that were not recorded, all of the time or some of it.

use super::{event, place_of};
use crate::number::{count, grouped};
use session::{Instance, ProbeCounts, SessionProbe};
use trace_data::text::printable;

/// One of them.
#[derive(Debug)]
pub(crate) struct UnrecordedProbe {
    probe: SessionProbe,
    counts: ProbeCounts,
}

impl UnrecordedProbe {
    /// Those of a session.
    pub(crate) fn all(session: &Instance) -> Vec<UnrecordedProbe> {
        let session = session.session();
        let counted = session.probes().into_iter().map(|probe| {
            let counts = session.probe_hits(&probe);
            UnrecordedProbe { probe, counts }
        });
        counted.filter(|found| found.counts.missed > 0 || found.counts.unplaced > 0).collect()
    }

    /// Which one, how much of it, and why.
    pub(crate) fn text(&self) -> String {
        let ProbeCounts { hits, missed, unplaced } = self.counts;
        let processes = count(unplaced, "process", "processes");
        let unplaced_some = format!("not recorded in {processes}, whose code has no place for a jump");
        let missed_some = format!(
            "{} of {} not recorded, as its return or a register was not to be seen there",
            grouped(missed),
            count(hits, "hit", "hits")
        );
        let parts = [(unplaced, unplaced_some), (missed, missed_some)];
        let parts: Vec<String> =
            parts.into_iter().filter_map(|(count, text)| (count > 0).then_some(text)).collect();
        let (event, place) = (event(&self.probe), place_of(&self.probe));
        format!("{}, {place}: {}", printable(&event), parts.join("; "))
    }
}
