//! Files of the kernel's that belong to its tracefs without being in it, as clients need them.

mod kallsyms;
mod sysctl;

use crate::listed::Listed;

/// All of them.
pub(crate) const FILES: &[Listed] = &[kallsyms::LISTED, sysctl::FTRACE_ENABLED, sysctl::KPTR_RESTRICT];
