//! A file with debug information, and the units in it: each is what was compiled at once, or a part of it.

use crate::sections::{Dwarf, DwarfSections, DwarfUnit};
use gimli::{
    AttributeValue, DW_AT_language, DebugInfoOffset, DebugTypeSignature, DwLang, DwoId, UnitHeader,
    UnitOffset, UnitType,
};
use std::collections::HashMap;
use std::sync::Arc;

/// A file, or what a file of several has of one unit.
#[derive(Debug)]
pub(crate) struct DebugFile {
    dwarf: Dwarf,
    /// Those of types that are in a section of their own come last.
    units: Vec<Arc<FileUnit>>,
    /// The units of types by their signatures.
    types: HashMap<DebugTypeSignature, usize>,
    /// The file that has what this one shares with others.
    alternate: Option<Arc<DebugFile>>,
    /// Of a file of one unit's rest: the place of its beginning in the program's own.
    beginning: Option<usize>,
}

/// A unit in a file.
#[derive(Debug)]
pub(crate) struct FileUnit {
    pub(crate) unit: DwarfUnit,
    /// That of the source. None for a part that several units share.
    pub(crate) language: Option<DwLang>,
    /// Its place in the file.
    pub(crate) index: usize,
}

impl DebugFile {
    /// With all units of these sections.
    pub(crate) fn new(dwarf: Dwarf) -> DebugFile {
        DebugFile::with_units(dwarf, |_| {})
    }

    /// The rest of a unit that begins at this place of the program's own file. None if these are another's.
    pub(crate) fn rest(dwarf: Dwarf, beginning: &FileUnit) -> Option<DebugFile> {
        let id = beginning.unit.dwo_id;
        let file = DebugFile::with_units(dwarf, |unit| {
            if unit.dwo_id == id {
                unit.copy_relocated_attributes(&beginning.unit);
            }
            // Lines are in the file that has the code.
            unit.line_program = None;
        });
        let is_it = file.with_id(id?).is_some();
        is_it.then_some(DebugFile { beginning: Some(beginning.index), ..file })
    }

    fn with_units(dwarf: Dwarf, complete: impl Fn(&mut DwarfUnit)) -> DebugFile {
        let (mut units, mut types) = (Vec::new(), HashMap::new());
        let mut add = |header: UnitHeader<_>| {
            let Ok(mut unit) = dwarf.unit(header) else { return };
            complete(&mut unit);
            if let Some((signature, _)) = type_of(&unit) {
                types.insert(signature, units.len());
            }
            units.push(Arc::new(FileUnit { language: language(&unit), unit, index: units.len() }));
        };
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            add(header);
        }
        let mut headers = dwarf.type_units();
        while let Ok(Some(header)) = headers.next() {
            add(header);
        }
        DebugFile { dwarf, units, types, alternate: None, beginning: None }
    }

    /// With what it shares with others.
    pub(crate) fn with_alternate(mut dwarf: Dwarf, alternate: Option<DwarfSections>) -> DebugFile {
        let alternate = alternate.map(|sections| {
            dwarf.set_sup(sections.borrow(Clone::clone));
            Arc::new(DebugFile::new(sections.borrow(Clone::clone)))
        });
        DebugFile { alternate, ..DebugFile::new(dwarf) }
    }

    pub(crate) fn dwarf(&self) -> &Dwarf {
        &self.dwarf
    }

    pub(crate) fn units(&self) -> &[Arc<FileUnit>] {
        &self.units
    }

    pub(crate) fn alternate(&self) -> Option<&Arc<DebugFile>> {
        self.alternate.as_ref()
    }

    pub(crate) fn beginning(&self) -> Option<usize> {
        self.beginning
    }

    /// The rest of the unit that has this number.
    pub(crate) fn with_id(&self, id: DwoId) -> Option<&Arc<FileUnit>> {
        self.units.iter().find(|unit| unit.unit.dwo_id == Some(id))
    }

    /// The unit that has an entry, and where.
    pub(crate) fn with_entry(&self, offset: DebugInfoOffset) -> Option<(&Arc<FileUnit>, UnitOffset)> {
        // Those of types' own section come last, and have no place among these.
        let start = |unit: &Arc<FileUnit>| unit.unit.header.debug_info_offset();
        let after = self.units.partition_point(|unit| start(unit).is_some_and(|start| start <= offset));
        let unit = self.units.get(after.checked_sub(1)?)?;
        Some((unit, offset.to_unit_offset(&unit.unit.header)?))
    }

    /// The unit of a type, and where that is in it.
    pub(crate) fn with_type(&self, signature: DebugTypeSignature) -> Option<(&Arc<FileUnit>, UnitOffset)> {
        let unit = self.units.get(*self.types.get(&signature)?)?;
        Some((unit, type_of(&unit.unit)?.1))
    }
}

/// The signature of a unit's type, and where that is in it. None of a unit that isn't a type's.
fn type_of(unit: &DwarfUnit) -> Option<(DebugTypeSignature, UnitOffset)> {
    match unit.header.type_() {
        UnitType::Type { type_signature, type_offset }
        | UnitType::SplitType { type_signature, type_offset } => Some((type_signature, type_offset)),
        _ => None,
    }
}

fn language(unit: &DwarfUnit) -> Option<DwLang> {
    match unit.entry(unit.header.root_offset()).ok()?.attr_value(DW_AT_language)? {
        AttributeValue::Language(language) => Some(language),
        _ => None,
    }
}
