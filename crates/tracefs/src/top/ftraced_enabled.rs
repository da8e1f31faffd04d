//! `ftraced_enabled` and `dyn_ftrace_total_info`: calls of `mcount` and `__fentry__` that become nops.

use crate::errno::errno;
use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads `enabled` or `disabled`. Takes a number, 0 for disabled, and the two words `enable` and `disable`.
/// Whatever is written, processes convert at once what they have recorded so far.
///
/// Linux 2.6.26 had it; from 2.6.28 on its calls become nops when it is built.
#[derive(Clone, Default)]
struct FtracedEnabled;

pub(super) const ENABLED: Listed = Listed::of::<FtracedEnabled>(
    "ftraced_enabled",
    "whether calls of mcount (-pg) become nops; writing converts what has been called so far",
);

impl TextFile for FtracedEnabled {
    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let is_converting = array.instance().session().is_converting();
        Ok(if is_converting { "enabled\n".to_string() } else { "disabled\n".to_string() })
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        let is_enabled = match bytes.trim_ascii() {
            b"enable" => true,
            b"disable" => false,
            other => number::parse(other)? != 0,
        };
        array.instance().session().set_converting(is_enabled).map_err(errno)
    }
}

/// Reads how many of these calls were converted, how many could not be, and how often there was no space to
/// record one, in all processes since the session was made.
#[derive(Clone, Default)]
struct TotalInfo;

pub(super) const TOTAL: Listed = Listed::of::<TotalInfo>(
    "dyn_ftrace_total_info",
    "how many calls of mcount (-pg) have become nops, could not, and were not recorded",
);

impl TextFile for TotalInfo {
    const MODE: u32 = 0o440;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let counts = array.instance().session().conversions();
        Ok(format!("{} failed: {} skipped: {}\n", counts.converted, counts.failed, counts.skipped))
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    const ENABLED: &str = "ftraced_enabled";

    #[test]
    fn it_takes_words_and_numbers() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, ENABLED), "enabled\n");
        for (written, expected) in [
            ("0", "disabled\n"),
            ("1\n", "enabled\n"),
            ("disable\n", "disabled\n"),
            ("enable", "enabled\n"),
            ("00", "disabled\n"),
            ("7", "enabled\n"),
        ] {
            write(&tree, ENABLED, written).unwrap();
            assert_eq!(read(&tree, ENABLED), expected, "{written:?}");
        }
        for wrong in ["enabled", "on", "", "-1"] {
            assert_eq!(write(&tree, ENABLED, wrong), Err(Errno::INVAL), "{wrong:?}");
        }
        assert_eq!(read(&tree, ENABLED), "enabled\n");
    }

    #[test]
    fn nothing_was_converted_at_first() {
        let (_directory, tree) = tree();
        assert_eq!(read(&tree, "dyn_ftrace_total_info"), "0 failed: 0 skipped: 0\n");
        assert_eq!(write(&tree, "dyn_ftrace_total_info", "a"), Err(Errno::INVAL));
    }
}
