//! Tables of how long it took from one event to another.

use super::times::Times;
use super::{held_by, label, none_shown};
use crate::columns::{fit, without_middle};
use crate::duration::duration;
use crate::number::{count, grouped};
use export::{Error, Sink};
use query::{DurationSample, Durations, LockWaits, PairRule, Pairs};
use std::cmp::Reverse;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;

/// How many of the longest are shown.
const LONGEST: usize = 10;

/// Pairs events, and prints tables in the end.
pub(super) struct PairTables<'a, W> {
    out: W,
    pairs: Pairs,
    locks: LockWaits,
    rule: &'a PairRule,
    /// The options that choose events.
    given: Vec<String>,
    /// Since when the trace is complete.
    complete: Option<String>,
    times: Times,
}

impl<'a, W: Write> PairTables<'a, W> {
    pub(super) fn new(
        out: W,
        pairs: Pairs,
        locks: LockWaits,
        rule: &'a PairRule,
        (given, complete): (Vec<String>, Option<String>),
        times: Times,
    ) -> PairTables<'a, W> {
        PairTables { out, pairs, locks, rule, given, complete, times }
    }
}

impl<W: Write> Sink for PairTables<'_, W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let holder = self.locks.add(record, trace);
        self.pairs.add(record, true, holder);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let holder = self.locks.add(record, trace);
        self.pairs.add(record, false, holder);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let (unpaired, uncertain) = (self.pairs.unpaired(), self.pairs.uncertain());
        let rows = self.pairs.durations();
        let out = &mut self.out;
        let is_empty = rows.is_empty();
        if !is_empty {
            print_rows(out, &rows)?;
            print_longest(out, &rows, trace, self.times)?;
        }
        // Of one kind alone: those of several say nothing together.
        if let [(_, durations)] = rows[..] {
            print_histogram(out, durations)?;
        }
        if !is_empty && self.locks.lack_releases() {
            writeln!(
                out,
                "\nthe trace has no releases of locks: who held them is not known; `-e @lock` records them"
            )?;
        }
        if unpaired > 0 {
            writeln!(out, "\n{} no partner", count(unpaired, "event has", "events have"))?;
        }
        if uncertain > 0 {
            let pairs = count(uncertain, "pair", "pairs");
            writeln!(out, "\n{pairs} not measured: events were lost between the start and the end")?;
        }
        if let Some(complete) = &self.complete {
            writeln!(out, "\nthe trace is {complete}")?;
        }
        out.flush()?;
        match is_empty {
            false => Ok(()),
            true if unpaired + uncertain > 0 => Err(Error::Nothing("no such pairs".to_owned())),
            true => {
                let why = none_shown(self.rule.events(), self.pairs.passed_over(), &self.given);
                Err(Error::Nothing(format!("no such pairs: {why}")))
            }
        }
    }
}

/// The columns of figures, after the name.
const TITLES: [&str; 7] = ["COUNT", "MIN", "AVG", "P50", "P99", "MAX", "TOTAL"];

fn print_rows(out: &mut impl Write, rows: &[(&str, &Durations)]) -> io::Result<()> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|(_, durations)| Reverse(durations.total()));
    let figures = |durations: &Durations| {
        let [min, avg, p50, p99, max, total] = durations.summary().map(duration);
        [grouped(durations.count()), min, avg, p50, p99, max, total]
    };
    let figures: Vec<_> = rows.iter().map(|(_, durations)| figures(durations)).collect();
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let cells = figures.iter().map(|cells| cells[column].len());
        widest(TITLES[column], cells)
    });
    let mut width = [widest("PAIR", rows.iter().map(|(name, _)| name.chars().count()))];
    fit(&mut width, widths.iter().map(|width| width + 1).sum());
    let line = |name: &str, cells: [&str; 7]| {
        let cells = cells.iter().zip(widths).map(|(cell, width)| format!(" {cell:>width$}"));
        format!("{:<width$}{}", without_middle(name, width[0]), cells.collect::<String>(), width = width[0])
    };
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}", line("PAIR", TITLES))?;
    for ((name, _), figures) in rows.iter().zip(&figures) {
        writeln!(out, "{}", line(name, figures.each_ref().map(String::as_str)))?;
    }
    Ok(())
}

/// The columns that a title and what is below it take.
fn widest(title: &str, cells: impl Iterator<Item = usize>) -> usize {
    cells.fold(title.len(), usize::max)
}

fn print_longest(
    out: &mut impl Write,
    rows: &[(&str, &Durations)],
    trace: &TraceInfo<'_>,
    times: Times,
) -> io::Result<()> {
    let tasks = trace.tasks;
    let samples =
        rows.iter().flat_map(|(name, durations)| durations.longest().iter().map(|sample| (*sample, *name)));
    let mut longest: Vec<(DurationSample, &str)> = samples.collect();
    longest.sort_by_key(|(sample, _)| Reverse(*sample));
    longest.truncate(LONGEST);
    let names = |(sample, name): &(DurationSample, &str)| {
        let holder = sample.holder.map_or_else(|| "-".to_owned(), |holder| held_by(holder, tasks));
        [label(tasks, sample.pid), holder, (*name).to_owned()]
    };
    let names: Vec<[String; 3]> = longest.iter().map(names).collect();
    let titles = ["THREAD", "HELD BY", "PAIR"];
    let mut widths: [usize; 3] = std::array::from_fn(|column| {
        widest(titles[column], names.iter().map(|names| names[column].chars().count()))
    });
    // Only waits for locks have somebody who held them.
    let is_held = longest.iter().any(|(sample, _)| sample.holder.is_some());
    if !is_held {
        widths[1] = 0;
    }
    let starts: Vec<String> = longest.iter().map(|(sample, _)| times.text(sample.start, trace)).collect();
    let start = widest("START", starts.iter().map(String::len));
    fit(&mut widths, 9 + start + 2 + if is_held { 4 } else { 2 });
    let line = |length: &str, time: &str, names: [&str; 3]| {
        let [thread, holder, name] =
            std::array::from_fn(|column| without_middle(names[column], widths[column]));
        let holder = if is_held { format!("  {holder:<width$}", width = widths[1]) } else { String::new() };
        format!("{length:>7}  {time:>start$}  {thread:<width$}{holder}  {name}", width = widths[0])
    };
    let bold = anstyle::Style::new().bold();
    writeln!(out, "\n{bold}{}{bold:#}", line("LONGEST", "START", titles))?;
    for (((sample, _), names), start) in longest.iter().zip(&names).zip(&starts) {
        let names = names.each_ref().map(String::as_str);
        writeln!(out, "{}", line(&duration(sample.length), start, names))?;
    }
    Ok(())
}

fn print_histogram(out: &mut impl Write, durations: &Durations) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "\n{bold}{:>7}  {:>12}{bold:#}", "FROM", "COUNT")?;
    let histogram = durations.histogram();
    let most = histogram.iter().map(|(_, count)| *count).max().unwrap_or(1);
    for (from, count) in histogram {
        let bar = "#".repeat((count * 40).div_ceil(most) as usize);
        writeln!(out, "{:>7}  {:>12}  {bar}", duration(from), grouped(count))?;
    }
    Ok(())
}
