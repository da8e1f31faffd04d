//! Telling a person how it comes that a law does not hold.

use crate::checker::{check_newcomers, check_words};
use crate::scenario::Scenario;
use crate::setting::Setting;
use crate::state::Move;
use crate::world::Violation;
use std::fmt;

/// A way to where a law does not hold.
#[derive(Debug)]
pub struct Counterexample {
    /// The law.
    pub violation: Violation,
    /// What was done, a line for each step.
    pub lines: Vec<String>,
}

/// Does the moves once more and writes them down: who, in which function, what. If it is a newcomer that
/// finds that something is wrong, its steps follow.
pub fn tell(scenario: &Scenario, setting: &Setting, moves: &[Move]) -> Vec<String> {
    let mut state = scenario.start(setting);
    let mut lines = Vec::new();
    let who = |index: u8| {
        let name = scenario.actors[usize::from(index)].name();
        format!("{name} {}", (b'A' + index) as char)
    };
    for next in moves {
        let mut notes = Vec::new();
        // What does not hold is known already.
        let _ = state.apply(*next, setting, Some(&mut notes));
        match next {
            Move::Step(index) => {
                lines.extend(notes.iter().map(|note| format!("{:<14} {note}", who(*index))));
            }
            Move::Abort(index) => lines.push(format!("{:<14} is interrupted", who(*index))),
            Move::Kill(index) => lines.push(format!("{:<14} is killed", who(*index))),
            Move::Jump(index) => lines.push(format!("{:<14} leaves its write", who(*index))),
            Move::Tick => lines.push("time passes".into()),
            Move::Drain => lines.push("the oldest delayed store is seen by all".into()),
        }
    }
    let mut notes = Some(Vec::new());
    if check_words(&state, setting).is_ok() && check_newcomers(&state, setting, &mut notes).is_err() {
        let newcomer = |note| format!("{:<14} {note}", "newcomer");
        lines.extend(notes.into_iter().flatten().map(newcomer));
    }
    lines
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in (1..).zip(&self.lines) {
            writeln!(f, "{number:>4}  {line}")?;
        }
        write!(f, "      {} does not hold: {}", self.violation.law, self.violation.what)
    }
}
