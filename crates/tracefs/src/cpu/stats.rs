//! `per_cpu/cpuN/stats`: what has become of a CPU's events.

use crate::text_file::TextFile;
use crate::trace_array::TraceArray;
use rustix::io::Errno;
use trace_data::text::is_nanoseconds;

/// Reads eight figures. What was written to lanes is no CPU's and is not in them.
///
/// Source: `tracing_stats_read` in `kernel/trace/trace.c` of Linux 6.18.
#[derive(Clone)]
pub(crate) struct Stats {
    pub(crate) cpu: u32,
}

impl TextFile for Stats {
    const MODE: u32 = 0o440;

    fn show(&self, array: &TraceArray) -> Result<String, Errno> {
        let found = array.instance().buffer().statistics(self.cpu);
        let mut reader = array.reader();
        let oldest = if found.oldest_time == 0 { 0 } else { reader.time(found.oldest_time) };
        let is_nanoseconds = is_nanoseconds(array.instance().trace_clock().name());
        let shown = |time: u64| if is_nanoseconds { seconds(time) } else { time.to_string() };
        let text = format!(
            "entries: {}\noverrun: {}\ncommit overrun: 0\nbytes: {}\noldest event ts: {}\nnow ts: {}\n\
             dropped events: {}\nread events: {}\n",
            found.entries,
            found.overrun,
            found.bytes,
            shown(oldest),
            shown(reader.now()),
            found.dropped_events(),
            found.read,
        );
        Ok(text)
    }
}

/// Nanoseconds as the kernel prints them here: cut to microseconds, not rounded.
fn seconds(nanoseconds: u64) -> String {
    let microseconds = nanoseconds / 1000;
    format!("{:5}.{:06}", microseconds / 1_000_000, microseconds % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use crate::top::tests::{read, tree, write};

    #[test]
    fn times_have_the_kernels_columns() {
        assert_eq!(seconds(1_206_786_896_999), " 1206.786896");
        assert_eq!(seconds(0), "    0.000000");
    }

    #[test]
    fn what_is_written_is_counted_and_clearing_starts_over() {
        let (_directory, tree) = tree();
        write(&tree, "trace_marker", "one").unwrap();
        let entries = |tree: &Tree| {
            let cpus = tree.instance().buffer().geometry().cpus;
            let stats = (0..cpus).map(|cpu| read(tree, &format!("per_cpu/cpu{cpu}/stats")));
            stats.filter(|text| text.starts_with("entries: 1\noverrun: 0\n")).count()
        };
        assert_eq!(entries(&tree), 1);
        write(&tree, "trace", "").unwrap();
        assert_eq!(entries(&tree), 0);
    }
}
