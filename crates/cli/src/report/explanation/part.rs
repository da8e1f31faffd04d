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

/// How many lines each part of a screen has, at most, its notes among them: all parts together are 30 lines.
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

/// The first of these, so that there are no more than `most` lines together with those of the notes; and a
/// note that there are more, and what shows them.
pub(in crate::report) fn first_of<'a, T>(
    all: &'a [T],
    most: usize,
    notes: usize,
    hint: &str,
) -> (&'a [T], Option<String>) {
    let space = most.saturating_sub(notes);
    if all.len() <= space {
        return (all, None);
    }
    let shown = space.saturating_sub(1);
    (&all[..shown], Some(format!("and {} more: {hint}", all.len() - shown)))
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn what_is_said_about_lines_is_one_of_them() {
        let shown = |count: u8, notes| {
            let all: Vec<u8> = (0..count).collect();
            let (shown, more) = first_of(&all, 5, notes, "look");
            (shown.len(), more)
        };
        assert_eq!(shown(5, 0), (5, None));
        assert_eq!(shown(6, 0), (4, Some("and 2 more: look".to_owned())));
        assert_eq!(shown(4, 2), (2, Some("and 2 more: look".to_owned())));
        assert_eq!(shown(1, 9), (0, Some("and 1 more: look".to_owned())));
    }
}
