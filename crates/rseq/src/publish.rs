//! What a general section compares and stores.

/// A word that must have a value for the section to go on.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Guard {
    /// The word.
    pub address: *const u64,
    /// The value it must have.
    pub expected: u64,
}

/// A word and what to store there. The address may be unaligned.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Store {
    /// The word.
    pub address: *mut u64,
    /// What to store.
    pub value: u64,
}

/// Two words, 16-byte aligned, that the section's last instruction stores together.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Commit {
    /// The first of the two words.
    pub address: *mut u64,
    /// Its value.
    pub low: u64,
    /// The second word's value.
    pub high: u64,
}

/// How a section ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The commit was stored.
    Committed,
    /// The thread lost the CPU before the commit, or was on another one. Try again.
    Aborted,
    /// A guard's word had another value. Look again.
    Refused,
}
