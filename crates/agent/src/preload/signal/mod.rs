//! Signals: sending them, and handlers.

pub(crate) mod deliver;
pub(crate) mod handler;
pub(crate) mod running;
pub(crate) mod send;
