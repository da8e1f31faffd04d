//! Numbered cases.

use super::journal::Journal;
use super::random::Random;
use super::session::Damaged;
use super::tree::Trees;
use super::{dat, format, page, sample, selection};
use std::path::Path;

/// What can be damaged, and used at random.
pub const TARGETS: [&str; 7] = ["session", "dat", "format", "page", "selection", "tree", "journal"];

/// How many inputs a case of a target has: so that all targets get about the same time.
fn inputs(target: &str) -> usize {
    match target {
        "page" | "selection" => 1000,
        "format" => 100,
        "dat" => 10,
        _ => 1,
    }
}

/// The cases of a seed.
#[derive(Debug)]
pub struct Cases {
    seed: u64,
    session: Damaged,
    dat: Vec<u8>,
    pages: Vec<u8>,
    trees: Trees,
    journal: Journal,
}

impl Cases {
    /// Those of `seed`, with their files in `directory`.
    pub fn new(seed: u64, directory: &Path) -> Result<Cases, String> {
        let (session, trees) = (Damaged::new(directory)?, Trees::new(directory));
        let journal = Journal::new(directory, &session)?;
        Ok(Cases { seed, session, dat: sample::dat()?, pages: sample::pages(4), trees, journal })
    }

    /// What the case damages.
    pub fn target(number: u64) -> &'static str {
        TARGETS[(number % TARGETS.len() as u64) as usize]
    }

    /// How many inputs the case has.
    pub fn executions(number: u64) -> u64 {
        inputs(Cases::target(number)) as u64
    }

    /// Runs a case.
    pub fn run(&self, number: u64) {
        let mut random = Random::new(Random::new(self.seed ^ number.rotate_left(32)).next());
        let target = Cases::target(number);
        for _ in 0..inputs(target) {
            match target {
                "session" => self.session.run(&mut random),
                "dat" => dat::run(&self.dat, &mut random),
                "format" => format::run(&mut random),
                "page" => page::run(&self.pages, &mut random),
                "tree" => self.trees.run(&mut random),
                "journal" => self.journal.run(&self.session, &mut random),
                _ => selection::run(&mut random),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cases_of_a_seed_go_well() {
        let directory = tempfile::tempdir().unwrap();
        let cases = Cases::new(1, directory.path()).unwrap();
        for number in 0..TARGETS.len() as u64 * 3 {
            cases.run(number);
        }
    }
}
