//! Counts instead of events.

use super::duration::{duration, seconds};
use super::{Recorded, View};
use crate::number::{bytes, count, grouped};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::io::{self, Write};
use trace_data::page::Missed;
use trace_data::record::Record;

/// Events and what they take in the recording.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    events: u64,
    bytes: u64,
    lost: u64,
}

impl Sum {
    fn add(&mut self, record: &Record<'_>) {
        self.events += 1;
        self.bytes += abi::page::event_size(record.payload.len()) as u64;
        self.lost += match record.lost {
            Missed::None => 0,
            // Nobody knows how many; one at least.
            Missed::Unknown => 1,
            Missed::Count(count) => count,
        };
    }
}

/// Counts by kind of event, by thread and by CPU.
pub(super) struct Statistics<'a, W> {
    out: W,
    recorded: &'a Recorded<'a>,
    events: HashMap<u16, Sum>,
    threads: HashMap<i32, Sum>,
    cpus: BTreeMap<u32, Sum>,
    all: Sum,
    times: Option<(u64, u64)>,
}

impl<'a, W: Write> Statistics<'a, W> {
    pub(super) fn new(out: W, recorded: &'a Recorded<'a>) -> Statistics<'a, W> {
        let (events, threads, cpus) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Statistics { out, recorded, events, threads, cpus, all: Sum::default(), times: None }
    }

    /// A table, the most frequent first.
    fn table(&mut self, title: &str, rows: Vec<(String, Sum)>) -> io::Result<()> {
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(30);
        let (bold, all) = (anstyle::Style::new().bold(), self.all.events.max(1));
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

impl<W: Write> View for Statistics<'_, W> {
    fn event(&mut self, record: &Record<'_>) -> io::Result<()> {
        let word = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        self.events.entry(abi::common::event(word)).or_default().add(record);
        self.threads.entry(abi::common::pid(word)).or_default().add(record);
        self.cpus.entry(record.cpu).or_default().add(record);
        self.all.add(record);
        let (first, last) = self.times.unwrap_or((record.time, record.time));
        self.times = Some((first.min(record.time), last.max(record.time)));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let recorded = self.recorded;
        let all = self.all;
        let (events, size) = (count(all.events, "event", "events"), bytes(all.bytes));
        write!(self.out, "{events}, {size}, {} lost", grouped(all.lost))?;
        if let Some((first, last)) = self.times.filter(|_| recorded.nanoseconds) {
            write!(self.out, ", {} from {} to {}", duration(last - first), seconds(first), seconds(last))?;
        }
        writeln!(self.out)?;
        let name = |id: u16| match recorded.events.get(id) {
            Some(event) => format!("{}:{}", event.format().system, event.format().name),
            None => format!("event {id}"),
        };
        self.table("EVENT", sorted(&self.events, name))?;
        self.table("THREAD", sorted(&self.threads, |pid| recorded.threads.label(pid)))?;
        let cpu = |(cpu, sum): (&u32, &Sum)| match sum.lost {
            0 => (cpu.to_string(), *sum),
            lost => (format!("{cpu}, {} lost", grouped(lost)), *sum),
        };
        self.table("CPU", self.cpus.iter().map(cpu).collect())?;
        self.out.flush()
    }
}
