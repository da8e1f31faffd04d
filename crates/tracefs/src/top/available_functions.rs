//! `available_filter_functions` and `available_filter_functions_addrs`: which functions can be traced.

use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use session::TraceableFunction;

/// Reads `NAME [OBJECT]`, a line for each function of the programs that have run, and their libraries.
/// Clients look there for what they write to `set_ftrace_filter`.
#[derive(Clone, Default)]
struct AvailableFunctions;

pub(super) const LISTED: Listed = Listed::of::<AvailableFunctions>(
    "available_filter_functions",
    "the functions that can be traced: those of programs that were built for it",
);

impl TextFile for AvailableFunctions {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(array.instance().session().traceable_functions().iter().map(line).collect())
    }
}

/// Reads `ADDRESS NAME [OBJECT]`: the address is that in the file.
#[derive(Clone, Default)]
struct AvailableAddresses;

pub(super) const ADDRESSES: Listed = Listed::of::<AvailableAddresses>(
    "available_filter_functions_addrs",
    "the same with their addresses, in their files",
);

impl TextFile for AvailableAddresses {
    const MODE: u32 = 0o440;
    const IS_KEPT: bool = true;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let functions = array.instance().session().traceable_functions();
        Ok(functions.iter().map(|function| format!("{:016x} {}", function.address, line(function))).collect())
    }
}

/// A function's line.
pub(super) fn line(function: &TraceableFunction) -> String {
    shown(function) + "\n"
}

/// A function with its object.
pub(super) fn shown(function: &TraceableFunction) -> String {
    format!("{} [{}]", function.name(), function.object)
}
