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

/// Lists the variables at each address that a place means, as long as there are more that can be fetched.
pub(super) fn print_variables(place: &str) -> Done {
    let (file, parsed) = read(place)?;
    let mut out = String::new();
    for addresses in file.addresses(&parsed)? {
        let mut listed: Vec<ScopedVariable> = Vec::new();
        for address in addresses {
            let variables = file.scope(address)?.variables();
            let is_new = |variable: &ScopedVariable| {
                let before = listed.iter().find(|known| known.name == variable.name);
                before.is_none_or(|before| before.fetch.is_err() && variable.fetch.is_ok())
            };
            if listed.is_empty() || variables.iter().any(is_new) {
                let place = file.describe(address, &parsed);
                write_variables(&place, &variables, &mut out);
                listed.extend(variables);
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

fn write_variables(place: &str, variables: &[ScopedVariable], out: &mut String) {
    let bold = Style::new().bold();
    let _ = writeln!(out, "{bold}{}{bold:#}", printable(place));
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
    for address in file.addresses(&parsed)?.iter().filter_map(|addresses| addresses.first()) {
        let scope = file.scope(*address)?;
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
        let has_code = lines.lines.contains_key(&line);
        let number = if has_code { number(line).to_string() } else { String::new() };
        let text = text.replace('\t', "        ");
        let _ = writeln!(out, "{}", format!("{number:>7}  {}", printable(&text)).trim_end());
        next = line.saturating_add(1);
    }
    // Those that the source isn't there for.
    lines.lines.range(next..).for_each(|(line, _)| {
        let _ = writeln!(out, "{:>7}", number(*line));
    });
}
