//! Why processes trace no functions.

use crate::area::ControlArea;
use abi::control::FunctionsOff;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

impl ControlArea {
    /// Says why a process traces no functions, if nothing was said before. Async-signal-safe.
    // Release: pairs with the Acquire of `functions_off`: who sees the word sees the bytes.
    pub fn set_functions_off(&self, entry: u32, off: &FunctionsOff) {
        let Some(word) = self.functions_off_word(entry) else { return };
        if word.load(Relaxed) == 0
            && let Some(place) = self.allocate(&[&off.encode()])
        {
            word.store(place, Release);
        }
    }

    /// Why a process traces no functions. None where nothing has been said.
    // Acquire: see `set_functions_off`.
    pub fn functions_off(&self, entry: u32) -> Option<FunctionsOff> {
        let word = self.functions_off_word(entry)?.load(Acquire);
        let mut bytes = [0; FunctionsOff::LEN];
        if word == 0 || self.text(word, &mut bytes)?.len() != bytes.len() {
            return None;
        }
        FunctionsOff::decode(&bytes)
    }

    /// Says how many sites of a mapped file a process could not change any more.
    // Relaxed: the word carries nothing but itself.
    pub fn set_late_sites(&self, object: u32, sites: u64) {
        if let Some(word) = self.late_sites_word(object) {
            word.fetch_max(sites, Relaxed);
        }
    }

    /// How many sites of a mapped file some process could not change any more.
    // Relaxed: the word carries nothing but itself.
    pub fn late_sites(&self, object: u32) -> u64 {
        self.late_sites_word(object).map_or(0, |word| word.load(Relaxed))
    }
}
