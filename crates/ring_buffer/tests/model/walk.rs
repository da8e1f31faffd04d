//! Some orders of steps, chosen by a seed.

use crate::checker::{check_newcomers, check_words};
use crate::counterexample::{Counterexample, tell};
use crate::memory::scatter;
use crate::scenario::Scenario;
use crate::setting::Setting;
use crate::state::Move;

/// Goes through `scenario` once, in an order that follows from `seed`. How many moves that were.
///
/// Bursts of steps of one actor are likelier than single ones: that is what gets several actors deep
/// into their code.
pub fn walk(scenario: &Scenario, setting: &Setting, seed: u64) -> Result<usize, Counterexample> {
    let mut state = scenario.start(setting);
    let mut dice = Dice(scatter(seed));
    let mut moves = Vec::new();
    let mut last = None;
    while !state.is_end() {
        let possible = state.moves(setting);
        let goes_on = last.filter(|last| possible.contains(last) && dice.roll(8) != 0);
        let next = goes_on.unwrap_or_else(|| possible[dice.roll(possible.len())]);
        let rare = matches!(next, Move::Abort(_) | Move::Kill(_) | Move::Jump(_) | Move::Tick);
        if rare && dice.roll(4) != 0 {
            continue;
        }
        last = matches!(next, Move::Step(_)).then_some(next);
        moves.push(next);
        let before = state.shared_hash();
        let checked = state.apply(next, setting, None).and_then(|()| {
            if state.shared_hash() == before {
                return Ok(());
            }
            check_words(&state, setting)?;
            // Newcomers take longer than everything else.
            if dice.roll(4) != 0 {
                return Ok(());
            }
            check_newcomers(&state, setting, &mut None)
        });
        if let Err(violation) = checked {
            let lines = tell(scenario, setting, &moves);
            return Err(Counterexample { violation, lines });
        }
    }
    Ok(moves.len())
}

/// Numbers that look random and follow from the first.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (scatter(self.0) % sides as u64) as usize
    }
}
