//! `enabled_functions`: which functions are traced now.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::top::available_functions::shown;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads `NAME [OBJECT] (USERS)`, a line for each function that is traced now in any process, with how many
/// want it: tracers and commands, of all instances. What the kernel writes after that is about its own
/// trampolines.
#[derive(Clone, Default)]
struct EnabledFunctions;

pub(super) const LISTED: Listed = Listed::of::<EnabledFunctions>(
    "enabled_functions",
    "the functions that are traced now, and how many tracers and commands want each",
);

impl TextFile for EnabledFunctions {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let enabled = array.instance().session().enabled_functions();
        let line = |(function, users): (String, usize)| format!("{function} ({users})\n");
        Ok(enabled.iter().map(|enabled| (shown(&enabled.function), enabled.users)).map(line).collect())
    }
}
