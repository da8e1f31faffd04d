//! A table of names with their figures, and a text about each, as wide as the terminal at most.

use crate::columns::{fit, without_end, without_middle};
use std::io::{self, Write};

/// A line.
pub(super) struct FigureLine {
    pub(super) name: String,
    /// Those beyond the titles are not shown.
    pub(super) figures: Vec<String>,
    pub(super) text: String,
}

/// Writes lines, with titles for name, figures and text.
pub(super) fn write_figures(
    out: &mut impl Write,
    (name, titles, text): (&str, &[&str], &str),
    lines: &[FigureLine],
) -> io::Result<()> {
    let width = |(column, title): (usize, &&str)| {
        lines.iter().map(|line| line.figures[column].len()).fold(title.len(), usize::max)
    };
    let widths: Vec<usize> = titles.iter().enumerate().map(width).collect();
    let longest = |cell: fn(&FigureLine) -> &str, title: &str| {
        lines.iter().map(|line| cell(line).chars().count()).fold(title.len(), usize::max)
    };
    let mut texts = [longest(|line| &line.name, name), longest(|line| &line.text, text)];
    fit(&mut texts, widths.iter().map(|width| width + 1).sum::<usize>() + 2);
    let row = |name: &str, figures: &mut dyn Iterator<Item = &str>, text: &str| {
        let figures = figures.zip(&widths).map(|(cell, width)| format!(" {cell:>width$}"));
        let (name, text) = (without_middle(name, texts[0]), without_end(text, texts[1]));
        let figures = figures.collect::<String>();
        format!("{name:<width$}{figures}  {text}", width = texts[0]).trim_end().to_owned()
    };
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}", row(name, &mut titles.iter().copied(), text))?;
    for line in lines {
        let mut figures = line.figures.iter().map(String::as_str);
        writeln!(out, "{}", row(&line.name, &mut figures, &line.text))?;
    }
    Ok(())
}
