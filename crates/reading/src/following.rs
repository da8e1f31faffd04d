//! Following what a session's buffers and snapshots get, and leaving it there.

use crate::joint::Joint;
use ring_buffer::{Held, PageCopy, Snapshot};
use session::{Error, Instance};

/// How often a look begins again because a snapshot was taken meanwhile.
const TRIES: u32 = 8;

/// Where a reader is that follows a session without consuming anything: each event it gives once, in the
/// order of each block, snapshots before what is live. What was overwritten before it came is counted.
#[derive(Debug, Clone)]
pub struct Following {
    /// The number of each block's next event.
    positions: Vec<u64>,
    /// Snapshots of which it has all.
    finished: Vec<Snapshot>,
}

/// Whether a look has seen all that there was.
enum Looked {
    /// Bytes that the fullest block had.
    All(u64),
    /// A snapshot was taken meanwhile, which has what is missing.
    Again,
}

impl Following {
    /// From these events on, one for each block.
    pub fn from(positions: Vec<u64>) -> Following {
        Following { positions, finished: Vec::new() }
    }

    /// The number of each block's next event.
    pub fn positions(&self) -> &[u64] {
        &self.positions
    }

    /// Gives what has come since the last look, page by page: the block, what was copied, and the page as
    /// [`ring_buffer::Buffer::read`] makes it. Of each block at most one lap, as writers go on. Returns the
    /// bytes that the fullest block had.
    ///
    /// When `give` fails, what it has refused is given again at the next look.
    ///
    /// # Errors
    ///
    /// Those of `give`; and when too many others read the session's snapshots.
    pub fn look<E: From<Error>>(
        &mut self,
        session: &Instance,
        mut give: impl FnMut(u32, &PageCopy, &[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let listed = session.snapshots();
            self.finished.retain(|snapshot| listed.contains(snapshot));
            let unread: Vec<_> = listed.iter().filter(|snapshot| !self.finished.contains(snapshot)).collect();
            let holder = if unread.is_empty() { None } else { Some(session.holder()?) };
            let holder = holder.as_ref();
            let kept: Vec<Held<'_>> =
                unread.into_iter().filter_map(|snapshot| holder?.hold(*snapshot)).collect();
            // What was on its way when it was taken is there now, unless a CPU can't be visited.
            let settled: Vec<_> = kept.iter().filter(|held| held.settle() == 0).map(Held::snapshot).collect();
            let is_last_try = tries == 0;
            let has_others = || !is_last_try && session.snapshots() != listed;
            if let Looked::All(fullest) = self.look_at(session, &kept, has_others, &mut give)? {
                self.finished.extend(settled);
                return Ok(fullest);
            }
        }
    }

    fn look_at<E>(
        &mut self,
        session: &Instance,
        kept: &[Held<'_>],
        has_others: impl Fn() -> bool,
        give: &mut impl FnMut(u32, &PageCopy, &[u8]) -> Result<(), E>,
    ) -> Result<Looked, E> {
        let (buffer, kept) = (session.buffer(), kept.iter().collect::<Vec<_>>());
        // With space for the count of lost events after the fullest page.
        let mut page = vec![0; buffer.geometry().page_size as usize + size_of::<u64>()];
        let mut fullest = 0;
        for (block, position) in (0..).zip(&mut self.positions) {
            let mut joint = Joint::new(&kept, Some(buffer), block, &mut page).from(*position);
            let mut bytes = 0;
            while let Some(taken) = joint.next(&mut page) {
                if taken.lost > 0 && has_others() {
                    return Ok(Looked::Again);
                }
                let Some(page) = page.get(..taken.len) else { break };
                give(block, &taken, page)?;
                *position = taken.next_event();
                bytes += taken.len as u64;
            }
            fullest = fullest.max(bytes);
        }
        Ok(Looked::All(fullest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbered;
    use session::{Session, SessionOptions};
    use std::ops::Range;
    use std::path::Path;
    use trace_data::page::Page;

    fn session(directory: &Path) -> Instance {
        let options = SessionOptions { buffer_kb: 64, snapshots: 2, ..SessionOptions::default() };
        Session::create(&directory.join("s"), &options).unwrap()
    }

    /// Writes numbered events to a lane.
    fn write(session: &Instance, numbers: Range<u64>) {
        numbered::write(session, numbers, |_| true);
    }

    /// The number of an event in a lane, whose CPU is before it.
    fn number(payload: &[u8]) -> u64 {
        numbered::number(&payload[8..])
    }

    /// What a look gives, and how many were lost.
    fn look(following: &mut Following, session: &Instance) -> (Vec<u64>, u64) {
        let (mut numbers, mut lost) = (Vec::new(), 0);
        let give = |_: u32, taken: &PageCopy, page: &[u8]| -> Result<(), Error> {
            lost += taken.lost;
            numbers.extend(Page::new(page).unwrap().events().map(|event| number(event.payload)));
            Ok(())
        };
        following.look(session, give).unwrap();
        (numbers, lost)
    }

    fn at_the_start(session: &Instance) -> Following {
        Following::from(vec![0; session.buffer().geometry().blocks() as usize])
    }

    #[test]
    fn each_event_is_given_once_snapshots_first() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let mut following = at_the_start(&session);
        write(&session, 0..10);
        assert_eq!(look(&mut following, &session), ((0..10).collect(), 0));
        write(&session, 10..20);
        session.take_snapshot().unwrap();
        write(&session, 20..30);
        session.take_snapshot().unwrap();
        write(&session, 30..40);
        assert_eq!(look(&mut following, &session), ((10..40).collect(), 0));
        assert_eq!(look(&mut following, &session), (vec![], 0));
        write(&session, 40..41);
        assert_eq!(look(&mut following, &session), (vec![40], 0));
    }

    #[test]
    fn what_is_gone_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let mut following = at_the_start(&session);
        write(&session, 0..3);
        look(&mut following, &session);
        write(&session, 3..7);
        session.buffer().clear();
        write(&session, 7..9);
        assert_eq!(look(&mut following, &session), (vec![7, 8], 4));
    }

    #[test]
    fn what_was_refused_is_given_again() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let mut following = at_the_start(&session);
        write(&session, 0..3);
        let refuse = |_: u32, _: &PageCopy, _: &[u8]| Err(Error::NoSnapshots { path: "refused".into() });
        assert!(following.look(&session, refuse).is_err());
        assert_eq!(look(&mut following, &session), (vec![0, 1, 2], 0));
    }

    #[test]
    fn none_is_missing_while_snapshots_are_taken() {
        let directory = tempfile::tempdir().unwrap();
        let session = session(directory.path());
        let mut following = at_the_start(&session);
        let blocks = session.buffer().geometry().blocks() as usize;
        let (mut of_blocks, mut lost) = (vec![Vec::new(); blocks], 0);
        let mut look = || {
            let give = |block: u32, taken: &PageCopy, page: &[u8]| -> Result<(), Error> {
                lost += taken.lost;
                let page = Page::new(page).unwrap();
                of_blocks[block as usize].extend(page.events().map(|event| number(event.payload)));
                Ok(())
            };
            following.look(&session, give).unwrap();
        };
        std::thread::scope(|scope| {
            let taking = scope.spawn(|| {
                for round in 0..200 {
                    write(&session, round * 10..(round + 1) * 10);
                    if round % 20 == 19 {
                        // Refused while all are held.
                        let _ = session.take_snapshot();
                    }
                }
            });
            while !taking.is_finished() {
                look();
            }
        });
        look();
        // A lane that is visited is not free: then the next gets the event.
        assert!(of_blocks.iter().all(|numbers| numbers.is_sorted()), "{of_blocks:?}");
        let mut numbers = of_blocks.concat();
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|one, next| one < next), "each once: {numbers:?}");
        assert_eq!(numbers.len() as u64 + lost, 2000, "each is there or counted");
        assert_eq!(numbers.last(), Some(&1999));
    }
}
