//! The units of a file's debug information (DWARF), and of the files that have the rest of them.

use crate::alternate_file::AlternateFile;
use crate::debug_file::DebugFile;
use crate::parameter::Parameter;
use crate::placed_unit::PlacedUnit;
use crate::sections::{Dwarf, DwarfUnit, section};
use crate::split_files::{SplitFiles, SplitUnit};
use gimli::{DebugTypeSignature, UnitOffset};
use object::Object;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The units of a program.
#[derive(Debug)]
pub(crate) struct DebugUnits {
    /// The file itself.
    file: Arc<DebugFile>,
    /// What is known of each of its units.
    known: Vec<KnownUnit>,
    split: SplitFiles,
    alternate: AlternateFile,
}

/// The functions of a unit: by their addresses.
type Functions = Arc<Vec<(Range<u64>, Vec<Parameter>)>>;

/// What is known of a unit.
#[derive(Debug)]
struct KnownUnit {
    /// The addresses of its code.
    ranges: Vec<Range<u64>>,
    /// Once one was looked for.
    functions: Mutex<Option<Functions>>,
}

impl DebugUnits {
    /// Those of a file, whose sections may be compressed, and which lies at `own`; of the program at
    /// `program`. None where there are none.
    ///
    /// Cost: copying the file's sections of debug information. Those of other files are read when they are
    /// asked for, but for the one that several programs share.
    pub(crate) fn of<'a>(file: &impl Object<'a>, own: &Path, program: &Path) -> Option<DebugUnits> {
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(section(file, id.name()))).ok()?;
        let alternate = AlternateFile::of(file, own);
        let file = Arc::new(DebugFile::with_alternate(dwarf, alternate.read()));
        let known = |unit| KnownUnit { ranges: ranges(file.dwarf(), unit), functions: Mutex::default() };
        let known: Vec<KnownUnit> = file.units().iter().map(|unit| known(&unit.unit)).collect();
        let split = SplitFiles::new(program);
        (!known.is_empty()).then_some(DebugUnits { file, known, split, alternate })
    }

    /// What the function at one of the file's own addresses is called with. None where nothing says so, or
    /// names and types are in a file that isn't there.
    ///
    /// Cost: reading the entries of its compilation unit, once.
    pub(crate) fn with_parameters<T>(&self, address: u64, read: impl FnOnce(&[Parameter]) -> T) -> Option<T> {
        if matches!(self.alternate, AlternateFile::Missing(_)) {
            return None;
        }
        let index = self.index_at(address)?;
        let functions = {
            let mut functions = self.known.get(index)?.functions.lock().ok()?;
            let find = || Arc::new(self.whole(index).map_or_else(Vec::new, |unit| unit.functions(self)));
            functions.get_or_insert_with(find).clone()
        };
        let after = functions.partition_point(|(range, _)| range.start <= address);
        let (range, parameters) = functions.get(after.checked_sub(1)?)?;
        range.contains(&address).then(|| read(parameters))
    }

    /// The place of the unit whose code has an address.
    fn index_at(&self, address: u64) -> Option<usize> {
        self.known.iter().position(|unit| unit.ranges.iter().any(|range| range.contains(&address)))
    }

    /// The unit whose code has an address.
    pub(crate) fn unit_at(&self, address: u64) -> Option<PlacedUnit> {
        self.whole(self.index_at(address)?)
    }

    /// The unit that begins at a place of the file. None where its rest isn't there.
    fn whole(&self, index: usize) -> Option<PlacedUnit> {
        let beginning = self.file.units().get(index)?;
        match self.split.rest(self.file.dwarf(), beginning) {
            SplitUnit::Whole => Some(PlacedUnit::new(&self.file, beginning)),
            SplitUnit::Found(file) => Some(PlacedUnit::new(&file, file.with_id(beginning.unit.dwo_id?)?)),
            SplitUnit::Missing(_) => None,
        }
    }

    /// The file that should have what is said of the code at an address, and isn't there.
    pub(crate) fn missing_at(&self, address: u64) -> Option<PathBuf> {
        let beginning = self.file.units().get(self.index_at(address)?)?;
        match self.split.rest(self.file.dwarf(), beginning) {
            SplitUnit::Missing(path) => Some(path),
            SplitUnit::Whole | SplitUnit::Found(_) => None,
        }
    }

    /// The file that has what it shares with others.
    pub(crate) fn alternate(&self) -> &AlternateFile {
        &self.alternate
    }

    /// Those of the file itself, which have all lines: the rest of them may be in other files.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = PlacedUnit> {
        self.file.units().iter().map(|unit| PlacedUnit::new(&self.file, unit))
    }

    /// The one of these whose code has an address.
    pub(crate) fn beginning_at(&self, address: u64) -> Option<PlacedUnit> {
        Some(PlacedUnit::new(&self.file, self.file.units().get(self.index_at(address)?)?))
    }

    /// The unit that has the lines of one.
    pub(crate) fn with_lines(&self, unit: &PlacedUnit) -> Option<PlacedUnit> {
        match unit.file.beginning() {
            Some(index) => Some(PlacedUnit::new(&self.file, self.file.units().get(index)?)),
            None => Some(unit.clone()),
        }
    }

    /// All units, those that are shared and those of types too.
    ///
    /// Cost: reading the files that have the rest of them, one after the other.
    pub(crate) fn all(&self) -> impl Iterator<Item = PlacedUnit> {
        let own = self.beginnings().flat_map(|beginning| {
            let file = self.whole(beginning.index()).map(|unit| unit.file);
            let rest = file.filter(|file| !Arc::ptr_eq(file, &self.file));
            rest.map_or_else(|| vec![beginning], |file| units_of(&file))
        });
        own.chain(self.file.alternate().into_iter().flat_map(units_of))
    }

    /// The unit of a type that one refers to, and where the type is in it.
    pub(crate) fn with_type(
        &self,
        from: &PlacedUnit,
        signature: DebugTypeSignature,
    ) -> Option<(PlacedUnit, UnitOffset)> {
        let in_file = |file: &Arc<DebugFile>| {
            let (unit, offset) = file.with_type(signature)?;
            Some((PlacedUnit::new(file, unit), offset))
        };
        in_file(&from.file)
            .or_else(|| in_file(&self.file))
            .or_else(|| in_file(&self.split.with_type(self.file.dwarf(), signature)?))
    }
}

fn units_of(file: &Arc<DebugFile>) -> Vec<PlacedUnit> {
    file.units().iter().map(|unit| PlacedUnit::new(file, unit)).collect()
}

/// The addresses of a unit's code.
fn ranges(dwarf: &Dwarf, unit: &DwarfUnit) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    if let Ok(mut found) = dwarf.unit_ranges(unit) {
        while let Ok(Some(range)) = found.next() {
            ranges.push(range.begin..range.end);
        }
    }
    ranges
}
