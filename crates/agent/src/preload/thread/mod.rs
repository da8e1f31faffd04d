//! Threads: how they begin and end.

pub(crate) mod begin;
pub(crate) mod create;
pub(crate) mod end;
pub(crate) mod starts;
