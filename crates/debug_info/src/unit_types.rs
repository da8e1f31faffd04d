//! Types in a compilation unit's debug information.

use crate::parameter::NumberForm;
use crate::parameter_type::{Eightbyte, ParameterType};
use gimli::{
    AttributeValue, DW_AT_abstract_origin, DW_AT_byte_size, DW_AT_calling_convention,
    DW_AT_data_member_location, DW_AT_encoding, DW_AT_language, DW_AT_name, DW_AT_specification, DW_AT_type,
    DW_CC_pass_by_reference, DW_LANG_Rust, DwAt, DwTag, EndianArcSlice, LittleEndian, Reader, Unit,
    UnitOffset,
};

/// The bytes of a section.
pub(crate) type SectionBytes = EndianArcSlice<LittleEndian>;
pub(crate) type Dwarf = gimli::Dwarf<SectionBytes>;
pub(crate) type Entry = gimli::DebuggingInformationEntry<SectionBytes>;

/// The deepest that types are made of others.
const DEEPEST: usize = 16;

/// A compilation unit as it is read.
#[derive(Clone, Copy)]
pub(crate) struct UnitTypes<'a> {
    pub(crate) dwarf: &'a Dwarf,
    pub(crate) unit: &'a Unit<SectionBytes>,
}

impl UnitTypes<'_> {
    /// Whether a function returns a structure that its caller has reserved memory for.
    pub(crate) fn returns_in_memory(self, function: &Entry) -> bool {
        let of = self.offset(function, DW_AT_type).and_then(|of| self.stripped(of));
        let Some(of) = of.filter(|of| is_aggregate(of.tag())) else { return false };
        match self.type_of(of.offset(), 0) {
            ParameterType::Unknown => self.number(&of, DW_AT_byte_size).is_some_and(|bytes| bytes > 16),
            // One that is passed by its address is returned so.
            ParameterType::Number(..) | ParameterType::Elsewhere => true,
            ParameterType::Parts { .. } => self.is_copied_by_code(&of, 0),
        }
    }

    /// Whether objects of a class of C++ are copied or destroyed by functions of it, or of its parts: then
    /// they are never in registers.
    fn is_copied_by_code(self, of: &Entry, depth: usize) -> bool {
        let class = self.name(of).unwrap_or_default();
        let class = class.split('<').next().unwrap_or_default();
        let Ok(mut tree) = self.unit.entries_tree(Some(of.offset())) else { return false };
        let Ok(root) = tree.root() else { return false };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry().clone();
            let is_defaulted = entry.attr_value(gimli::DW_AT_defaulted).is_some();
            let found = match entry.tag() {
                gimli::DW_TAG_subprogram if !is_defaulted => match self.name(&entry) {
                    Some(name) => name.starts_with('~') || name == class && self.takes_reference(child, of),
                    None => false,
                },
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance if depth < DEEPEST => {
                    let part = self.offset(&entry, DW_AT_type).and_then(|part| self.stripped(part));
                    let part = part.filter(|part| is_aggregate(part.tag()));
                    part.is_some_and(|part| self.is_copied_by_code(&part, depth + 1))
                }
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }

    /// Whether a constructor copies from another object of its class, or moves it.
    fn takes_reference(
        self,
        constructor: gimli::EntriesTreeNode<'_, '_, SectionBytes>,
        class: &Entry,
    ) -> bool {
        let mut parameters = constructor.children();
        while let Ok(Some(parameter)) = parameters.next() {
            let entry = parameter.entry();
            let of = self.offset(entry, DW_AT_type).and_then(|of| self.unit.entry(of).ok());
            let is_reference =
                |tag| [gimli::DW_TAG_reference_type, gimli::DW_TAG_rvalue_reference_type].contains(&tag);
            let to = of.filter(|of| is_reference(of.tag())).and_then(|of| self.offset(&of, DW_AT_type));
            if to.and_then(|to| self.stripped(to)).is_some_and(|to| to.offset() == class.offset()) {
                return true;
            }
        }
        false
    }

    /// An attribute of an entry, or of what it is an instance of.
    fn attribute(self, entry: &Entry, name: DwAt) -> Option<AttributeValue<SectionBytes>> {
        let mut entry = entry.clone();
        for _ in 0..DEEPEST {
            if let Some(value) = entry.attr_value(name) {
                return Some(value);
            }
            let origin = entry.attr_value(DW_AT_abstract_origin);
            let AttributeValue::UnitRef(origin) = origin.or_else(|| entry.attr_value(DW_AT_specification))?
            else {
                return None;
            };
            entry = self.unit.entry(origin).ok()?;
        }
        None
    }

    pub(crate) fn name(self, entry: &Entry) -> Option<String> {
        let name = self.dwarf.attr_string(self.unit, self.attribute(entry, DW_AT_name)?).ok()?;
        Some(name.to_string_lossy().ok()?.into_owned())
    }

    pub(crate) fn offset(self, entry: &Entry, name: DwAt) -> Option<UnitOffset> {
        match self.attribute(entry, name)? {
            AttributeValue::UnitRef(offset) => Some(offset),
            _ => None,
        }
    }

    fn number(self, entry: &Entry, name: DwAt) -> Option<u64> {
        entry.attr_value(name)?.udata_value()
    }

    /// A type without what doesn't change its form.
    fn stripped(self, of: UnitOffset) -> Option<Entry> {
        let mut entry = self.unit.entry(of).ok()?;
        for _ in 0..DEEPEST {
            match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => {
                    entry = self.unit.entry(self.offset(&entry, DW_AT_type)?).ok()?;
                }
                _ => return Some(entry),
            }
        }
        None
    }

    pub(crate) fn type_of(self, of: UnitOffset, depth: usize) -> ParameterType {
        let Some(entry) = self.stripped(of).filter(|_| depth < DEEPEST) else {
            return ParameterType::Unknown;
        };
        let bytes = self.number(&entry, DW_AT_byte_size).and_then(|bytes| usize::try_from(bytes).ok());
        match entry.tag() {
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_unspecified_type => ParameterType::Number(8, NumberForm::Hex),
            gimli::DW_TAG_base_type => base_type(entry.attr_value(DW_AT_encoding), bytes),
            gimli::DW_TAG_enumeration_type => {
                let of = self.offset(&entry, DW_AT_type).map(|of| self.type_of(of, depth + 1));
                let form = match of {
                    Some(ParameterType::Number(_, NumberForm::Signed)) => NumberForm::Signed,
                    _ => NumberForm::Unsigned,
                };
                bytes.map_or(ParameterType::Unknown, |bytes| ParameterType::Number(bytes, form))
            }
            tag if is_aggregate(tag) => self.aggregate(&entry, bytes, depth),
            _ => ParameterType::Unknown,
        }
    }

    fn aggregate(self, entry: &Entry, bytes: Option<usize>, depth: usize) -> ParameterType {
        let convention = entry.attr_value(DW_AT_calling_convention);
        if convention == Some(AttributeValue::CallingConvention(DW_CC_pass_by_reference)) {
            return ParameterType::Number(8, NumberForm::Hex);
        }
        if self.is_rust() && bytes != Some(0) {
            // Its convention is its own.
            return ParameterType::Unknown;
        }
        let kind = if entry.tag() == gimli::DW_TAG_union_type { "UNION" } else { "STRUCT" };
        let mut parts = [None; 2];
        match bytes {
            None => return ParameterType::Unknown,
            Some(17..) => return ParameterType::Elsewhere,
            Some(_) => {
                if self.members(entry, 0, depth, &mut parts).is_none() {
                    return ParameterType::Unknown;
                }
            }
        }
        ParameterType::Parts { kind, parts }
    }

    /// Says of each eight bytes of a structure what they have. None where that isn't known.
    fn members(self, of: &Entry, start: u64, depth: usize, parts: &mut [Option<Eightbyte>; 2]) -> Option<()> {
        let mut tree = self.unit.entries_tree(Some(of.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            let is_member = [gimli::DW_TAG_member, gimli::DW_TAG_inheritance].contains(&entry.tag());
            // Static members have no place.
            let at = entry.attr_value(DW_AT_data_member_location).and_then(|at| at.udata_value());
            let Some(at) =
                at.or(Some(0).filter(|_| of.tag() == gimli::DW_TAG_union_type)).filter(|_| is_member)
            else {
                continue;
            };
            let member = self.stripped(self.offset(entry, DW_AT_type)?)?;
            let place = start + at;
            if is_aggregate(member.tag()) && depth < DEEPEST {
                self.members(&member, place, depth + 1, parts)?;
                continue;
            }
            let part = match self.type_of(member.offset(), depth + 1) {
                ParameterType::Number(..) => Eightbyte::General,
                ParameterType::Elsewhere => Eightbyte::Vector,
                _ => return None,
            };
            let slot = parts.get_mut(usize::try_from(place / 8).ok()?)?;
            if *slot != Some(Eightbyte::General) {
                *slot = Some(part);
            }
        }
        Some(())
    }

    fn is_rust(self) -> bool {
        let root = self.unit.entry(self.unit.header.root_offset());
        let language = root.ok().and_then(|root| root.attr_value(DW_AT_language));
        language == Some(AttributeValue::Language(DW_LANG_Rust))
    }
}

fn is_aggregate(tag: DwTag) -> bool {
    [gimli::DW_TAG_structure_type, gimli::DW_TAG_class_type, gimli::DW_TAG_union_type].contains(&tag)
}

fn base_type(encoding: Option<AttributeValue<SectionBytes>>, bytes: Option<usize>) -> ParameterType {
    let (Some(AttributeValue::Encoding(encoding)), Some(bytes)) = (encoding, bytes) else {
        return ParameterType::Unknown;
    };
    match encoding {
        gimli::DW_ATE_float | gimli::DW_ATE_complex_float => ParameterType::Elsewhere,
        _ if bytes == 16 => ParameterType::Parts { kind: "INT", parts: [Some(Eightbyte::General); 2] },
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => ParameterType::Number(bytes, NumberForm::Signed),
        _ if bytes <= 8 => ParameterType::Number(bytes, NumberForm::Hex),
        _ => ParameterType::Unknown,
    }
}
