//! What all actors share.

use crate::ghost::Ghost;
use crate::memory::Memory;
use crate::setting::Setting;

/// A law that does not hold.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The law's number in `docs/decisions/001-ring.md`.
    pub law: &'static str,
    /// What is wrong.
    pub what: String,
}

/// What all actors share.
#[derive(Debug)]
pub struct World<'a> {
    /// What does not change.
    pub setting: &'a Setting,
    /// The words.
    pub memory: &'a mut Memory,
    /// What is true.
    pub ghost: &'a mut Ghost,
    /// The actors that were killed, a bit for each.
    pub killed: u8,
    /// Where steps are written down; None while nobody wants to read them.
    pub notes: Option<&'a mut Vec<String>>,
    /// The first law that did not hold.
    pub violation: Option<Violation>,
}
