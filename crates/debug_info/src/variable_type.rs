//! Types of variables, as far as probes need to know them.

use crate::die::{Die, LONGEST};
use gimli::{
    AttributeValue, DW_AT_bit_offset, DW_AT_bit_size, DW_AT_byte_size, DW_AT_data_bit_offset,
    DW_AT_data_member_location, DW_AT_declaration, DW_AT_encoding, DW_AT_external, DwTag,
};

/// A type. None of `die` is `void`.
#[derive(Debug, Clone)]
pub(crate) struct VariableType<'a> {
    pub(crate) die: Option<Die<'a>>,
    /// How many dimensions of an array were gone into.
    dimension: usize,
}

/// What a type is, without its names.
#[derive(Debug)]
pub(crate) enum TypeKind<'a> {
    Integer {
        is_signed: bool,
    },
    Pointer(VariableType<'a>),
    /// What is written as the value that it refers to.
    Reference(VariableType<'a>),
    FloatingPoint,
    Structure(Die<'a>),
    Array {
        element: VariableType<'a>,
        count: Option<u64>,
    },
    Other,
}

/// A member of a structure.
#[derive(Debug)]
pub(crate) struct StructureMember<'a> {
    pub(crate) of: VariableType<'a>,
    /// Bits from the structure's start.
    pub(crate) at: u64,
    /// Of a bit field, how many it has.
    pub(crate) width: Option<u64>,
}

impl<'a> VariableType<'a> {
    pub(crate) fn new(die: Option<Die<'a>>) -> VariableType<'a> {
        VariableType { die, dimension: 0 }
    }

    /// The entry that says what it is, without those that only name or qualify it.
    fn stripped(&self) -> Option<Die<'a>> {
        let die = self.die.as_ref()?.unqualified()?;
        let is_declared = is_structure(die.tag()) && die.has(DW_AT_declaration);
        if is_declared { die.definition().or(Some(die)) } else { Some(die) }
    }

    pub(crate) fn kind(&self) -> TypeKind<'a> {
        let Some(die) = self.stripped() else { return TypeKind::Other };
        let target = || VariableType::new(die.type_of());
        match die.tag() {
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_ptr_to_member_type => TypeKind::Pointer(target()),
            gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                TypeKind::Reference(target())
            }
            gimli::DW_TAG_base_type => match die.entry().attr_value(DW_AT_encoding) {
                Some(AttributeValue::Encoding(encoding)) => of_encoding(encoding),
                _ => TypeKind::Other,
            },
            gimli::DW_TAG_enumeration_type => {
                let of = VariableType::new(die.type_of()).stripped();
                let encoding = of.and_then(|of| of.entry().attr_value(DW_AT_encoding));
                let signed = [gimli::DW_ATE_signed, gimli::DW_ATE_signed_char].map(AttributeValue::Encoding);
                TypeKind::Integer { is_signed: encoding.is_some_and(|found| signed.contains(&found)) }
            }
            gimli::DW_TAG_array_type => self.array(&die),
            tag if is_structure(tag) => TypeKind::Structure(die),
            _ => TypeKind::Other,
        }
    }

    fn array(&self, die: &Die<'a>) -> TypeKind<'a> {
        let counts = counts(die);
        let count = counts.get(self.dimension).copied().flatten();
        let is_last = self.dimension + 1 >= counts.len();
        let element = match is_last {
            true => VariableType::new(die.type_of()),
            false => VariableType { die: Some(die.clone()), dimension: self.dimension + 1 },
        };
        TypeKind::Array { element, count }
    }

    /// How many bytes a value has. None where that isn't said.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let mut own = self.clone();
        let mut factor = 1_u64;
        for _ in 0..LONGEST {
            let die = own.stripped()?;
            match own.kind() {
                TypeKind::Array { element, count } => {
                    factor = factor.checked_mul(count?)?;
                    own = element;
                }
                TypeKind::Pointer(_) | TypeKind::Reference(_) => {
                    return die.number(DW_AT_byte_size).unwrap_or(8).checked_mul(factor);
                }
                _ => return die.number(DW_AT_byte_size)?.checked_mul(factor),
            }
        }
        None
    }

    /// Whether it is nothing in particular, which a pointer of any kind may point to.
    pub(crate) fn is_void(&self) -> bool {
        self.stripped().is_none()
    }

    /// Whether it is a character: an integer of one byte.
    pub(crate) fn is_character(&self) -> bool {
        matches!(self.kind(), TypeKind::Integer { .. }) && self.bytes() == Some(1)
    }
}

fn of_encoding<'a>(encoding: gimli::DwAte) -> TypeKind<'a> {
    match encoding {
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => TypeKind::Integer { is_signed: true },
        gimli::DW_ATE_unsigned
        | gimli::DW_ATE_unsigned_char
        | gimli::DW_ATE_boolean
        | gimli::DW_ATE_UTF
        | gimli::DW_ATE_address => TypeKind::Integer { is_signed: false },
        gimli::DW_ATE_float | gimli::DW_ATE_complex_float | gimli::DW_ATE_imaginary_float => {
            TypeKind::FloatingPoint
        }
        _ => TypeKind::Other,
    }
}

pub(crate) fn is_structure(tag: DwTag) -> bool {
    [gimli::DW_TAG_structure_type, gimli::DW_TAG_class_type, gimli::DW_TAG_union_type].contains(&tag)
}

/// The elements of each dimension of an array, as far as they are said.
fn counts(array: &Die<'_>) -> Vec<Option<u64>> {
    let dimensions = array.children().into_iter().filter(|die| die.tag() == gimli::DW_TAG_subrange_type);
    let count = |die: Die<'_>| {
        let last = || die.number(gimli::DW_AT_upper_bound)?.checked_add(1);
        die.number(gimli::DW_AT_count).or_else(last)
    };
    dimensions.map(count).collect()
}

/// The members of a structure, those of its base classes and its parts without names: each with the bit at
/// which it begins.
fn members<'a>(structure: &Die<'a>) -> Vec<(Die<'a>, u64)> {
    let mut found = Vec::new();
    let mut parts = vec![(structure.clone(), 0_u64)];
    // What is damaged may have itself as a part.
    for _ in 0..MOST_PARTS {
        let Some((part, start)) = parts.pop() else { break };
        for child in part.children() {
            let is_base = child.tag() == gimli::DW_TAG_inheritance;
            let is_static = child.has(DW_AT_external) || child.has(DW_AT_declaration);
            if is_static || !is_base && child.tag() != gimli::DW_TAG_member {
                continue;
            }
            let Some(at) = place(&part, &child).and_then(|at| at.checked_add(start)) else { continue };
            if !is_base && child.name().is_some_and(|name| !name.is_empty()) {
                found.push((child, at));
            } else if let TypeKind::Structure(inner) = VariableType::new(child.type_of()).kind() {
                parts.push((inner, at));
            }
        }
    }
    found
}

/// The most parts of a structure that are looked into.
const MOST_PARTS: usize = 256;

/// The bit of a structure at which a member begins.
fn place(structure: &Die<'_>, member: &Die<'_>) -> Option<u64> {
    if let Some(bits) = member.number(DW_AT_data_bit_offset) {
        return Some(bits);
    }
    let bytes = match member.entry().attr_value(DW_AT_data_member_location) {
        Some(at) => at.udata_value()?,
        None if structure.tag() == gimli::DW_TAG_union_type => 0,
        // Where a virtual base is has to be computed.
        None => return None,
    };
    let bits = bytes.checked_mul(8)?;
    // As DWARF 3 has it: from the most significant bit of the integer on.
    let (Some(width), Some(above)) = (member.number(DW_AT_bit_size), member.number(DW_AT_bit_offset)) else {
        return Some(bits);
    };
    let of = VariableType::new(member.type_of());
    let integer = member.number(DW_AT_byte_size).or_else(|| of.bytes())?.checked_mul(8)?;
    bits.checked_add(integer.checked_sub(above)?.checked_sub(width)?)
}

/// The member of a name.
pub(crate) fn member<'a>(structure: &Die<'a>, name: &str) -> Option<StructureMember<'a>> {
    let mut members = members(structure).into_iter();
    let (die, at) = members.find(|(die, _)| die.name().as_deref() == Some(name))?;
    let width = die.number(DW_AT_bit_size).filter(|width| (1..=64).contains(width));
    Some(StructureMember { of: VariableType::new(die.type_of()), at, width })
}

/// The names of all members.
pub(crate) fn member_names(structure: &Die<'_>) -> Vec<String> {
    members(structure).iter().filter_map(|(die, _)| die.name()).collect()
}
