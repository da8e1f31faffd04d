//! Memory of the process: what can be read, what changes it, what limits it.

pub(crate) mod address_limit;
pub(crate) mod limits;
pub(crate) mod locking;
pub(crate) mod mapping;
pub(crate) mod readable;
pub(crate) mod stack;
pub(crate) mod unlocked;
pub(crate) mod words;
