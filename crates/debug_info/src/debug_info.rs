//! The debug information of a file (DWARF).

use crate::canonical_frames::CanonicalFrames;
use crate::die::Die;
use crate::parameter::Parameter;
use crate::unit_types::{Dwarf, SectionBytes, UnitTypes};
use crate::variable_scope::VariableScope;
use gimli::{LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// What a file says of its functions, their variables and their source.
#[derive(Debug)]
pub struct DebugInfo {
    dwarf: Dwarf,
    units: Vec<DebugUnit>,
}

/// The functions of a compilation unit: by their addresses.
type Functions = Arc<Vec<(Range<u64>, Vec<Parameter>)>>;

/// A compilation unit.
#[derive(Debug)]
struct DebugUnit {
    unit: Unit<SectionBytes>,
    ranges: Vec<Range<u64>>,
    /// Once one was looked for.
    functions: Mutex<Option<Functions>>,
}

impl DebugInfo {
    /// That of a file, whose sections may be compressed. None where there is none.
    ///
    /// Cost: copying the file's sections of debug information.
    pub fn of<'a>(file: &impl Object<'a>) -> Option<DebugInfo> {
        let section = |name: &str| -> SectionBytes {
            let section = file.section_by_name(name);
            let data = section.and_then(|section| section.uncompressed_data().ok().map(Arc::from));
            SectionBytes::new(data.unwrap_or_default(), LittleEndian)
        };
        let dwarf = Dwarf::load(|id| Ok::<_, gimli::Error>(section(id.name()))).ok()?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            let mut ranges = Vec::new();
            if let Ok(mut found) = dwarf.unit_ranges(&unit) {
                while let Ok(Some(range)) = found.next() {
                    ranges.push(range.begin..range.end);
                }
            }
            units.push(DebugUnit { unit, ranges, functions: Mutex::default() });
        }
        (!units.is_empty()).then_some(DebugInfo { dwarf, units })
    }

    /// What the function at one of the file's own addresses is called with. None where nothing says so.
    ///
    /// Cost: reading the entries of its compilation unit, once.
    pub fn with_parameters<T>(&self, address: u64, read: impl FnOnce(&[Parameter]) -> T) -> Option<T> {
        let found =
            self.units.iter().find(|unit| unit.ranges.iter().any(|range| range.contains(&address)))?;
        let functions = {
            let mut functions = found.functions.lock().ok()?;
            functions
                .get_or_insert_with(|| {
                    Arc::new(UnitTypes { dwarf: &self.dwarf, unit: &found.unit }.functions())
                })
                .clone()
        };
        let after = functions.partition_point(|(range, _)| range.start <= address);
        let (range, parameters) = functions.get(after.checked_sub(1)?)?;
        range.contains(&address).then(|| read(parameters))
    }

    /// What the instruction at one of the file's own addresses can see. None where it is in no function that
    /// something is said of. `frames` are those of the file that has the code.
    ///
    /// Cost: reading the entries of its compilation unit.
    pub fn scope<'a>(&'a self, frames: &'a CanonicalFrames, address: u64) -> Option<VariableScope<'a>> {
        let function = self.function_at(address)?;
        Some(VariableScope::new(self, frames, address, function))
    }

    fn function_at(&self, address: u64) -> Option<Die<'_>> {
        let index = self.unit_at(address)?;
        let mut entries = self.unit(index)?.entries();
        while let Some(entry) = entries.next_dfs().ok()? {
            if entry.tag() == gimli::DW_TAG_subprogram {
                let function = Die::at(self, index, entry.offset()).filter(|die| die.contains(address));
                if function.is_some() {
                    return function;
                }
            }
        }
        None
    }

    /// Where the function begins that an instruction is of, or that was inlined there; and whatever that is.
    pub(crate) fn innermost_function(&self, address: u64) -> Option<u64> {
        let frames = CanonicalFrames::default();
        self.scope(&frames, address)?.innermost_function()
    }

    /// The unit whose code has an address.
    pub(crate) fn unit_at(&self, address: u64) -> Option<usize> {
        self.units.iter().position(|unit| unit.ranges.iter().any(|range| range.contains(&address)))
    }

    pub(crate) fn dwarf(&self) -> &Dwarf {
        &self.dwarf
    }

    pub(crate) fn unit(&self, index: usize) -> Option<&Unit<SectionBytes>> {
        self.units.get(index).map(|unit| &unit.unit)
    }

    pub(crate) fn units(&self) -> impl Iterator<Item = &Unit<SectionBytes>> {
        self.units.iter().map(|unit| &unit.unit)
    }
}
