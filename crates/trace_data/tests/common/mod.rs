//! What the tests share.
#![allow(dead_code, unused_imports, missing_docs)]

mod files;
mod libc;
mod records;
mod tracefs;

pub use files::*;
pub use libc::*;
pub use records::*;
pub use tracefs::*;
