//! What snapshots are called.

use crate::Instance;
use ring_buffer::Snapshot;
use std::fmt::{Display, Formatter};
use std::str::FromStr;

/// A snapshot's number: `3`, or where several have that, `3.1`.
///
/// The first part counts snapshots of all CPUs. Those of one CPU alone don't count, so they have the number
/// of the next one of all; the second part, which buffer holds it, distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotNumber {
    generation: u64,
    ring: Option<usize>,
}

impl SnapshotNumber {
    fn fits(self, snapshot: &Snapshot) -> bool {
        snapshot.generation() == self.generation && self.ring.is_none_or(|ring| ring == snapshot.ring())
    }
}

impl Instance {
    /// What a snapshot is called, among those that are kept.
    pub fn snapshot_number(&self, snapshot: &Snapshot) -> SnapshotNumber {
        let generation = snapshot.generation();
        let same = self.snapshots().into_iter().filter(|other| other.generation() == generation).count();
        SnapshotNumber { generation, ring: (same > 1).then(|| snapshot.ring()) }
    }

    /// The newest snapshot that is called so; of all, without a number.
    pub fn find_snapshot(&self, number: Option<SnapshotNumber>) -> Option<Snapshot> {
        let fits = |snapshot: &Snapshot| number.is_none_or(|number| number.fits(snapshot));
        self.snapshots().into_iter().rfind(fits)
    }
}

impl Display for SnapshotNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.generation)?;
        self.ring.map_or(Ok(()), |ring| write!(f, ".{ring}"))
    }
}

impl FromStr for SnapshotNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<SnapshotNumber, String> {
        let expected = || format!("expected a snapshot's number like 3 or 3.1, found {text:?}");
        let (generation, ring) = match text.split_once('.') {
            Some((generation, ring)) => (generation, Some(ring.parse().map_err(|_| expected())?)),
            None => (text, None),
        };
        Ok(SnapshotNumber { generation: generation.parse().map_err(|_| expected())?, ring })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Session, SessionOptions};

    #[test]
    fn numbers_are_read_as_they_are_shown() {
        for text in ["0", "17", "3.1"] {
            assert_eq!(text.parse::<SnapshotNumber>().unwrap().to_string(), text);
        }
        for bad in ["", ".", "1.", ".1", "-1", "1.2.3", "x"] {
            assert!(bad.parse::<SnapshotNumber>().unwrap_err().contains("expected"), "{bad:?}");
        }
    }

    #[test]
    fn those_of_single_cpus_are_told_apart() {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let options = SessionOptions { buffer_kb: 64, snapshots: 3, ..SessionOptions::default() };
        let session = Session::create(&directory.path().join("s"), &options).unwrap();
        let name = |snapshot| session.snapshot_number(snapshot).to_string();
        let cpu = session.cpus().next().unwrap();
        let first = session.take_snapshot_of(cpu).unwrap();
        assert_eq!(name(&first), "0", "as long as it is the only one");
        let all = [session.take_snapshot_of(cpu), session.take_snapshot()].map(Result::unwrap);
        for snapshot in [first].iter().chain(&all) {
            let number = name(snapshot).parse().unwrap();
            assert_eq!(session.find_snapshot(Some(number)), Some(*snapshot));
        }
        assert_eq!(session.find_snapshot(Some("0".parse().unwrap())), Some(all[1]), "the newest");
        assert_eq!(session.find_snapshot(Some("1".parse().unwrap())), None);
    }
}
