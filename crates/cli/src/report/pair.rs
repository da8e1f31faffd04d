//! Tables of how long it took from one event to another.

use super::{label, none_shown};
use crate::duration::{duration, seconds};
use crate::number::{count, grouped};
use export::{Error, Sink};
use query::{Durations, PairRule, Pairs};
use std::cmp::Reverse;
use std::io::{self, Write};
use trace_data::info::TraceInfo;
use trace_data::record::Record;
use trace_data::text::Tasks;

/// How many of the longest are shown.
const LONGEST: usize = 10;

/// Pairs events, and prints tables in the end.
pub(super) struct PairTables<'a, W> {
    out: W,
    pairs: Pairs,
    rule: &'a PairRule,
    /// The options that choose events.
    given: Vec<String>,
    /// Since when the trace is complete.
    complete: Option<String>,
}

impl<'a, W: Write> PairTables<'a, W> {
    pub(super) fn new(
        out: W,
        pairs: Pairs,
        rule: &'a PairRule,
        given: Vec<String>,
        complete: Option<String>,
    ) -> PairTables<'a, W> {
        PairTables { out, pairs, rule, given, complete }
    }
}

impl<W: Write> Sink for PairTables<'_, W> {
    fn record(&mut self, record: &Record<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.pairs.add(record, true);
        Ok(())
    }

    fn pass_over(&mut self, record: &Record<'_>, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.pairs.add(record, false);
        Ok(())
    }

    fn finish(&mut self, trace: &TraceInfo<'_>) -> Result<(), Error> {
        let (unpaired, uncertain) = (self.pairs.unpaired(), self.pairs.uncertain());
        let width = self.pairs.names().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
        let rows = self.pairs.durations();
        let out = &mut self.out;
        let is_empty = rows.is_empty();
        if !is_empty {
            print_rows(out, &rows, width)?;
            print_longest(out, &rows, trace.tasks)?;
        }
        // Of one kind alone: those of several say nothing together.
        if let [(_, durations)] = rows[..] {
            print_histogram(out, durations)?;
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

fn print_rows(out: &mut impl Write, rows: &[(&str, &Durations)], width: usize) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    write!(out, "{bold}{:<width$} {:>12}", "PAIR", "COUNT")?;
    for title in ["MIN", "AVG", "P50", "P99", "MAX", "TOTAL"] {
        write!(out, " {title:>9}")?;
    }
    writeln!(out, "{bold:#}")?;
    let mut rows = rows.to_vec();
    rows.sort_by_key(|(_, durations)| Reverse(durations.total()));
    for (name, durations) in rows {
        write!(out, "{name:<width$} {:>12}", grouped(durations.count()))?;
        for value in durations.summary() {
            write!(out, " {:>9}", duration(value))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_longest(out: &mut impl Write, rows: &[(&str, &Durations)], tasks: &dyn Tasks) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    let samples =
        rows.iter().flat_map(|(name, durations)| durations.longest().iter().map(|sample| (*sample, *name)));
    let mut longest: Vec<_> = samples.collect();
    longest.sort_by_key(|(sample, _)| Reverse(*sample));
    longest.truncate(LONGEST);
    writeln!(out, "\n{bold}{:>9}  {:>14}  {:<24} PAIR{bold:#}", "LONGEST", "START", "THREAD")?;
    for (sample, name) in longest {
        let (length, start) = (duration(sample.length), seconds(sample.start));
        writeln!(out, "{length:>9}  {start:>14}  {:<24} {name}", label(tasks, sample.pid))?;
    }
    Ok(())
}

fn print_histogram(out: &mut impl Write, durations: &Durations) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "\n{bold}{:>9}  {:>12}{bold:#}", "FROM", "COUNT")?;
    let histogram = durations.histogram();
    let most = histogram.iter().map(|(_, count)| *count).max().unwrap_or(1);
    for (from, count) in histogram {
        let bar = "#".repeat((count * 40).div_ceil(most) as usize);
        writeln!(out, "{:>9}  {:>12}  {bar}", duration(from), grouped(count))?;
    }
    Ok(())
}
