//! `ftrace_enabled`: whether functions of programs are traced at all.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads 0 or 1. With 0 no function of any program is traced, in no instance: all sites become nops again,
/// as processes follow. What is to be traced stays as it is set, and is traced again with 1.
///
/// The kernel has it in `/proc/sys/kernel`, where it is for clients of `lookback exec`, too.
#[derive(Clone, Default)]
struct FtraceEnabled;

pub(crate) const LISTED: Listed = Listed::of::<FtraceEnabled>(
    "ftrace_enabled",
    "0 has no function of any program traced; what is to be traced stays as it is set",
);

impl TextFile for FtraceEnabled {
    const MODE: u32 = 0o644;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{}\n", u32::from(array.instance().session().is_tracing_functions_allowed())))
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let on = number::parse(bytes)? != 0;
        array.instance().session().allow_tracing_functions(on).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn it_is_one_switch_in_two_places() {
        let (_directory, tree) = tree();
        let proc = tree.proc_files();
        assert_eq!(read(&tree, "ftrace_enabled"), "1\n");
        write(&proc, "ftrace_enabled", "0").unwrap();
        assert_eq!(
            (read(&tree, "ftrace_enabled"), read(&proc, "ftrace_enabled")),
            ("0\n".into(), "0\n".into())
        );
        write(&tree, "ftrace_enabled", "2").unwrap();
        assert_eq!(read(&proc, "ftrace_enabled"), "1\n");
        assert_eq!(write(&tree, "ftrace_enabled", "x"), Err(Errno::INVAL));
    }
}
