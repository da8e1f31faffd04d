//! Every order of steps.

use crate::checker::{check_newcomers, check_words};
use crate::counterexample::{Counterexample, tell};
use crate::ghost::violated;
use crate::scenario::Scenario;
use crate::setting::Setting;
use crate::state::{Move, State};
use crate::world::Violation;
use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// States that were seen. Their hashes need no further hashing.
type Seen = HashSet<u64, BuildHasherDefault<Identity>>;

/// What an exploration has found.
#[derive(Debug)]
pub struct Explored {
    /// How many different states there were.
    pub states: usize,
    /// How many different contents of shared memory.
    pub memories: usize,
    /// How far it can come.
    pub reached: Reached,
    /// A shortest way to where a law does not hold.
    pub counterexample: Option<Counterexample>,
}

/// What there was at the ends, where every actor has done everything.
#[derive(Debug, Default)]
pub struct Reached {
    /// How many ends.
    pub ends: usize,
    /// The most events that were committed.
    pub commits: u32,
    /// The most events that were consumed.
    pub consumed: u32,
}

/// Goes through every order of steps of `scenario`, breadth first.
pub fn explore(scenario: &Scenario, setting: &Setting) -> Explored {
    let start = scenario.start(setting);
    let mut explorer = Explorer::default();
    let mut found = explorer.enter(&start, None, setting, true).err();
    let mut waiting = VecDeque::from([(start, 0)]);
    while found.is_none()
        && let Some((state, node)) = waiting.pop_front()
    {
        found = explorer.go_on(&state, node, setting, &mut waiting).err();
    }
    let counterexample = found.map(|violation| {
        let moves = explorer.way_to(explorer.nodes.len().saturating_sub(1));
        let lines = tell(scenario, setting, &moves);
        Counterexample { violation, lines }
    });
    let (states, memories) = (explorer.seen.len(), explorer.memories.len());
    Explored { states, memories, reached: explorer.reached, counterexample }
}

/// The states so far.
#[derive(Debug, Default)]
struct Explorer {
    seen: Seen,
    memories: Seen,
    /// For each state: the one before, and how it came from there.
    nodes: Vec<(u32, Option<Move>)>,
    reached: Reached,
}

impl Explorer {
    /// Lets happen whatever can happen in `state`.
    fn go_on(
        &mut self,
        state: &State,
        node: u32,
        setting: &Setting,
        waiting: &mut VecDeque<(State, u32)>,
    ) -> Result<(), Violation> {
        let moves = state.moves(setting);
        if state.is_end() {
            self.end(state);
        } else if moves.is_empty() {
            return violated("R12", || "nobody can go on".into());
        }
        for next in moves {
            let mut then = *state;
            let entered = then.apply(next, setting, None).and_then(|()| {
                let changed = then.shared_hash() != state.shared_hash();
                self.enter(&then, Some((node, next)), setting, changed)
            });
            match entered {
                Ok(Some(node)) => waiting.push_back((then, node)),
                Ok(None) => {}
                Err(violation) => {
                    self.nodes.push((node, Some(next)));
                    return Err(violation);
                }
            }
        }
        Ok(())
    }

    /// Takes a state in: its node if it is a new one.
    fn enter(
        &mut self,
        state: &State,
        from: Option<(u32, Move)>,
        setting: &Setting,
        changed: bool,
    ) -> Result<Option<u32>, Violation> {
        if !self.seen.insert(state.hash()) {
            return Ok(None);
        }
        if changed && self.memories.insert(state.shared_hash()) {
            check_words(state, setting)?;
            check_newcomers(state, setting, &mut None)?;
        }
        let (before, how) = from.map_or((0, None), |(before, how)| (before, Some(how)));
        self.nodes.push((before, how));
        Ok(Some(self.nodes.len() as u32 - 1))
    }

    fn end(&mut self, state: &State) {
        let (commits, consumed) = (state.ghost.commits, state.ghost.consumed.count_ones());
        self.reached.ends += 1;
        self.reached.commits = self.reached.commits.max(commits.into());
        self.reached.consumed = self.reached.consumed.max(consumed);
    }

    fn way_to(&self, mut node: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while let Some((before, Some(how))) = self.nodes.get(node) {
            moves.push(*how);
            node = *before as usize;
        }
        moves.reverse();
        moves
    }
}

/// Hashes a hash.
#[derive(Debug, Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
