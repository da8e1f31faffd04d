//! The objects that the process has mapped: ours, libc's, the program's, and their symbols.

pub(crate) mod author;
pub(crate) mod binding;
pub(crate) mod borrowed;
pub(crate) mod elf;
pub(crate) mod image;
pub(crate) mod link_map;
pub(crate) mod mapped;
mod needs;
#[cfg(feature = "static_program")]
pub(crate) mod static_program;
pub(crate) mod symbols;
pub(crate) mod tables;
