//! Asking all writers for a change: `src/control.rs`, and what asks the pool.

use crate::actor::Progress;
use crate::layout::{Control, Value, Word};
use crate::pool;
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
    /// The same for this block alone.
    ClearBlock,
    /// The next generation, in a spare ring. What was live is kept.
    Snapshot,
    /// A ring no longer holds the snapshot of this generation.
    Discard(u8, Value),
    /// A spare ring loses its memory.
    Release(u8),
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

    /// The next request.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Progress> {
        let Some((request, rest)) = self.requests.split_first() else {
            return Ok(Progress::Ends);
        };
        let done = match *request {
            Request::Snapshot => pool::snapshot(steps)?,
            Request::Discard(ring, generation) => {
                pool::discard(steps, ring, generation)?;
                true
            }
            Request::Release(ring) => pool::release(steps, ring)?,
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
            let ring = Control(steps.load(Word::CONTROL)?).ring();
            steps.fetch_update(Word::resets(ring), |resets| resets + 1)?;
            if steps.is_now() {
                steps.world.ghost.reset(ring);
            }
        }
        _ => {}
    }
    let old = Control(steps.load(Word::CONTROL)?);
    let new = request.applied_to(old);
    steps.compare_exchange(Word::CONTROL, old.0, new.0)
}

impl Request {
    fn applied_to(self, control: Control) -> Control {
        let with = |flag: Value, set: bool| Control(if set { control.0 | flag } else { control.0 & !flag });
        match self {
            Request::Tracing(on) => with(Control::TRACING_OFF, !on),
            Request::Overwrite(on) => with(Control::NO_OVERWRITE, !on),
            Request::Clear => control.next_generation(control.ring()),
            _ => control.next_epoch(),
        }
    }
}
