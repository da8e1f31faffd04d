//! Shared memory: the words, and what a CPU has stored that others do not see yet.

use crate::layout::{Value, WORDS, Word};

/// The most stores that a CPU can hold back.
const DELAYED: usize = 4;

/// Who accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A writer on the block's CPU. It sees its CPU's own stores at once.
    Local,
    /// Anyone else.
    Remote,
}

/// A store that has been done and that only its own CPU sees yet.
#[derive(Debug, Clone, Copy)]
struct Delayed {
    word: Word,
    is_pair: bool,
    low: Value,
    high: Value,
}

impl Delayed {
    const NONE: Delayed = Delayed { word: Word::CONTROL, is_pair: false, low: 0, high: 0 };
}

/// The words.
///
/// x86-64 lets a store be seen late by others, but never out of order, and a locked instruction waits
/// for all before it. That is a queue for each CPU. Without one (a capacity of 0) memory is
/// sequentially consistent.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    words: [Value; WORDS],
    hash: u64,
    delayed: [Delayed; DELAYED],
    count: u8,
    capacity: u8,
}

impl Memory {
    /// Zeros, with a store queue of `capacity`.
    pub fn new(capacity: u8) -> Memory {
        Memory { words: [0; WORDS], hash: 0, delayed: [Delayed::NONE; DELAYED], count: 0, capacity }
    }

    /// The word as everybody sees it.
    pub fn get(&self, word: Word) -> Value {
        self.words[word.index()]
    }

    /// The word as the block's CPU sees it.
    pub fn local(&self, word: Word) -> Value {
        for delayed in self.delayed[..usize::from(self.count)].iter().rev() {
            if delayed.word == word {
                return delayed.low;
            }
            if delayed.is_pair && delayed.word.next() == word {
                return delayed.high;
            }
        }
        self.get(word)
    }

    /// The word as `side` sees it.
    pub fn load(&self, side: Side, word: Word) -> Value {
        match side {
            Side::Local => self.local(word),
            Side::Remote => self.get(word),
        }
    }

    /// Changes the word for everybody.
    pub fn set(&mut self, word: Word, value: Value) {
        let old = &mut self.words[word.index()];
        self.hash ^= mix(word, *old) ^ mix(word, value);
        *old = value;
    }

    /// Stores a word.
    pub fn store(&mut self, side: Side, word: Word, value: Value) {
        if side == Side::Local && self.capacity > 0 {
            self.delay(word, value, None);
        } else {
            self.set(word, value);
        }
    }

    /// Stores two words by one instruction.
    pub fn store_pair(&mut self, side: Side, word: Word, low: Value, high: Value) {
        if side == Side::Local && self.capacity > 0 {
            self.delay(word, low, Some(high));
        } else {
            self.set(word, low);
            self.set(word.next(), high);
        }
    }

    /// Before a locked instruction: everything that `side` has stored is seen.
    pub fn fence(&mut self, side: Side) {
        while side == Side::Local && self.count > 0 {
            self.drain();
        }
    }

    /// Lets the oldest delayed store be seen.
    pub fn drain(&mut self) {
        let Delayed { word, is_pair, low, high } = self.delayed[0];
        self.delayed.copy_within(1.., 0);
        self.count -= 1;
        self.delayed[usize::from(self.count)] = Delayed::NONE;
        self.set(word, low);
        if is_pair {
            self.set(word.next(), high);
        }
    }

    /// Lets all of them be seen, and from now on every store at once.
    pub fn settle(&mut self) {
        self.fence(Side::Local);
        self.capacity = 0;
    }

    /// From now on the CPU holds back up to `capacity` stores.
    pub fn delay_up_to(&mut self, capacity: u8) {
        self.capacity = capacity;
    }

    /// Whether stores are delayed.
    pub fn is_delayed(&self) -> bool {
        self.count > 0
    }

    /// Whether the CPU has to wait before it can store anything more.
    pub fn is_full(&self) -> bool {
        self.capacity > 0 && self.count == self.capacity
    }

    /// A number that differs for different memories.
    pub fn hash(&self) -> u64 {
        let delayed = &self.delayed[..usize::from(self.count)];
        delayed.iter().fold(self.hash, |hash, delayed| {
            let words = u64::from(delayed.low) | u64::from(delayed.high) << 16;
            let place = delayed.word.index() as u64 | u64::from(delayed.is_pair) << 8;
            scatter(hash ^ words ^ place << 32)
        })
    }

    fn delay(&mut self, word: Word, low: Value, high: Option<Value>) {
        self.delayed[usize::from(self.count)] =
            Delayed { word, is_pair: high.is_some(), low, high: high.unwrap_or_default() };
        self.count += 1;
    }
}

/// What a word contributes to the hash: 0 adds nothing, so a new memory has the hash 0.
fn mix(word: Word, value: Value) -> u64 {
    if value == 0 { 0 } else { scatter((word.index() as u64) << 16 | u64::from(value)) }
}

/// Turns a number into one that looks random (the finalizer of splitmix64).
pub fn scatter(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
