//! Numbered cases.

use super::random::Random;
use super::session::Damaged;
use super::tree::Trees;
use super::{dat, format, page, sample, selection};
use std::path::Path;

/// What there is to damage.
pub const TARGETS: [&str; 6] = ["session", "dat", "format", "page", "selection", "tree"];

/// The cases of a seed.
#[derive(Debug)]
pub struct Cases {
    seed: u64,
    session: Damaged,
    dat: Vec<u8>,
    pages: Vec<u8>,
    trees: Trees,
}

impl Cases {
    /// Those of `seed`, with their files in `directory`.
    pub fn new(seed: u64, directory: &Path) -> Result<Cases, String> {
        let (session, trees) = (Damaged::new(directory)?, Trees::new(directory));
        Ok(Cases { seed, session, dat: sample::dat()?, pages: sample::pages(4), trees })
    }

    /// What the case damages.
    pub fn target(number: u64) -> &'static str {
        TARGETS[(number % TARGETS.len() as u64) as usize]
    }

    /// Runs a case.
    pub fn run(&self, number: u64) {
        let mut random = Random::new(Random::new(self.seed ^ number.rotate_left(32)).next());
        match Cases::target(number) {
            "session" => self.session.run(&mut random),
            "dat" => dat::run(&self.dat, &mut random),
            "format" => format::run(&mut random),
            "page" => page::run(&self.pages, &mut random),
            "tree" => self.trees.run(&mut random),
            _ => selection::run(&mut random),
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
        for number in 0..TARGETS.len() as u64 * 10 {
            cases.run(number);
        }
    }
}
