//! Processes: how one attaches, how it makes others, how it ends.

pub(crate) mod abort;
pub(crate) mod attach;
pub(crate) mod birth;
pub(crate) mod clone;
pub(crate) mod clone_start;
pub(crate) mod exit;
pub(crate) mod fork;
pub(crate) mod late;
pub(crate) mod origin;
pub(crate) mod priority;
pub(crate) mod raw;
pub(crate) mod reap;
pub(crate) mod sandbox;
pub(crate) mod status;
pub(crate) mod syslog;
pub(crate) mod tid_place;
pub(crate) mod vfork;
