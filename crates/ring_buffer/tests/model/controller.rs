//! Asking all writers for a change: `src/control.rs`, and what asks the pool.

use crate::actor::Progress;
use crate::exchange::snapshot_block;
use crate::layout::{ControlWord, HOLDERS, Parts, Value, Word};
use crate::pool;
use crate::resize::resize;
use crate::spare::{Who, release};
use crate::steps::{Ask, Steps};

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Request {
    /// Recording on or off.
    Tracing(bool),
    /// Whether a full ring overwrites its oldest page.
    Overwrite(bool),
    /// The next generation, in the same ring.
    Clear,
    /// The next generation of this block alone.
    ClearBlock,
    /// The next generation, in a spare ring. What was live is kept.
    Snapshot,
    /// A ring no longer holds the snapshot of this generation.
    Discard(u8, Value),
    /// The generation goes on in a spare ring, in this block alone. What was live is kept.
    SnapshotBlock,
    /// A spare ring loses its memory.
    Release(u8),
    /// Recording goes on in this ring, which gets so many pages.
    Resize(u8, u8),
    /// No recording in this block.
    DisableBlock,
}

/// Someone who asks for one change after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Controller {
    requests: &'static [Request],
}

impl Controller {
    /// One with these requests.
    pub const fn new(requests: &'static [Request]) -> Controller {
        Controller { requests }
    }

    /// The next request of the actor `me`. Its place among the holders is the last.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>, me: u8) -> Ask<Progress> {
        let who = Who { me, place: HOLDERS as u8 - 1 };
        let Some((request, rest)) = self.requests.split_first() else {
            return Ok(Progress::Ends);
        };
        let done = match *request {
            Request::Snapshot => pool::snapshot(steps)?,
            Request::Discard(ring, generation) => {
                pool::discard(steps, ring, generation)?;
                true
            }
            Request::SnapshotBlock => snapshot_block(steps, who)?,
            Request::Release(ring) => release(steps, who, ring)?,
            Request::Resize(ring, pages) => resize(steps, who, ring, pages)?,
            _ => change(steps, *request)?,
        };
        if done {
            self.requests = rest;
        }
        Ok(if done && rest.is_empty() { Progress::Ends } else { Progress::Goes })
    }
}

/// Changes the control word, and what goes with it. Whether nobody came in between.
fn change(steps: &mut Steps<'_, '_>, request: Request) -> Ask<bool> {
    steps.at("change");
    match request {
        Request::DisableBlock => steps.fetch_update(Word::FLAGS, |_| 1)?,
        Request::ClearBlock => {
            let ring = ControlWord(steps.load(Word::CONTROL)?).ring();
            let part = Parts(steps.load(Word::PARTS)?).of(ring);
            steps.fetch_update(Word::resets(part), |resets| resets + 1)?;
            if steps.is_now() {
                steps.world.ghost.reset(part);
            }
        }
        _ => {}
    }
    let old = ControlWord(steps.load(Word::CONTROL)?);
    let new = request.applied_to(old);
    steps.compare_exchange(Word::CONTROL, old.0, new.0)
}

impl Request {
    fn applied_to(self, control: ControlWord) -> ControlWord {
        let with =
            |flag: Value, set: bool| ControlWord(if set { control.0 | flag } else { control.0 & !flag });
        match self {
            Request::Tracing(on) => with(ControlWord::TRACING_OFF, !on),
            Request::Overwrite(on) => with(ControlWord::NO_OVERWRITE, !on),
            Request::Clear => control.next_generation(control.ring()),
            _ => control.next_epoch(),
        }
    }
}
