//! What an actor has done so far.

use crate::layout::Value;
use crate::steps::Outcome;

const ENTRIES: usize = 48;
const NO_SECTION: u8 = u8::MAX;

/// The first entry of a stage says how far it is: entries of its accesses follow, or its result.
const OPEN: Value = 0;
const DONE: Value = 1;

/// What an actor's accesses have answered since its attempt began. The attempt's code follows from
/// it, so this is all that has to be known of where the actor is.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    entries: [Value; ENTRIES],
    len: u8,
    /// Where the section starts that the next access is part of.
    section: u8,
}

/// How far a stage is.
#[derive(Debug, Clone, Copy)]
pub enum Stage<const N: usize> {
    /// Its accesses follow, as far as they are done.
    Open,
    /// This came of it.
    Done([Value; N]),
}

impl Log {
    /// Nothing was done.
    pub const EMPTY: Log = Log { entries: [0; ENTRIES], len: 0, section: NO_SECTION };

    /// The answers.
    pub fn entries(&self) -> &[Value] {
        &self.entries[..usize::from(self.len)]
    }

    /// Whether no access was done.
    pub fn is_before_first(&self) -> bool {
        self.len == 0
    }

    /// Whether the next access starts a section.
    pub fn is_before_section(&self) -> bool {
        self.section != NO_SECTION && self.section + 1 == self.len
    }

    /// Whether a section has been started that is not at its end.
    pub fn is_inside_section(&self) -> bool {
        self.section != NO_SECTION && self.section + 1 < self.len
    }

    /// The thread loses its CPU: its section is over, at whatever it had done.
    pub fn abort_section(&mut self) {
        self.close(usize::from(self.section), &[Outcome::Aborted as Value]);
        self.section = NO_SECTION;
    }

    /// The next access has to wait. `section` is where the section starts that it is part of.
    pub fn wait(&mut self, section: Option<u8>) {
        self.section = section.unwrap_or(NO_SECTION);
    }

    /// Notes what an access has answered.
    pub fn push(&mut self, answer: Value) {
        self.entries[usize::from(self.len)] = answer;
        self.len += 1;
    }

    /// The stage that starts at entry `start`. If it has not begun, it does.
    pub fn stage<const N: usize>(&mut self, start: usize) -> Stage<N> {
        match self.entries().get(start..) {
            Some([DONE, result @ ..]) => Stage::Done(std::array::from_fn(|index| result[index])),
            Some([_, ..]) => Stage::Open,
            _ => {
                self.push(OPEN);
                Stage::Open
            }
        }
    }

    /// Ends the stage that starts at entry `start`.
    pub fn close(&mut self, start: usize, result: &[Value]) {
        self.truncate(start);
        self.push(DONE);
        result.iter().for_each(|value| self.push(*value));
    }

    /// Forgets the entries from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.entries[len..].fill(0);
        self.len = len as u8;
    }
}
