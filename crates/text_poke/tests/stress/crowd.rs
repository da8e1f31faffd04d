//! Threads that call functions while others switch their sites, and notice when a call isn't counted as it
//! should be.

use crate::functions::Functions;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::Arc;

/// What the switching thread and the calling ones know of each other.
#[derive(Debug)]
pub struct Stage {
    pub functions: Functions,
    /// For each function, twice a number of switches; plus one while it is being switched. It is on when that
    /// number is odd.
    pub generations: Vec<AtomicU64>,
    pub stop: AtomicBool,
    /// Calls that were checked.
    pub checked: AtomicUsize,
    /// Calls that happened while their site was switched, which may be counted or not.
    pub during: AtomicUsize,
    /// Children that were made, and have called everything.
    pub children: AtomicUsize,
    /// Signals whose handlers have called everything.
    pub signals: AtomicUsize,
}

impl Stage {
    pub fn new() -> Arc<Stage> {
        let functions = Functions::new();
        let generations = functions.all.iter().map(|_| AtomicU64::new(0)).collect();
        let zero = || AtomicUsize::new(0);
        Arc::new(Stage {
            functions,
            generations,
            stop: AtomicBool::new(false),
            checked: zero(),
            during: zero(),
            children: zero(),
            signals: zero(),
        })
    }

    /// Says that a function is about to be switched, or has been.
    pub fn switching(&self, index: usize) {
        self.generations[index].fetch_add(1, Release);
    }

    /// Whether it is on, as the switching thread knows it.
    pub fn is_on(&self, index: usize) -> bool {
        self.generations[index].load(Relaxed) / 2 % 2 == 1
    }

    /// Calls each function once, and checks what is counted. Async-signal-safe.
    ///
    /// What a call counts says whether the site was on; where it was not switched meanwhile that is known.
    pub fn call_all(&self) {
        let (mut checked, mut during) = (0, 0);
        for (function, generation) in self.functions.all.iter().zip(&self.generations) {
            let before = generation.load(Acquire);
            let mut counter = 0;
            function.call(&mut counter);
            let after = generation.load(Acquire);
            if before == after && before % 2 == 0 {
                let expected = before / 2 % 2;
                assert!(counter == expected, "counted {counter} instead of {expected} times: {function:?}");
                checked += 1;
            } else {
                assert!(counter <= 1, "counted {counter} times: {function:?}");
                during += 1;
            }
        }
        self.checked.fetch_add(checked, Relaxed);
        self.during.fetch_add(during, Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
