//! `trace_clock`: what the times are of.

use crate::control_file::Change;
use crate::errno::errno;
use crate::listed::Listed;
use crate::text_file::TextFile;
use crate::token;
use crate::trace_array::TraceArray;
use rustix::io::Errno;

/// Reads the clocks that can be chosen, with the present one in brackets: all but `counter`, which is no
/// time, where the buffers have ticks of the time stamp counter. Takes the name of one, and clears the
/// buffers.
///
/// Source: `tracing_clock_write` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone, Default)]
struct TraceClockFile;

pub(super) const LISTED: Listed =
    Listed::of::<TraceClockFile>("trace_clock", "the clock that the times are of");

/// The first length that is no name's any more.
const TOO_LONG: usize = 64;

impl TextFile for TraceClockFile {
    const IS_KEPT: bool = true;

    fn takes_away(&self, change: Change<'_>) -> bool {
        change.is_written()
    }

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let (instance, current) = (array.instance(), array.instance().trace_clock());
        let name = |clock: session::TraceClock| match clock == current {
            true => format!("[{}]", clock.name()),
            false => clock.name().to_string(),
        };
        Ok(instance.trace_clocks().map(name).collect::<Vec<_>>().join(" ") + "\n")
    }

    fn store(&self, array: &TraceArray, bytes: &[u8]) -> Result<(), Errno> {
        if bytes.len() >= TOO_LONG {
            return Err(Errno::INVAL);
        }
        let name = token::strip(bytes)?;
        let clock = session::trace_clock(name).map_err(|_| Errno::INVAL)?;
        array.instance().set_trace_clock(clock).map_err(errno)
    }
}

#[cfg(test)]
mod tests {
    use crate::top::tests::{read, tree, write};
    use rustix::io::Errno;

    #[test]
    fn another_clock_shows_other_times_and_clears() {
        let (_directory, tree) = tree();
        assert!(read(&tree, "trace_clock").contains(" [mono] "), "{}", read(&tree, "trace_clock"));
        write(&tree, "trace_marker", "old").unwrap();
        write(&tree, "trace_clock", " tai\n").unwrap();
        assert!(read(&tree, "trace_clock").contains(" mono mono_raw boot [tai] "));
        write(&tree, "trace_marker", "new").unwrap();
        let text = read(&tree, "trace");
        let line = text.lines().find(|line| line.contains(": new")).unwrap();
        let seconds: u64 =
            line.split_whitespace().nth(3).unwrap().split('.').next().unwrap().parse().unwrap();
        assert!(seconds > 1_000_000_000 && !text.contains(": old"), "{line}");
        write(&tree, "trace_clock", "x86-tsc").unwrap();
        assert!(!read(&tree, "per_cpu/cpu0/stats").lines().nth(5).unwrap().contains('.'));
        for bad in ["counter", "", "MONO", "mono boot", "[mono]"] {
            assert_eq!(write(&tree, "trace_clock", bad), Err(Errno::INVAL), "{bad:?}");
        }
    }
}
