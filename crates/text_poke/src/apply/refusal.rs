//! What can go wrong.

use crate::site_code::SiteCode;
use core::fmt::{Display, Formatter, Result};
use rustix::io::Errno;

/// Why a site is not as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteFailure {
    /// Its bytes are not what they should be: a debugger, another tracer, or the program has changed them.
    /// Nothing was stored there.
    Differs {
        /// Where the site is.
        address: u64,
        /// What it was found with, when its plan was made.
        expected: SiteCode,
        /// What is there now.
        found: SiteCode,
    },
    /// It consists of several instructions, and other threads may be between them: it had to be prepared
    /// before there were any.
    TooLate {
        /// Where the site is.
        address: u64,
    },
    /// It is in none of the segments that were named.
    NoText {
        /// Where the site is.
        address: u64,
    },
}

/// Why nothing was stored, or not all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotApplied {
    /// The system doesn't let code be written: a policy such as SELinux's execmod, PR_SET_MDWE, systemd's
    /// MemoryDenyWriteExecute=. Nothing was stored.
    Forbidden {
        /// Where the segment begins.
        text: u64,
        /// What the kernel says.
        error: Errno,
    },
    /// No addresses are free that the segment's calls reach, or no memory is there. Nothing was stored.
    NoSpace {
        /// Where the segment begins.
        text: u64,
    },
    /// Other threads can't be made to see what was stored, as membarrier(2) is missing or refused. Where it
    /// is refused from the start nothing was stored.
    Unsynchronized(Errno),
    /// All was stored, but a segment can't be given its protection again.
    LeftWritable {
        /// Where the segment begins.
        text: u64,
        /// What the kernel says.
        error: Errno,
    },
}

impl Display for SiteFailure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            SiteFailure::Differs { address, expected, found } => {
                write!(f, "somebody else has changed the code at {address:#x}: {found}, expected {expected}")
            }
            SiteFailure::TooLate { address } => {
                write!(f, "threads may be between the instructions at {address:#x}")
            }
            SiteFailure::NoText { address } => write!(f, "no code is known to be at {address:#x}"),
        }
    }
}

impl Display for NotApplied {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            NotApplied::Forbidden { text, error } => {
                write!(f, "the system doesn't let the code at {text:#x} be changed: {error}")
            }
            NotApplied::NoSpace { text } => write!(f, "no space for code near {text:#x}"),
            NotApplied::Unsynchronized(error) => write!(f, "membarrier: {error}"),
            NotApplied::LeftWritable { text, error } => {
                write!(f, "the code at {text:#x} can't be protected again: {error}")
            }
        }
    }
}
