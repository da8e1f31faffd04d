//! The units of a file's debug information (DWARF): each is what was compiled at once.

use crate::parameter::Parameter;
use crate::unit_types::{Dwarf, SectionBytes, UnitTypes};
use gimli::{LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// The units of a file.
#[derive(Debug)]
pub(crate) struct DebugUnits {
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

impl DebugUnits {
    /// That of a file, whose sections may be compressed. None where there is none.
    ///
    /// Cost: copying the file's sections of debug information.
    pub(crate) fn of<'a>(file: &impl Object<'a>) -> Option<DebugUnits> {
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
        (!units.is_empty()).then_some(DebugUnits { dwarf, units })
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
                    Arc::new(UnitTypes { dwarf: &self.dwarf, unit: &found.unit }.functions())
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
