//! Entries of debug information, wherever others refer to them.

use crate::debug_file::DebugFile;
use crate::debug_units::DebugUnits;
use crate::placed_unit::PlacedUnit;
use crate::sections::{Dwarf, DwarfUnit, Entry};
use gimli::{AttributeValue, DwAt, DwLang, DwTag};
use std::ops::Range;
use std::sync::Arc;

/// The longest chain of entries that refer to the next one.
pub(crate) const LONGEST: usize = 32;

/// An entry of debug information: a function, a variable, a type, and so on.
#[derive(Debug, Clone)]
pub(crate) struct Die<'a> {
    pub(crate) units: &'a DebugUnits,
    place: PlacedUnit,
    /// That of its unit, or of the one that has referred to it where several share it.
    language: Option<DwLang>,
    entry: Entry,
}

impl<'a> Die<'a> {
    /// The first entry of a unit. None where it is damaged.
    pub(crate) fn root(units: &'a DebugUnits, place: &PlacedUnit) -> Option<Die<'a>> {
        Die::at(units, place, place.unit().header.root_offset())
    }

    pub(crate) fn at(
        units: &'a DebugUnits,
        place: &PlacedUnit,
        offset: gimli::UnitOffset,
    ) -> Option<Die<'a>> {
        let entry = place.unit().entry(offset).ok()?;
        Some(Die { units, place: place.clone(), language: place.language(), entry })
    }

    pub(crate) fn tag(&self) -> DwTag {
        self.entry.tag()
    }

    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The unit that has it.
    pub(crate) fn place(&self) -> &PlacedUnit {
        &self.place
    }

    pub(crate) fn unit(&self) -> &DwarfUnit {
        self.place.unit()
    }

    /// The unit that has its unit's lines.
    pub(crate) fn unit_with_lines(&self) -> Option<PlacedUnit> {
        self.units.with_lines(&self.place)
    }

    /// The debug information of its file.
    pub(crate) fn dwarf(&self) -> &Dwarf {
        self.place.dwarf()
    }

    /// The language of its source.
    pub(crate) fn language(&self) -> Option<DwLang> {
        self.language
    }

    /// Whether both are the same entry.
    pub(crate) fn is(&self, other: &Die<'_>) -> bool {
        self.entry.offset() == other.entry.offset() && self.place.is(&other.place)
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
        let in_file = |file: &Arc<DebugFile>, offset| {
            let (unit, offset) = file.with_entry(offset)?;
            Some((PlacedUnit::new(file, unit), offset))
        };
        let (place, offset) = match self.entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => (self.place.clone(), offset),
            AttributeValue::DebugInfoRef(offset) => in_file(&self.place.file, offset)?,
            AttributeValue::DebugInfoRefSup(offset) => in_file(self.place.file.alternate()?, offset)?,
            AttributeValue::DebugTypesRef(signature) => self.units.with_type(&self.place, signature)?,
            _ => return None,
        };
        let found = Die::at(self.units, &place, offset)?;
        Some(Die { language: found.language.or(self.language), ..found })
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
        let text = named.dwarf().attr_string(named.unit(), value).ok()?;
        Some(gimli::Reader::to_string_lossy(&text).ok()?.into_owned())
    }

    /// The entry of its type. None for one without, as `void`.
    pub(crate) fn type_of(&self) -> Option<Die<'a>> {
        self.origins().find(|die| die.has(gimli::DW_AT_type))?.referred(gimli::DW_AT_type)
    }

    /// The type that it names or qualifies, or itself: what says which form values have. Where it is only
    /// declared and says which unit has its definition, that.
    pub(crate) fn unqualified(&self) -> Option<Die<'a>> {
        let mut die = self.clone();
        for _ in 0..LONGEST {
            match die.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type
                | gimli::DW_TAG_immutable_type => die = die.type_of()?,
                _ => return die.referred(gimli::DW_AT_signature).or(Some(die)),
            }
        }
        None
    }

    /// The name of a type, which its own unit may have.
    pub(crate) fn type_name(&self) -> Option<String> {
        self.name().or_else(|| self.referred(gimli::DW_AT_signature)?.name())
    }

    pub(crate) fn children(&self) -> Vec<Die<'a>> {
        let mut found = Vec::new();
        let Ok(mut tree) = self.unit().entries_tree(Some(self.entry.offset())) else { return found };
        let Ok(root) = tree.root() else { return found };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            found.push(Die { entry: child.entry().clone(), ..self.clone() });
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
        let name = self.name()?;
        let roots = self.units.all().filter_map(|unit| Die::root(self.units, &unit));
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
        let Ok(mut ranges) = self.dwarf().die_ranges(self.unit(), &self.entry) else { return found };
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
