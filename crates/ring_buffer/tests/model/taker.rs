//! Someone who takes a place among the holders, takes a snapshot of the block alone, and leaves.

use crate::actor::Progress;
use crate::exchange::snapshot_block;
use crate::layout::Word;
use crate::pool::claim_place;
use crate::spare::Who;
use crate::steps::{Ask, Steps};

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Claim,
    Take(u8),
    Leave(u8),
}

/// Who takes a snapshot of the block alone, and may be killed over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Taker {
    stage: Stage,
}

impl Taker {
    /// One that takes one snapshot.
    pub const fn new() -> Taker {
        Taker { stage: Stage::Claim }
    }

    /// The next stage of the actor `me`.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>, me: u8) -> Ask<Progress> {
        match self.stage {
            Stage::Claim => match claim_place(steps, me)? {
                Some(place) => self.stage = Stage::Take(place),
                None => return Ok(Progress::Ends),
            },
            Stage::Take(place) => {
                if snapshot_block(steps, Who { me, place })? {
                    self.stage = Stage::Leave(place);
                }
            }
            Stage::Leave(place) => {
                steps.store(Word::holder(place), 0)?;
                return Ok(Progress::Ends);
            }
        }
        Ok(Progress::Goes)
    }
}
