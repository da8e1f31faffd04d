//! The units of a file's debug information (DWARF): each is what was compiled at once.

use crate::parameter::Parameter;
use crate::split_files::{SplitFiles, SplitUnit, section};
use crate::unit_types::{Dwarf, SectionBytes, UnitTypes};
use gimli::Unit;
use object::Object;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The units of a file.
#[derive(Debug)]
pub(crate) struct DebugUnits {
    dwarf: Arc<Dwarf>,
    units: Vec<DebugUnit>,
}

/// The functions of a compilation unit: by their addresses.
type Functions = Arc<Vec<(Range<u64>, Vec<Parameter>)>>;

/// A compilation unit.
#[derive(Debug)]
struct DebugUnit {
    /// That of the file that has it.
    dwarf: Arc<Dwarf>,
    unit: Unit<SectionBytes>,
    ranges: Vec<Range<u64>>,
    /// The unit that has its lines.
    lines: usize,
    /// The file that has all that is said of it, which isn't there.
    missing: Option<PathBuf>,
    /// Once one was looked for.
    functions: Mutex<Option<Functions>>,
}

impl DebugUnits {
    /// That of a file, whose sections may be compressed, and of those that have the rest of its units. None
    /// where there is none.
    ///
    /// Cost: copying the files' sections of debug information.
    pub(crate) fn of<'a>(file: &impl Object<'a>, path: &Path) -> Option<DebugUnits> {
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(section(file, id.name()))).ok()?;
        let mut found = DebugUnits { dwarf: Arc::new(dwarf), units: Vec::new() };
        let split = SplitFiles::new(path);
        let dwarf = found.dwarf.clone();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = dwarf.unit(header) {
                found.add(unit, &split);
            }
        }
        (!found.units.is_empty()).then_some(found)
    }

    /// Adds a unit of the file itself, and the rest of it.
    fn add(&mut self, unit: Unit<SectionBytes>, split: &SplitFiles<'_>) {
        let (dwarf, lines) = (self.dwarf.clone(), self.units.len());
        let ranges = ranges(&dwarf, &unit);
        let rest = split.rest(&dwarf, &unit);
        let id = unit.dwo_id;
        let of = |dwarf, unit, ranges, missing| {
            let functions = Mutex::default();
            DebugUnit { dwarf, unit, ranges, lines, missing, functions }
        };
        match rest {
            SplitUnit::Whole => self.units.push(of(dwarf, unit, ranges, None)),
            SplitUnit::Missing(path) => self.units.push(of(dwarf, unit, ranges, Some(path))),
            SplitUnit::Found(rest, units) => {
                self.units.push(of(dwarf, unit, Vec::new(), None));
                for unit in units {
                    // The code is that of the unit itself, not of types with it.
                    let ranges = if unit.dwo_id == id { ranges.clone() } else { Vec::new() };
                    self.units.push(of(rest.clone(), unit, ranges, None));
                }
            }
        }
    }

    /// What the function at one of the file's own addresses is called with. None where nothing says so.
    ///
    /// Cost: reading the entries of its compilation unit, once.
    pub(crate) fn with_parameters<T>(&self, address: u64, read: impl FnOnce(&[Parameter]) -> T) -> Option<T> {
        let found =
            self.units.iter().find(|unit| unit.ranges.iter().any(|range| range.contains(&address)))?;
        let functions = {
            let mut functions = found.functions.lock().ok()?;
            functions
                .get_or_insert_with(|| {
                    Arc::new(UnitTypes { dwarf: &found.dwarf, unit: &found.unit }.functions())
                })
                .clone()
        };
        let after = functions.partition_point(|(range, _)| range.start <= address);
        let (range, parameters) = functions.get(after.checked_sub(1)?)?;
        range.contains(&address).then(|| read(parameters))
    }

    /// The unit whose code has an address.
    pub(crate) fn unit_at(&self, address: u64) -> Option<usize> {
        self.units.iter().position(|unit| unit.ranges.iter().any(|range| range.contains(&address)))
    }

    /// The debug information of the file itself, which all lines are in.
    pub(crate) fn dwarf(&self) -> &Dwarf {
        &self.dwarf
    }

    /// That of the file that has a unit.
    pub(crate) fn dwarf_of(&self, index: usize) -> Option<&Dwarf> {
        self.units.get(index).map(|unit| &*unit.dwarf)
    }

    /// Whether two units are in the same file.
    pub(crate) fn share_file(&self, index: usize, other: usize) -> bool {
        let file = |index: usize| self.units.get(index).map(|unit| Arc::as_ptr(&unit.dwarf));
        file(index) == file(other)
    }

    /// The unit that has the lines of one.
    pub(crate) fn with_lines(&self, index: usize) -> Option<&Unit<SectionBytes>> {
        self.unit(self.units.get(index)?.lines)
    }

    /// The file that has all that is said of the code at an address, and isn't there.
    pub(crate) fn missing_at(&self, address: u64) -> Option<&Path> {
        self.units.get(self.unit_at(address)?)?.missing.as_deref()
    }

    pub(crate) fn unit(&self, index: usize) -> Option<&Unit<SectionBytes>> {
        self.units.get(index).map(|unit| &unit.unit)
    }

    pub(crate) fn units(&self) -> impl Iterator<Item = &Unit<SectionBytes>> {
        self.units.iter().map(|unit| &unit.unit)
    }
}

/// The addresses of a unit's code.
fn ranges(dwarf: &Dwarf, unit: &Unit<SectionBytes>) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    if let Ok(mut found) = dwarf.unit_ranges(unit) {
        while let Ok(Some(range)) = found.next() {
            ranges.push(range.begin..range.end);
        }
    }
    ranges
}
