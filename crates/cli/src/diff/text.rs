//! What differs, on one screen.

use super::side::TraceHead;
use crate::columns::{fit, without_end, without_middle};
use crate::duration::duration;
use crate::number::{count, grouped};
use crate::report::error_name;
use query::{CallDifference, CountDifference, RateUnit, TraceComparison};
use std::io::{self, Write};
use trace_data::text::printable;

/// How many lines each part has, at most: all parts together fit a screen.
const MOST: usize = 8;

/// How many of those that may be chance.
const FEW: usize = 4;

/// A difference of all calls by a smaller factor is not said.
const SCALE: f64 = 1.1;

/// Prints it: all, or what fits.
pub(super) fn print(
    comparison: &TraceComparison,
    (good, other): &(Vec<TraceHead>, TraceHead),
    is_all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let most = if is_all { usize::MAX } else { MOST };
    for head in good.iter().take(most.min(4)) {
        writeln!(out, "A  {}", head.line())?;
    }
    if good.len() > most.min(4) {
        writeln!(out, "   and {} more", good.len() - most.min(4))?;
    }
    writeln!(out, "B  {}", other.line())?;
    if comparison.scale > SCALE || comparison.scale < 1.0 / SCALE {
        let scale = factor(1.0, comparison.scale);
        writeln!(out, "   calls take {scale} as long in B in general; what follows is in addition to that")?;
    }
    if comparison.is_empty() {
        writeln!(out, "\nNothing differs beyond noise.")?;
    }
    let (certain, seldom): (Vec<_>, Vec<_>) = comparison.calls.iter().partition(|call| call.is_certain);
    let calls: Vec<[String; COLUMNS]> = certain.iter().take(most).map(|found| call(found)).collect();
    part("Calls, by the time that it makes", &CALLS, &calls, certain.len(), out)?;
    let errors: Vec<[String; COLUMNS]> = comparison.errors.iter().take(most).map(counted).collect();
    part("Errors", &COUNTS, &errors, comparison.errors.len(), out)?;
    let paths: Vec<[String; COLUMNS]> = comparison.paths.iter().take(most).map(counted).collect();
    part("Paths and peers", &COUNTS, &paths, comparison.paths.len(), out)?;
    let calls: Vec<[String; COLUMNS]> = seldom.iter().take(most.min(FEW)).map(|found| call(found)).collect();
    part("Seldom, so that it may be chance", &CALLS, &calls, seldom.len(), out)?;
    notes(comparison, out)
}

/// What the figures are.
fn notes(comparison: &TraceComparison, out: &mut dyn Write) -> io::Result<()> {
    let counts = comparison.errors.iter().chain(&comparison.paths).map(|count| count.unit);
    let mut units = comparison.calls.iter().map(|call| call.unit).chain(counts);
    let by_second = if units.any(|unit| unit == RateUnit::Second) {
        ", or for each second (/s) where not all of them are whole"
    } else {
        ""
    };
    match comparison.is_empty() && comparison.calls.is_empty() {
        true => Ok(()),
        false => writeln!(out, "\nRates and times are for each process of the program{by_second}."),
    }
}

const COLUMNS: usize = 6;
const CALLS: [&str; COLUMNS] = ["PROGRAM", "CALL", "RATE", "P50", "P99", "TIME"];
const COUNTS: [&str; COLUMNS] = ["", "PROGRAM", "WHAT", "RATE", "", ""];

/// A call: what differs has both of its values.
fn call(call: &CallDifference) -> [String; COLUMNS] {
    let both = |pair: [u64; 2]| match pair {
        // The same to three digits.
        [one, other] if duration(one) == duration(other) => duration(one),
        [one, other] => format!("{} -> {}", duration(one), duration(other)),
    };
    [
        printable(&call.program).into_owned(),
        printable(&call.call).into_owned(),
        format!("{}{}", rates(call.rates), unit(call.unit)),
        both(call.p50),
        both(call.p99),
        format!("{}{}", both(call.times.map(|time| time.round() as u64)), unit(call.unit)),
    ]
}

/// An error, or a path.
fn counted(difference: &CountDifference) -> [String; COLUMNS] {
    let CountDifference { program, call, error, about, unit: of, rates: [good, other] } = difference;
    let change = match (*good > 0.0, *other > 0.0) {
        (false, _) => "new".to_owned(),
        (_, false) => "gone".to_owned(),
        _ => factor(*good, *other),
    };
    let about = about.as_ref().map_or_else(String::new, |(about, others)| match others {
        0 => printable(about).into_owned(),
        others => format!("{} and {}", printable(about), count(*others as u64, "other", "others")),
    });
    let error = if *error == 0 { String::new() } else { format!(" = {}", error_name(*error)) };
    let what = format!("{call} {about}{error}");
    let rate = format!("{}{}", rates([*good, *other]), unit(*of));
    let rest = || String::new();
    [change, printable(program).into_owned(), what.trim().to_owned(), rate, rest(), rest()]
}

fn rates([good, other]: [f64; 2]) -> String {
    let (one, two) = (rate(good), rate(other));
    if one == two { one } else { format!("{one} -> {two}") }
}

fn rate(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        rate if rate < 10.0 && rate.fract() > 0.0 => format!("{rate:.2}"),
        rate => grouped(rate.round() as u64),
    }
}

/// How many times as much.
fn factor(good: f64, other: f64) -> String {
    format!("{:.2} x", other / good)
}

/// What follows a figure that isn't for each process.
fn unit(unit: RateUnit) -> &'static str {
    match unit {
        RateUnit::Process => "",
        RateUnit::Second => "/s",
    }
}

/// A title and lines in columns, those of text shortened where they don't fit.
fn part(
    title: &str,
    columns: &[&str; COLUMNS],
    lines: &[[String; COLUMNS]],
    all: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let bold = anstyle::Style::new().bold();
    writeln!(out, "\n{bold}{title}{bold:#}")?;
    let mut widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let longest = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        if longest == 0 { 0 } else { longest.max(columns[column].len()) }
    });
    fit(&mut widths, 2 * COLUMNS);
    let line = |cells: [&str; COLUMNS]| {
        let shown = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = shown.map(|(cell, width)| cell_text(cell, width)).collect();
        format!("  {}", cells.join("  ")).trim_end().to_owned()
    };
    writeln!(out, "{}", line(*columns))?;
    for cells in lines {
        writeln!(out, "{}", line(cells.each_ref().map(String::as_str)))?;
    }
    match all - lines.len() {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more: --all shows them"),
    }
}

fn cell_text(cell: &str, width: usize) -> String {
    let shown = if cell.contains('/') { without_middle(cell, width) } else { without_end(cell, width) };
    format!("{shown:<width$}")
}
