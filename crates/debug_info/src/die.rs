//! Entries of debug information, wherever others refer to them.

use crate::debug_units::DebugUnits;
use crate::unit_types::{Dwarf, Entry, SectionBytes};
use gimli::{AttributeValue, DwAt, DwTag, Unit, UnitType};
use std::ops::Range;

/// The longest chain of entries that refer to the next one.
pub(crate) const LONGEST: usize = 32;

/// An entry of debug information: a function, a variable, a type, and so on.
#[derive(Debug, Clone)]
pub(crate) struct Die<'a> {
    pub(crate) units: &'a DebugUnits,
    unit: usize,
    entry: Entry,
}

impl<'a> Die<'a> {
    /// The first entry of a unit. None where there is no such unit, or it is damaged.
    pub(crate) fn root(units: &'a DebugUnits, unit: usize) -> Option<Die<'a>> {
        let header = &units.unit(unit)?.header;
        Die::at(units, unit, header.root_offset())
    }

    pub(crate) fn at(units: &'a DebugUnits, unit: usize, offset: gimli::UnitOffset) -> Option<Die<'a>> {
        let entry = units.unit(unit)?.entry(offset).ok()?;
        Some(Die { units, unit, entry })
    }

    pub(crate) fn tag(&self) -> DwTag {
        self.entry.tag()
    }

    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Its place among the units.
    pub(crate) fn unit_index(&self) -> usize {
        self.unit
    }

    pub(crate) fn unit(&self) -> Option<&'a Unit<SectionBytes>> {
        self.units.unit(self.unit)
    }

    /// The unit that has its unit's lines.
    pub(crate) fn unit_with_lines(&self) -> Option<&'a Unit<SectionBytes>> {
        self.units.with_lines(self.unit)
    }

    /// The debug information of its file.
    pub(crate) fn dwarf(&self) -> Option<&'a Dwarf> {
        self.units.dwarf_of(self.unit)
    }

    /// Whether both are the same entry.
    pub(crate) fn is(&self, other: &Die<'_>) -> bool {
        (self.unit, self.entry.offset()) == (other.unit, other.entry.offset())
    }

    pub(crate) fn has(&self, name: DwAt) -> bool {
        self.entry.attr_value(name).is_some()
    }

    /// An attribute of its own, as a number.
    pub(crate) fn number(&self, name: DwAt) -> Option<u64> {
        self.entry.attr_value(name)?.udata_value()
    }

    /// The entry that an attribute of its own refers to.
    fn referred(&self, name: DwAt) -> Option<Die<'a>> {
        match self.entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => Die::at(self.units, self.unit, offset),
            AttributeValue::DebugInfoRef(offset) => {
                let of_unit = |(unit, header): (usize, &Unit<SectionBytes>)| {
                    let is_there = self.units.share_file(unit, self.unit);
                    Some((unit, offset.to_unit_offset(&header.header).filter(|_| is_there)?))
                };
                let (unit, offset) = self.units.units().enumerate().find_map(of_unit)?;
                Die::at(self.units, unit, offset)
            }
            AttributeValue::DebugTypesRef(wanted) => {
                let of_unit = |(unit, header): (usize, &Unit<SectionBytes>)| match header.header.type_() {
                    UnitType::Type { type_signature, type_offset } if type_signature == wanted => {
                        Some((unit, type_offset))
                    }
                    _ => None,
                };
                let (unit, offset) = self.units.units().enumerate().find_map(of_unit)?;
                Die::at(self.units, unit, offset)
            }
            _ => None,
        }
    }

    /// What it is an instance of, or the declaration that it completes.
    fn origin(&self) -> Option<Die<'a>> {
        self.referred(gimli::DW_AT_abstract_origin).or_else(|| self.referred(gimli::DW_AT_specification))
    }

    /// Itself, and what it is an instance of, and so on.
    pub(crate) fn origins(&self) -> impl Iterator<Item = Die<'a>> + use<'a> {
        std::iter::successors(Some(self.clone()), Die::origin).take(LONGEST)
    }

    /// Its name, without those that it is in.
    pub(crate) fn name(&self) -> Option<String> {
        self.text(gimli::DW_AT_name)
    }

    /// Its name in tables of symbols; that in the source for languages where both are one.
    pub(crate) fn symbol(&self) -> Option<String> {
        self.text(gimli::DW_AT_linkage_name).or_else(|| self.name())
    }

    fn text(&self, attribute: DwAt) -> Option<String> {
        let named = self.origins().find(|die| die.has(attribute))?;
        let value = named.entry.attr_value(attribute)?;
        let text = named.dwarf()?.attr_string(named.unit()?, value).ok()?;
        Some(gimli::Reader::to_string_lossy(&text).ok()?.into_owned())
    }

    /// The entry of its type. None for one without, as `void`.
    pub(crate) fn type_of(&self) -> Option<Die<'a>> {
        self.origins().find(|die| die.has(gimli::DW_AT_type))?.referred(gimli::DW_AT_type)
    }

    pub(crate) fn children(&self) -> Vec<Die<'a>> {
        let mut found = Vec::new();
        let Some(unit) = self.unit() else { return found };
        let Ok(mut tree) = unit.entries_tree(Some(self.entry.offset())) else { return found };
        let Ok(root) = tree.root() else { return found };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            found.push(Die { units: self.units, unit: self.unit, entry: child.entry().clone() });
        }
        found
    }

    /// Those of a unit or a namespace that no function has.
    pub(crate) fn globals(&self, tag: DwTag) -> Vec<Die<'a>> {
        let mut found = Vec::new();
        let mut parents = vec![(self.clone(), 0)];
        while let Some((parent, depth)) = parents.pop() {
            for die in parent.children() {
                match die.tag() {
                    gimli::DW_TAG_namespace | gimli::DW_TAG_module if depth < LONGEST => {
                        parents.push((die, depth + 1));
                    }
                    own if own == tag => found.push(die),
                    _ => {}
                }
            }
        }
        found
    }

    /// The definition of a type that is only declared where it is: in another unit. None where several
    /// differ that may be meant.
    pub(crate) fn definition(&self) -> Option<Die<'a>> {
        if let Some(found) = self.referred(gimli::DW_AT_signature) {
            return Some(found);
        }
        let name = self.name()?;
        let roots = (0..self.units.units().count()).filter_map(|unit| Die::root(self.units, unit));
        let types = roots.flat_map(|root| root.globals(self.tag()));
        let mut found =
            types.filter(|die| !die.has(gimli::DW_AT_declaration) && die.name() == Some(name.clone()));
        // Copies of one say that they are declared in the same line.
        let origin = |die: &Die<'_>| {
            [gimli::DW_AT_byte_size, gimli::DW_AT_decl_line].map(|attribute| die.number(attribute))
        };
        let first = found.next()?;
        found.all(|other| origin(&other) == origin(&first)).then_some(first)
    }

    /// The addresses of its code: the first range is where it begins.
    pub(crate) fn ranges(&self) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        let (Some(dwarf), Some(unit)) = (self.dwarf(), self.unit()) else { return found };
        let Ok(mut ranges) = dwarf.die_ranges(unit, &self.entry) else { return found };
        while let Ok(Some(range)) = ranges.next() {
            // What a linker has left out begins at 0.
            if range.begin != 0 && range.begin < range.end {
                found.push(range.begin..range.end);
            }
        }
        found
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.ranges().iter().any(|range| range.contains(&address))
    }
}
