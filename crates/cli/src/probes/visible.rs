//! `lookback probe --vars` and `--line`: what of a program can be probed by names.

use super::debugged::DebuggedFile;
use super::place::PlaceText;
use super::{file, text};
use crate::failure::{Done, Failure};
use crate::stdout::print;
use anstyle::Style;
use debug_info::{FunctionLines, ScopedVariable};
use std::fmt::Write;
use trace_data::text::printable;

/// Lists the variables at a place; and where they are after a function's first instructions, if some can be
/// fetched only there.
pub(super) fn print_variables(place: &str) -> Done {
    let (file, parsed) = read(place)?;
    let mut out = String::new();
    for address in file.addresses(&parsed)? {
        let scope = file.scope(address)?;
        let variables = scope.variables();
        write_variables(&file, address, &variables, &mut out);
        let is_start = matches!(parsed, PlaceText::Function { offset: 0, .. });
        if let Some(later) = scope.after_prologue().filter(|_| is_start) {
            let after = file.scope(later)?.variables();
            let is_new = |variable: &ScopedVariable| {
                let before = variables.iter().find(|known| known.name == variable.name);
                variable.fetch.is_ok() && before.is_none_or(|before| before.fetch.is_err())
            };
            if after.iter().any(is_new) {
                write_variables(&file, later, &after, &mut out);
            }
        }
    }
    print(out.trim_end())
}

fn read(place: &str) -> Done<(DebuggedFile, PlaceText)> {
    let no_place =
        || Failure::failed(format_args!("{place:?} is no place: expected FILE:FUNC, or FILE:OFFSET"));
    let (name, inside) = text::split(place.trim()).ok_or_else(no_place)?;
    let parsed = PlaceText::parse(inside).ok_or_else(no_place)?;
    Ok((DebuggedFile::read(&file::find(name)?)?, parsed))
}

fn write_variables(file: &DebuggedFile, address: u64, variables: &[ScopedVariable], out: &mut String) {
    let bold = Style::new().bold();
    let _ = writeln!(out, "{bold}{}{bold:#}", printable(&file.describe(address)));
    let width = |text: fn(&ScopedVariable) -> &str| {
        variables.iter().map(|variable| text(variable).chars().count()).max().unwrap_or(0)
    };
    let (names, types) = (width(|variable| &variable.name), width(|variable| &variable.type_name));
    for variable in variables {
        let value = match &variable.fetch {
            Ok(found) => found.fetch.clone(),
            Err(why) => format!("({why})"),
        };
        let (name, of) = (printable(&variable.name), printable(&variable.type_name));
        let _ = writeln!(out, "  {name:<names$}  {of:<types$}  {}", printable(&value));
    }
    if variables.is_empty() {
        out.push_str("  no variables\n");
    }
}

/// Lists the source of a function: with numbers before the lines that have instructions.
pub(super) fn print_lines(place: &str) -> Done {
    let (file, parsed) = read(place)?;
    let mut out = String::new();
    for address in file.addresses(&parsed)? {
        let scope = file.scope(address)?;
        let none = || Failure::failed(format_args!("{place}: debug information says nothing of its lines"));
        let lines = scope.lines().ok_or_else(none)?;
        let bold = Style::new().bold();
        let (path, first) = (printable(&lines.declared.file), lines.declared.line);
        let name = scope.function_name().unwrap_or_default();
        let _ = writeln!(out, "{bold}{} ({path}:{first}){bold:#}", printable(&name));
        write_lines(&lines, &mut out);
    }
    print(out.trim_end())
}

fn write_lines(lines: &FunctionLines, out: &mut String) {
    let source = std::fs::read_to_string(&lines.declared.file).unwrap_or_default();
    let first = lines.declared.line;
    let last = lines.lines.last_key_value().map_or(first, |(line, _)| *line);
    let before = usize::try_from(first).unwrap_or(usize::MAX).saturating_sub(1);
    let number = |line: u64| line.saturating_sub(first);
    let mut next = first;
    for (line, text) in (first..=last).zip(source.lines().skip(before)) {
        let number = lines.lines.contains_key(&line).then(|| number(line).to_string()).unwrap_or_default();
        let text = text.replace('\t', "        ");
        let _ = writeln!(out, "{}", format!("{number:>7}  {}", printable(&text)).trim_end());
        next = line.saturating_add(1);
    }
    // Those that the source isn't there for.
    lines.lines.range(next..).for_each(|(line, _)| {
        let _ = writeln!(out, "{:>7}", number(*line));
    });
}
