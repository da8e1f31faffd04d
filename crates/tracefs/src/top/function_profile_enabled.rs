//! `function_profile_enabled`: whether calls of functions are counted.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. With any number but 0 the calls of functions are counted from now on, from 0, with how long
/// they take: those that `set_ftrace_filter` and `set_ftrace_notrace` leave, of all processes. With 0 what
/// was counted stays to be read in `trace_stat`. ENOSPC where there is no memory for the tables.
#[derive(Clone, Default)]
struct FunctionProfileEnabled;

pub(super) const LISTED: Listed = Listed::of::<FunctionProfileEnabled>(
    "function_profile_enabled",
    "1 counts the calls of functions, and how long they take, in trace_stat",
);

impl TextFile for FunctionProfileEnabled {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", u32::from(array.instance().session().is_profiling())))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        array.instance().set_profiling(number::parse(bytes)? != 0).map_err(errno)
    }
}
