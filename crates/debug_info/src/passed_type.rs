//! Types of what functions are called with, as far as they say where that is passed.

use crate::die::Die;
use crate::parameter::NumberForm;
use crate::parameter_type::{Eightbyte, ParameterType};
use crate::sections::SectionBytes;
use crate::variable_type::is_structure;
use gimli::{
    AttributeValue, DW_AT_byte_size, DW_AT_calling_convention, DW_AT_data_member_location, DW_AT_encoding,
    DW_CC_pass_by_reference, DW_LANG_Rust,
};

/// The deepest that types are made of others.
const DEEPEST: usize = 16;

impl Die<'_> {
    /// Whether a function returns a structure that its caller has reserved memory for.
    pub(crate) fn returns_in_memory(&self) -> bool {
        let of = self.type_of().and_then(|of| of.unqualified());
        let Some(of) = of.filter(|of| is_structure(of.tag())) else { return false };
        match of.parameter_type() {
            ParameterType::Unknown => of.number(DW_AT_byte_size).is_some_and(|bytes| bytes > 16),
            // One that is passed by its address is returned so.
            ParameterType::Number(..) | ParameterType::Elsewhere => true,
            ParameterType::Parts { .. } => of.is_copied_by_code(0),
        }
    }

    /// Whether objects of a class of C++ are copied or destroyed by functions of it, or of its parts: then
    /// they are never in registers.
    fn is_copied_by_code(&self, depth: usize) -> bool {
        let class = self.name().unwrap_or_default();
        let class = class.split('<').next().unwrap_or_default();
        self.children().into_iter().any(|child| {
            let is_defaulted = child.has(gimli::DW_AT_defaulted);
            match child.tag() {
                gimli::DW_TAG_subprogram if !is_defaulted => match child.name() {
                    Some(name) => name.starts_with('~') || name == class && child.takes_reference(self),
                    None => false,
                },
                gimli::DW_TAG_member | gimli::DW_TAG_inheritance if depth < DEEPEST => {
                    let part = child.type_of().and_then(|part| part.unqualified());
                    let part = part.filter(|part| is_structure(part.tag()));
                    part.is_some_and(|part| part.is_copied_by_code(depth + 1))
                }
                _ => false,
            }
        })
    }

    /// Whether a constructor copies from another object of its class, or moves it.
    fn takes_reference(&self, class: &Die<'_>) -> bool {
        self.children().into_iter().any(|parameter| {
            let is_reference =
                |tag| [gimli::DW_TAG_reference_type, gimli::DW_TAG_rvalue_reference_type].contains(&tag);
            let of = parameter.type_of().filter(|of| is_reference(of.tag()));
            let to = of.and_then(|of| of.type_of()?.unqualified());
            to.is_some_and(|to| to.is(class))
        })
    }

    /// Where a parameter of this type is passed.
    pub(crate) fn parameter_type(&self) -> ParameterType {
        self.type_within(0)
    }

    fn type_within(&self, depth: usize) -> ParameterType {
        let Some(own) = self.unqualified().filter(|_| depth < DEEPEST) else {
            return ParameterType::Unknown;
        };
        let bytes = own.number(DW_AT_byte_size).and_then(|bytes| usize::try_from(bytes).ok());
        match own.tag() {
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_unspecified_type => ParameterType::Number(8, NumberForm::Hex),
            gimli::DW_TAG_base_type => base_type(own.entry().attr_value(DW_AT_encoding), bytes),
            gimli::DW_TAG_enumeration_type => {
                let form = match own.type_of().map(|of| of.type_within(depth + 1)) {
                    Some(ParameterType::Number(_, NumberForm::Signed)) => NumberForm::Signed,
                    _ => NumberForm::Unsigned,
                };
                bytes.map_or(ParameterType::Unknown, |bytes| ParameterType::Number(bytes, form))
            }
            tag if is_structure(tag) => own.structure(bytes, depth),
            _ => ParameterType::Unknown,
        }
    }

    fn structure(&self, bytes: Option<usize>, depth: usize) -> ParameterType {
        let convention = self.entry().attr_value(DW_AT_calling_convention);
        if convention == Some(AttributeValue::CallingConvention(DW_CC_pass_by_reference)) {
            return ParameterType::Number(8, NumberForm::Hex);
        }
        if self.language() == Some(DW_LANG_Rust) && bytes != Some(0) {
            // Its convention is its own.
            return ParameterType::Unknown;
        }
        let kind = if self.tag() == gimli::DW_TAG_union_type { "UNION" } else { "STRUCT" };
        let mut parts = [None; 2];
        match bytes {
            None => return ParameterType::Unknown,
            Some(17..) => return ParameterType::Elsewhere,
            Some(_) => {
                if self.members(0, depth, &mut parts).is_none() {
                    return ParameterType::Unknown;
                }
            }
        }
        ParameterType::Parts { kind, parts }
    }

    /// Says of each eight bytes of a structure what they have. None where that isn't known.
    fn members(&self, start: u64, depth: usize, parts: &mut [Option<Eightbyte>; 2]) -> Option<()> {
        for child in self.children() {
            let is_member = [gimli::DW_TAG_member, gimli::DW_TAG_inheritance].contains(&child.tag());
            // Static members have no place.
            let at = child.number(DW_AT_data_member_location);
            let Some(at) =
                at.or(Some(0).filter(|_| self.tag() == gimli::DW_TAG_union_type)).filter(|_| is_member)
            else {
                continue;
            };
            let member = child.type_of()?.unqualified()?;
            let place = start + at;
            if is_structure(member.tag()) && depth < DEEPEST {
                member.members(place, depth + 1, parts)?;
                continue;
            }
            let part = match member.type_within(depth + 1) {
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
