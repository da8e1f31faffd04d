//! Counts instead of events.

use super::label;
use super::times::Times;
use crate::duration::duration;
use crate::number::{bytes, count, grouped};
use export::{Error, Sink};
use foldhash::HashMap;
use query::{Counts, Sum};
use std::hash::Hash;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// Counts events, and prints tables in the end.
pub(super) struct CountTables<W> {
    out: W,
    counts: Counts,
    /// Since when the trace is complete.
    complete: Option<String>,
    times: Times,
}

impl<W: Write> CountTables<W> {
    pub(super) fn new(out: W, complete: Option<String>, times: Times) -> CountTables<W> {
        CountTables { out, counts: Counts::default(), complete, times }
    }

    /// A table, the most frequent first.
    fn table(&mut self, title: &str, rows: Vec<(String, Sum)>) -> io::Result<()> {
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(30);
        let (bold, all) = (anstyle::Style::new().bold(), self.counts.all.events.max(1));
        writeln!(
            self.out,
            "\n{bold}{title:<width$} {:>13} {:>7} {:>12}{bold:#}",
            "EVENTS", "SHARE", "BYTES"
        )?;
        for (name, sum) in rows {
            let share = sum.events as f64 * 100.0 / all as f64;
            let (events, size) = (grouped(sum.events), grouped(sum.bytes));
            writeln!(self.out, "{name:<width$} {events:>13} {share:>5.1} % {size:>12}")?;
        }
        Ok(())
    }
}

/// Rows in the order in which they are shown.
fn sorted<K: Copy + Eq + Hash>(sums: &HashMap<K, Sum>, name: impl Fn(K) -> String) -> Vec<(String, Sum)> {
    let mut rows: Vec<_> = sums.iter().map(|(key, sum)| (name(*key), *sum)).collect();
    rows.sort_by(|one, other| other.1.events.cmp(&one.1.events).then_with(|| one.0.cmp(&other.0)));
    rows
}

fn lost(sum: &Sum) -> String {
    let least = if sum.is_uncounted { "at least " } else { "" };
    format!("{least}{} lost", grouped(sum.lost))
}

impl<W: Write> Sink for CountTables<W> {
    fn record(&mut self, record: &Record<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.counts.add(record);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let all = self.counts.all;
        let (events, size) = (count(all.events, "event", "events"), bytes(all.bytes));
        write!(self.out, "{events}, {size}, {}", lost(&all))?;
        if let Some((first, last)) = self.counts.times.filter(|_| trace.nanoseconds) {
            let [from, to] = [first, last].map(|time| self.times.text(time, trace));
            write!(self.out, ", {} from {from} to {to}", duration(last - first))?;
        }
        writeln!(self.out)?;
        if let Some(complete) = &self.complete {
            writeln!(self.out, "the trace is {complete}")?;
        }
        let name = |id: u16| match trace.events.get(id) {
            Some(event) => format!("{}:{}", event.format().system, event.format().name),
            None => format!("event {id}"),
        };
        self.table("EVENT", sorted(&self.counts.events, name))?;
        self.table("THREAD", sorted(&self.counts.threads, |pid| label(trace.tasks, pid)))?;
        let cpu = |(cpu, sum): (&u32, &Sum)| match sum.lost {
            0 => (cpu.to_string(), *sum),
            _ => (format!("{cpu}, {}", lost(sum)), *sum),
        };
        self.table("CPU", self.counts.cpus.iter().map(cpu).collect())?;
        Ok(self.out.flush()?)
    }
}
