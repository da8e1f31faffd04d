//! Lines of source, and the instructions that they were compiled to.

use crate::debug_info::DebugInfo;
use crate::die::Die;
use crate::placed_unit::PlacedUnit;
use crate::sections::SectionBytes;
use crate::variable_scope::VariableScope;
use gimli::{AttributeValue, DW_AT_decl_file, DW_AT_decl_line, LineProgramHeader, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's path, as the compiler was given it.
    pub file: String,
    /// Its number, from 1 on.
    pub line: u64,
}

/// The lines of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionLines {
    /// Where it is declared.
    pub declared: SourceLine,
    /// Those that have instructions, each with the addresses where some begin.
    pub lines: BTreeMap<u64, BTreeSet<u64>>,
}

/// A row of a unit's table of lines.
#[derive(Debug, Clone, Copy)]
struct LineRow {
    address: u64,
    file: u64,
    /// 0 for what no line was compiled to.
    line: u64,
    is_statement: bool,
    is_prologue_end: bool,
    is_end: bool,
}

impl DebugInfo {
    /// The addresses of a line, in their order, for each function that it was compiled into. `file` is the
    /// end of a path, by whole names.
    pub fn line_addresses(&self, file: &str, line: u64) -> Vec<Vec<u64>> {
        let mut found: BTreeMap<Option<u64>, BTreeSet<u64>> = BTreeMap::new();
        for unit in self.units.beginnings() {
            let files = matching_files(&unit, file);
            if files.is_empty() {
                continue;
            }
            let is_it = |row: &LineRow| row.is_statement && row.line == line && files.contains(&row.file);
            for row in rows(&unit).into_iter().filter(is_it) {
                found.entry(self.innermost_function(row.address)).or_default().insert(row.address);
            }
        }
        found.into_values().map(|addresses| addresses.into_iter().collect()).collect()
    }

    /// Whether a unit was compiled from such a file, or with its lines.
    pub fn has_file(&self, file: &str) -> bool {
        self.units.beginnings().any(|unit| !matching_files(&unit, file).is_empty())
    }

    /// The line that an instruction was compiled from.
    pub fn source_line(&self, address: u64) -> Option<SourceLine> {
        let unit = self.units.beginning_at(address)?;
        let rows = rows(&unit);
        let mut pairs = rows.iter().zip(rows.iter().skip(1));
        let is_it = |(row, next): &(&LineRow, &LineRow)| {
            !row.is_end && row.address <= address && address < next.address
        };
        let (row, _) = pairs.find(is_it).filter(|(row, _)| row.line != 0)?;
        let header = unit.unit().line_program.as_ref()?.header();
        Some(SourceLine { file: file_name(&unit, header, row.file)?, line: row.line })
    }
}

impl VariableScope<'_> {
    /// Where the function's arguments are where it keeps them: the address after its first instructions.
    pub fn after_prologue(&self) -> Option<u64> {
        let function = self.function().ranges().into_iter().next()?;
        let is_later = |row: &&LineRow| row.address > function.start && row.address < function.end;
        let rows = rows(&self.function().unit_with_lines()?);
        let mut later = rows.iter().filter(is_later).filter(|row| !row.is_end && row.line != 0);
        let marked = later.clone().find(|row| row.is_prologue_end);
        marked.or_else(|| later.next()).map(|row| row.address)
    }

    /// The lines of the function's own file that have instructions in it.
    pub fn lines(&self) -> Option<FunctionLines> {
        let declared = declaration(self.function())?;
        let unit = self.function().unit_with_lines()?;
        let files = matching_files(&unit, &declared.file);
        let ranges = self.function().ranges();
        let is_it = |row: &LineRow| {
            let is_inside = ranges.iter().any(|range| range.contains(&row.address));
            let is_own = files.contains(&row.file) && row.line >= declared.line;
            is_inside && is_own && row.is_statement && !row.is_end
        };
        let mut lines: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for row in rows(&unit).into_iter().filter(is_it) {
            lines.entry(row.line).or_default().insert(row.address);
        }
        Some(FunctionLines { declared, lines })
    }
}

/// The line in which a function is declared.
fn declaration(function: &Die<'_>) -> Option<SourceLine> {
    let declared = function.origins().find(|die| die.has(DW_AT_decl_line))?;
    let line = declared.number(DW_AT_decl_line)?;
    let file = match declared.entry().attr_value(DW_AT_decl_file)? {
        AttributeValue::FileIndex(file) => file,
        value => value.udata_value()?,
    };
    // Another unit's, where it is shared.
    let unit = declared.unit_with_lines()?;
    let header = unit.unit().line_program.as_ref()?.header();
    Some(SourceLine { file: file_name(&unit, header, file)?, line })
}

/// The table of a unit's lines; empty where it has none, and in part where it is damaged.
fn rows(unit: &PlacedUnit) -> Vec<LineRow> {
    let mut found = Vec::new();
    let Some(program) = unit.unit().line_program.clone() else { return found };
    let mut rows = program.rows();
    while let Ok(Some((_, row))) = rows.next_row() {
        found.push(LineRow {
            address: row.address(),
            file: row.file_index(),
            line: row.line().map_or(0, |line| line.get()),
            is_statement: row.is_stmt(),
            is_prologue_end: row.prologue_end(),
            is_end: row.end_sequence(),
        });
    }
    found
}

/// The indices of a unit's files whose paths end with one.
fn matching_files(unit: &PlacedUnit, end: &str) -> Vec<u64> {
    let program = unit.unit().line_program.as_ref();
    let Some(header) = program.map(|program| program.header()) else { return Vec::new() };
    let is_it = |file: &u64| {
        let name = file_name(unit, header, *file).unwrap_or_default();
        name.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    (0..=header.file_names().len() as u64).filter(is_it).collect()
}

/// The path of a file of a unit's table.
fn file_name(unit: &PlacedUnit, header: &LineProgramHeader<SectionBytes>, file: u64) -> Option<String> {
    let file = header.file(file)?;
    let text = |value| {
        let text = unit.dwarf().attr_string(unit.unit(), value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    };
    let mut path = String::new();
    let own = unit.unit().comp_dir.as_ref().and_then(|own| Some(own.to_string_lossy().ok()?.into_owned()));
    let directory = file.directory(header).and_then(text);
    for part in own.into_iter().chain(directory).chain(text(file.path_name())) {
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(&part);
    }
    Some(path)
}
