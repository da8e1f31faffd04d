//! `saved_cmdlines_size`: of how many threads names can be remembered.

use crate::listed::Listed;
use crate::number;
use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use abi::control::{PROCESSES, TASKS};
use rustix::io::Errno;

/// Reads how many. Takes a number up to 32,768, which the kernel rounds up, and so does this tree: to what
/// the session has space for. EINVAL for others, ENOMEM for more than that.
///
/// Source: `tracing_saved_cmdlines_size_write` in `kernel/trace/trace_sched_switch.c` of Linux 6.18.
#[derive(Clone, Default)]
struct SavedCmdlinesSize;

pub(super) const LISTED: Listed =
    Listed::of::<SavedCmdlinesSize>("saved_cmdlines_size", "of how many threads names can be remembered");

/// The kernel's `PID_MAX_DEFAULT`.
const MOST: u64 = 32_768;

/// Slots for first threads of processes, and for others.
const CAPACITY: u64 = (PROCESSES + TASKS) as u64;

impl TextFile for SavedCmdlinesSize {
    fn show(&self, _array: &TraceArray) -> Result<String, Errno> {
        Ok(format!("{CAPACITY}\n"))
    }

    fn store(&self, _array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        match number::parse(bytes)? {
            0 => Err(Errno::INVAL),
            count if count > MOST => Err(Errno::INVAL),
            count if count > CAPACITY => Err(Errno::NOMEM),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn smaller_numbers_are_rounded_up() {
        let (_directory, tree) = tree();
        let size = read(&tree, "saved_cmdlines_size");
        for less in ["1", size.as_str()] {
            write(&tree, "saved_cmdlines_size", less).unwrap();
            assert_eq!(read(&tree, "saved_cmdlines_size"), size);
        }
        assert_eq!(write(&tree, "saved_cmdlines_size", "32768"), Err(Errno::NOMEM));
        for bad in ["0", "32769", "x"] {
            assert_eq!(write(&tree, "saved_cmdlines_size", bad), Err(Errno::INVAL), "{bad}");
        }
    }
}
