//! Signals: sending them, and handlers.

pub(crate) mod action;
pub(crate) mod blocked;
pub(crate) mod deliver;
pub(crate) mod fatal;
pub(crate) mod handler;
pub(crate) mod mask;
pub(crate) mod running;
pub(crate) mod send;
