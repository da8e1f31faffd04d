//! All that a thread can execute while a site is changed.

use crate::processor::{Executed, decode};
use crate::site::{ModelSite, OWN, POINTER};
use std::collections::BTreeSet;
use text_poke::plan::{NextStep, Preparation, SiteState};
use text_poke::{SiteCode, WordChange, changes};

/// Something that who changes the site does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Stores a word.
    Store(WordChange),
    /// Makes all threads see what was stored.
    Synchronize,
}

/// How the acts are falsified, to see that it is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    None,
    /// Threads run while what has to be done alone is done.
    NotAlone,
    /// No thread is made to see anything.
    NoSynchronization,
    /// The last code is stored at once.
    NoSteps,
    /// Of each word each byte is stored by itself.
    SingleBytes,
}

/// Where a thread is in the site, and what it has done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pass {
    /// How many acts had been done when it last had to see all of them.
    seen: usize,
    at: usize,
    calls: usize,
}

/// What ended badly, in words.
pub type Violation = String;

/// Brings the site from the code `from` to `wanted`, with a thread in it that may execute at any moment, and
/// to which each word is as it was at any time since it last had to see all. How many steps that took, and
/// the code that is there in the end.
pub fn explore(
    site: &ModelSite,
    from: SiteCode,
    wanted: SiteState,
    mistake: Mistake,
) -> Result<(usize, SiteCode), Violation> {
    let is_alone = site.plan.preparation() == Preparation::Alone && from == site.found();
    let (acts, last) = acts(site, from, wanted, is_alone, mistake)?;
    let steps = acts.iter().filter(|act| **act == Act::Synchronize).count();
    if is_alone && mistake != Mistake::NotAlone {
        return Ok((steps, last));
    }
    let run = Run { site, from, acts: &acts };
    let mut open = run.starts();
    let mut known = BTreeSet::new();
    for done in 0..=acts.len() {
        if done > 0 && acts[done - 1] == Act::Synchronize {
            open = open.into_iter().map(|pass| Pass { seen: done, ..pass }).collect();
        }
        let mut next: Vec<Pass> = open.iter().copied().collect();
        while let Some(pass) = next.pop() {
            if !known.insert((done, pass)) {
                continue;
            }
            for after in run.executed(pass, done)? {
                open.insert(after);
                next.push(after);
            }
        }
    }
    run.check_end(&last, wanted)?;
    Ok((steps, last))
}

/// What is done, in its order, and the code afterwards.
fn acts(
    site: &ModelSite,
    from: SiteCode,
    wanted: SiteState,
    is_alone: bool,
    mistake: Mistake,
) -> Result<(Vec<Act>, SiteCode), Violation> {
    let (mut acts, mut now) = (Vec::new(), from);
    while let NextStep::Store(next) = site.plan.step(now, wanted, is_alone) {
        let next = if mistake == Mistake::NoSteps { site.plan.code(wanted) } else { next };
        for change in changes(site.plan.address(), now, next) {
            acts.extend(stores(change, mistake).into_iter().map(Act::Store));
        }
        if mistake != Mistake::NoSynchronization {
            acts.push(Act::Synchronize);
        }
        now = next;
        if acts.len() > 100 {
            return Err(format!("no end: {now}"));
        }
    }
    Ok((acts, now))
}

fn stores(change: WordChange, mistake: Mistake) -> Vec<WordChange> {
    if mistake != Mistake::SingleBytes {
        return vec![change];
    }
    let mut now = change.from;
    let mut stores = Vec::new();
    for byte in 0..8 {
        let mask = 0xff << (8 * byte) & change.mask;
        let next = now & !mask | change.to & mask;
        stores.push(WordChange { from: now, to: next, ..change });
        now = next;
    }
    stores
}

struct Run<'a> {
    site: &'a ModelSite,
    from: SiteCode,
    acts: &'a [Act],
}

impl Run<'_> {
    /// A thread may be before any of the instructions that it would execute in the code as it was.
    fn starts(&self) -> BTreeSet<Pass> {
        let mut starts = BTreeSet::new();
        let mut pass = Pass { seen: 0, at: 0, calls: 0 };
        loop {
            starts.insert(pass);
            let bytes = &self.from.bytes()[pass.at..];
            match self.execute(pass, bytes, 0) {
                Ok(next) if next.at < self.from.len() => pass = next,
                _ => return starts,
            }
        }
    }

    /// Where `pass` can be after its next instruction, when `done` acts have been done.
    fn executed(&self, pass: Pass, done: usize) -> Result<BTreeSet<Pass>, Violation> {
        let mut after = BTreeSet::new();
        for bytes in self.views(pass.seen, done) {
            let next = self.execute(pass, &bytes[pass.at..], done);
            let next = next.map_err(|problem| format!("{problem}, after {done} of {:x?}", self.acts))?;
            // Who is through comes back.
            let again = Pass { seen: pass.seen, at: 0, calls: 0 };
            after.insert(if next.at < self.from.len() { next } else { again });
        }
        Ok(after)
    }

    /// All bytes of the site that a thread may see: each word as after any number of acts from `seen` to
    /// `done`.
    fn views(&self, seen: usize, done: usize) -> Vec<Vec<u8>> {
        let address = self.site.plan.address();
        let first = address - address % 8;
        let words = (address + self.from.len() as u64 - 1 - first) / 8 + 1;
        let mut views = vec![Vec::new()];
        for word in (0..words).map(|word| first + 8 * word) {
            let values: BTreeSet<Vec<u8>> = (seen..=done).map(|acts| self.bytes_in(word, acts)).collect();
            views = views
                .iter()
                .flat_map(|view| values.iter().map(move |value| [view.as_slice(), value].concat()))
                .collect();
        }
        views
    }

    /// The bytes of the site that are in a word, after so many acts.
    fn bytes_in(&self, word: u64, acts: usize) -> Vec<u8> {
        let address = self.site.plan.address();
        let mut bytes: Vec<(u64, u8)> = (address..).zip(self.from.bytes().iter().copied()).collect();
        bytes.retain(|(at, _)| (word..word + 8).contains(at));
        for act in &self.acts[..acts] {
            let Act::Store(change) = act else { continue };
            if change.address == word {
                bytes.iter_mut().for_each(|(at, byte)| *byte = (change.to >> (8 * (*at % 8))) as u8);
            }
        }
        bytes.into_iter().map(|(_, byte)| byte).collect()
    }

    /// Executes one instruction.
    fn execute(&self, pass: Pass, bytes: &[u8], done: usize) -> Result<Pass, Violation> {
        let at = pass.at;
        let end = |len: usize| self.site.plan.address() + (at + len) as u64;
        let to = |len: usize, distance: i32| end(len).wrapping_add_signed(distance.into());
        let ahead = |len: usize| Pass { at: at + len, ..pass };
        let Some(executed) = decode(bytes) else { return Err(format!("at {at}: {bytes:x?}")) };
        let called = |target: u64, len: usize| {
            let is_known = self.site.is_called(target) || self.site.was_called(target);
            if !is_known || pass.calls > 0 {
                return Err(format!("at {at}: call of {target:#x}"));
            }
            Ok(Pass { calls: 1, ..ahead(len) })
        };
        match executed {
            Executed::Nothing(len) => Ok(ahead(len)),
            Executed::Call(len, distance) => called(to(len, distance), len),
            Executed::Return => Ok(ahead(self.from.len())),
            // A sled's.
            Executed::Jump(2, distance @ 0..) if self.site.resumes == 0 => Ok(ahead(2 + distance as usize)),
            Executed::Jump(len, distance) if to(len, distance) == self.site.off => {
                Ok(ahead(self.site.resumes))
            }
            // What was moved is executed there, before the jump back.
            Executed::Jump(len, distance) if self.site.resumes > 0 => {
                called(to(len, distance), self.site.resumes)
            }
            Executed::CallIndirect(len, distance) if to(len, distance) == POINTER => called(OWN, len),
            other => Err(format!("at {at}: {other:?} after {done} acts")),
        }
    }

    /// Whether in the end a thread calls what it should, once, or nothing.
    fn check_end(&self, last: &SiteCode, wanted: SiteState) -> Result<(), Violation> {
        let mut pass = Pass { seen: self.acts.len(), at: 0, calls: 0 };
        while pass.at < last.len() {
            pass = self.execute(pass, &last.bytes()[pass.at..], self.acts.len())?;
        }
        let (calls, plan) = (pass.calls, &self.site.plan);
        let expected = match wanted {
            SiteState::On => Some(1),
            SiteState::Off => Some(0),
            SiteState::Found => None,
        };
        let is_right = expected.is_none_or(|expected| calls == expected);
        let leaves = pass.calls == 0 || wanted != SiteState::On || plan.returns_to() > plan.address();
        if is_right && leaves { Ok(()) } else { Err(format!("in the end {calls} calls, by {last}")) }
    }
}
