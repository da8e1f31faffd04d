//! Asking all writers for a change: `src/control.rs`, and what a snapshot will do.

use crate::actor::Progress;
use crate::layout::{Control, Value, Word};
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
    /// The next generation, in another ring.
    Switch(u8),
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
        steps.at("change");
        if *request == Request::DisableBlock {
            steps.fetch_update(Word::FLAGS, |_| 1)?;
        }
        let old = Control(steps.load(Word::CONTROL)?);
        let new = request.applied_to(old);
        if !steps.compare_exchange(Word::CONTROL, old.0, new.0)? {
            return Ok(Progress::Goes);
        }
        if let Request::Switch(ring) = request {
            steps.world.ghost.switch(old, *ring);
        }
        self.requests = rest;
        Ok(if rest.is_empty() { Progress::Ends } else { Progress::Goes })
    }
}

impl Request {
    fn applied_to(self, control: Control) -> Control {
        let with = |flag: Value, set: bool| Control(if set { control.0 | flag } else { control.0 & !flag });
        match self {
            Request::Tracing(on) => with(Control::TRACING_OFF, !on),
            Request::Overwrite(on) => with(Control::NO_OVERWRITE, !on),
            Request::Clear => control.next_generation(control.ring()),
            Request::Switch(ring) => control.next_generation(ring),
            Request::DisableBlock => control.next_epoch(),
        }
    }
}
