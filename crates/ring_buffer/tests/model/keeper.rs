//! Someone who holds a snapshot, reads it, lets it go and gives it up: `src/holder.rs`.

use crate::actor::Progress;
use crate::layout::{RINGS, Value, Word};
use crate::pool::{self, Entry};
use crate::reader::Reader;
use crate::steps::{Ask, Steps};

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    Claim,
    Find,
    Hold,
    Read(Reader),
    LetGo,
    Discard,
    TakeOver,
    Leave,
}

/// A reader of snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Keeper {
    stage: Stage,
    place: u8,
    ring: u8,
    generation: Value,
    /// Whether it drops what it has read.
    discards: bool,
}

impl Keeper {
    /// One that reads the first snapshot that it finds, and gives it up then if it `discards`.
    pub const fn new(discards: bool) -> Keeper {
        Keeper { stage: Stage::Claim, place: 0, ring: 0, generation: 0, discards }
    }

    /// The next stage of the actor `me`.
    pub fn attempt(&mut self, steps: &mut Steps<'_, '_>, me: u8) -> Ask<Progress> {
        self.stage = match self.stage {
            Stage::Claim => match pool::claim_place(steps, me)? {
                Some(place) => {
                    self.place = place;
                    Stage::Find
                }
                None => return Ok(Progress::Ends),
            },
            Stage::Find => self.find(steps)?,
            Stage::Hold => match pool::hold(steps, self.place, me, self.ring, self.generation)? {
                true => Stage::Read(Reader::of_kept(self.ring, self.generation)),
                false => Stage::Leave,
            },
            Stage::Read(mut reader) => match reader.attempt(steps)? {
                Progress::Goes => Stage::Read(reader),
                Progress::Ends => Stage::LetGo,
            },
            Stage::LetGo => {
                pool::let_go(steps, self.place, me, self.ring)?;
                if self.discards { Stage::Discard } else { Stage::Leave }
            }
            Stage::Discard => match pool::discard(steps, self.ring, self.generation)? {
                true => Stage::Leave,
                false => Stage::TakeOver,
            },
            Stage::TakeOver => {
                let word = Entry(steps.load(Word::kept(self.ring))?);
                for place in (0..).take(crate::layout::HOLDERS).filter(|place| word.is_held_by(*place)) {
                    pool::take_over(steps, place, me)?;
                }
                pool::discard(steps, self.ring, self.generation)?;
                Stage::Leave
            }
            Stage::Leave => {
                steps.store(Word::holder(self.place), 0)?;
                return Ok(Progress::Ends);
            }
        };
        Ok(Progress::Goes)
    }

    fn find(&mut self, steps: &mut Steps<'_, '_>) -> Ask<Stage> {
        for ring in 0..RINGS as u8 {
            if let Some(generation) = pool::kept_in(steps, ring)? {
                (self.ring, self.generation) = (ring, generation);
                return Ok(Stage::Hold);
            }
        }
        Ok(Stage::Leave)
    }
}
