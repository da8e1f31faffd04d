//! Parts of the explanation: a title, and lines of three columns.

use crate::columns::{fit, without_end, without_middle};
use std::io::{self, Write};

/// A part of the explanation.
#[derive(Debug)]
pub(in crate::report) struct ExplanationPart {
    pub(in crate::report) title: String,
    pub(in crate::report) lines: Vec<PartLine>,
    /// What else is to be said: what isn't shown, and what isn't known.
    pub(in crate::report) notes: Vec<String>,
}

/// A line of it.
#[derive(Debug, Default)]
pub(in crate::report) struct PartLine {
    /// A figure, or how something has ended.
    pub(in crate::report) figure: String,
    pub(in crate::report) what: String,
    /// Who, when, and whatever else is known.
    pub(in crate::report) details: String,
    /// What else it counts: for those who have more than a line.
    pub(in crate::report) others: Vec<String>,
}

/// How many lines each part of a screen has, at most: all parts together fit a screen.
pub(in crate::report) const MOST: usize = 5;

impl ExplanationPart {
    /// Prints it, if it has something to say.
    pub(in crate::report) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let ExplanationPart { title, lines, notes } = self;
        if lines.is_empty() && notes.is_empty() {
            return Ok(());
        }
        let bold = anstyle::Style::new().bold();
        writeln!(out, "\n{bold}{title}{bold:#}")?;
        let width = |cell: fn(&PartLine) -> &str| {
            lines.iter().map(|line| cell(line).chars().count()).max().unwrap_or(0)
        };
        let figure = width(|line| &line.figure);
        let mut texts = [width(|line| &line.what), width(|line| &line.details)];
        fit(&mut texts, figure + 6);
        for line in lines {
            let (what, details) =
                (without_middle(&line.what, texts[0]), without_end(&line.details, texts[1]));
            let line = format!("  {:>figure$}  {what:<width$}  {details}", line.figure, width = texts[0]);
            writeln!(out, "{}", line.trim_end())?;
        }
        notes.iter().try_for_each(|note| writeln!(out, "  {note}"))
    }
}

/// That there are more than so many, which are shown, and what shows them.
pub(in crate::report) fn more(count: usize, shown: usize, hint: &str) -> Option<String> {
    let more = count.checked_sub(shown).filter(|more| *more > 0)?;
    Some(format!("and {more} more: {hint}"))
}
