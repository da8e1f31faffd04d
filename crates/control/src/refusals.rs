//! What programs bring and a session refuses, in words: kept for readers of the session.

use crate::area::ControlArea;
use abi::control::heap_range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire};

/// The longest text of a refusal. What is longer is cut off.
const LONGEST: usize = 1024;

impl ControlArea {
    /// Keeps a text that says what was refused, unless it is kept already. The first ones are; what finds no
    /// space is lost. Async-signal-safe.
    // AcqRel: pairs with the Acquire of `refusals` and of the comparison: the text is there.
    pub fn tell_refused(&self, parts: &[&str]) {
        let mut text = [0; LONGEST];
        let mut len = 0;
        for (to, byte) in text.iter_mut().zip(parts.iter().flat_map(|part| part.bytes())) {
            *to = byte;
            len += 1;
        }
        let text = text.get(..len).unwrap_or_default();
        let mut fresh = 0;
        for word in &self.header().refusals {
            let mut found = word.load(Acquire);
            if found == 0 {
                if fresh == 0 {
                    let Some(stored) = self.allocate(&[text]) else { return };
                    fresh = stored;
                }
                match word.compare_exchange(0, fresh, AcqRel, Acquire) {
                    Ok(_) => return,
                    Err(other) => found = other,
                }
            }
            let mut buffer = [0; LONGEST];
            if heap_range(found).1 as usize == len && self.text(found, &mut buffer) == Some(text) {
                return;
            }
        }
    }

    /// Calls `visit` with each text.
    // Acquire: pairs with the AcqRel of `tell_refused`.
    pub fn refusals(&self, mut visit: impl FnMut(&str)) {
        let words = self.header().refusals.iter().map(|word: &AtomicU64| word.load(Acquire));
        for word in words.take_while(|word| *word != 0) {
            let mut buffer = [0; LONGEST];
            // One that was cut off within a character is told up to there.
            let text = self.text(word, &mut buffer).unwrap_or_default();
            visit(text.utf8_chunks().next().map_or("", |chunk| chunk.valid()));
        }
    }
}
