//! The tree over a real mount, by the system calls that clients make.
//!
//! Mounting needs root, or `fusermount3`.

mod attributes;
mod control;
mod crowd;
mod kernel;
mod mounted;
mod pages;
mod perfetto;
mod pipes;
mod settling;
mod splice;
mod stream;
