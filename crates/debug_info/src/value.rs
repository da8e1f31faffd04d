//! Values of variables and of their parts, and how probes fetch them.

use crate::no_variable::NoVariable;
use crate::storage::ValueStorage;
use crate::variable_path::PathStep;
use crate::variable_type::{TypeKind, VariableType, member, member_names};

/// A value: where it is, and what it is.
#[derive(Debug, Clone)]
pub(crate) struct VariableValue<'a> {
    /// As it was written, as far as that was followed.
    text: String,
    storage: ValueStorage,
    of: VariableType<'a>,
    /// Of a bit field, the bit of `storage` that it begins with, and how many it has.
    bits: Option<(u64, u64)>,
}

/// The most elements of an array that an event has.
const MOST_ELEMENTS: u64 = 64;

impl<'a> VariableValue<'a> {
    /// The value of a variable.
    pub(crate) fn new(name: &str, storage: ValueStorage, of: VariableType<'a>) -> VariableValue<'a> {
        VariableValue { text: name.to_string(), storage, of, bits: None }
    }

    /// What a step leads to.
    pub(crate) fn step(&self, step: &PathStep) -> Result<VariableValue<'a>, NoVariable> {
        let value = self.referred()?;
        match step {
            PathStep::Member { name, is_arrow } => value.member(name, *is_arrow),
            PathStep::Element(number) => value.element(*number),
            PathStep::Target => {
                value.target().map(|target| VariableValue { text: format!("*{}", self.text), ..target })
            }
        }
    }

    /// Of a reference, what it refers to.
    fn referred(&self) -> Result<VariableValue<'a>, NoVariable> {
        match self.of.kind() {
            TypeKind::Reference(of) => self.followed(of),
            _ => Ok(self.clone()),
        }
    }

    fn followed(&self, of: VariableType<'a>) -> Result<VariableValue<'a>, NoVariable> {
        let storage = self.storage.target().ok_or_else(|| self.computed())?;
        Ok(VariableValue { text: self.text.clone(), storage, of, bits: None })
    }

    fn computed(&self) -> NoVariable {
        NoVariable::Computed { name: self.text.clone() }
    }

    fn target(&self) -> Result<VariableValue<'a>, NoVariable> {
        match self.of.kind() {
            TypeKind::Pointer(of) => self.followed(of),
            TypeKind::Array { element, .. } => Ok(VariableValue {
                of: element,
                text: self.text.clone(),
                storage: self.storage.clone(),
                bits: None,
            }),
            _ => Err(NoVariable::NoPointer { name: self.text.clone() }),
        }
    }

    fn member(&self, name: &str, is_arrow: bool) -> Result<VariableValue<'a>, NoVariable> {
        // Languages without an arrow follow references by the dot.
        let structure = match self.of.kind() {
            TypeKind::Pointer(_) => self.target()?,
            _ if is_arrow => return Err(NoVariable::NoPointer { name: self.text.clone() }),
            _ => self.clone(),
        };
        let TypeKind::Structure(die) = structure.of.kind() else {
            return Err(NoVariable::NoStructure { name: self.text.clone() });
        };
        let found = member(&die, name).ok_or_else(|| NoVariable::NoMember {
            member: name.to_string(),
            of: die.name(),
            members: member_names(&die),
        })?;
        let text = format!("{}{}{name}", self.text, if is_arrow { "->" } else { "." });
        let first = found.at / 8;
        let bits = found.width.map(|width| (found.at % 8, width));
        let bytes = match bits {
            Some((skipped, width)) => Some(bytes_around(skipped + width)),
            None => found.of.bytes(),
        };
        let storage = structure.storage.part(first, bytes.unwrap_or(0)).ok_or_else(|| self.computed())?;
        Ok(VariableValue { text, storage, of: found.of, bits })
    }

    fn element(&self, number: u64) -> Result<VariableValue<'a>, NoVariable> {
        let (storage, of) = match self.of.kind() {
            TypeKind::Array { count: Some(count), .. } if number >= count => {
                return Err(NoVariable::NoElement { name: self.text.clone(), count });
            }
            TypeKind::Array { element, .. } => (self.storage.clone(), element),
            TypeKind::Pointer(target) => (self.storage.target().ok_or_else(|| self.computed())?, target),
            _ => return Err(NoVariable::NoArray { name: self.text.clone() }),
        };
        let text = format!("{}[{number}]", self.text);
        let unknown = || NoVariable::UnknownType { name: text.clone() };
        let bytes = of.bytes().ok_or_else(unknown)?;
        let offset = number.checked_mul(bytes).ok_or_else(unknown)?;
        let storage = storage.part(offset, bytes).ok_or_else(|| self.computed())?;
        Ok(VariableValue { text, storage, of, bits: None })
    }

    /// What a probe fetches, with its type: with the one that was asked for, if any.
    pub(crate) fn fetch(&self, wanted: Option<&str>) -> Result<String, NoVariable> {
        let value = self.referred()?;
        if let Some(is_string @ ("string" | "ustring")) = wanted {
            return Ok(format!("{}:{is_string}", value.string()?));
        }
        if let Some((skipped, width)) = value.bits {
            return value.bit_field(skipped, width);
        }
        let found = value.storage.value().map(|found| found.text);
        if let Some(wanted) = wanted {
            return Ok(format!("{}:{wanted}", found.ok_or_else(|| self.computed())?));
        }
        let form = value.form()?;
        match found {
            Some(text) => Ok(format!("{text}:{form}")),
            // In the upper part of a register: as a bit field, which has no sign.
            None if form.starts_with('u') => {
                value.bit_field(0, value.of.bytes().unwrap_or(8).saturating_mul(8))
            }
            None => Err(self.computed()),
        }
    }

    /// The memory where its text is.
    fn string(&self) -> Result<String, NoVariable> {
        let no_string = || NoVariable::NoString { name: self.text.clone() };
        let (of, storage) = match self.of.kind() {
            TypeKind::Pointer(target) => (target, self.storage.target()),
            TypeKind::Array { element, .. } => (element, Some(self.storage.clone())),
            _ => return Err(no_string()),
        };
        let is_text = of.is_character() || of.is_void();
        match storage.filter(|_| is_text).ok_or_else(no_string)? {
            storage @ ValueStorage::Memory { .. } => {
                storage.value().map(|value| value.text).ok_or_else(no_string)
            }
            _ => Err(self.computed()),
        }
    }

    /// The type of its value, as definitions of probes have it.
    fn form(&self) -> Result<String, NoVariable> {
        let name = || self.text.clone();
        match self.of.kind() {
            TypeKind::Array { element, count } => {
                // Arrays of arrays have no form.
                let is_array = matches!(element.kind(), TypeKind::Array { .. });
                let of_element = Some(VariableValue { of: element, ..self.clone() }).filter(|_| !is_array);
                let form = of_element.and_then(|element| element.form().ok());
                let few = count.filter(|count| (1..=MOST_ELEMENTS).contains(count));
                let is_memory = matches!(self.storage, ValueStorage::Memory { .. });
                match form.zip(few).filter(|_| is_memory) {
                    Some((form, count)) => Ok(format!("{form}[{count}]")),
                    None => Err(NoVariable::LongArray { name: name(), count }),
                }
            }
            TypeKind::Pointer(_) | TypeKind::Reference(_) => Ok("x64".to_string()),
            TypeKind::Integer { is_signed } => match self.of.bytes() {
                Some(bytes @ (1 | 2 | 4 | 8)) => {
                    Ok(format!("{}{}", if is_signed { "s" } else { "u" }, bytes * 8))
                }
                _ => Err(NoVariable::UnknownType { name: name() }),
            },
            TypeKind::FloatingPoint => Err(NoVariable::FloatingPoint { name: name() }),
            TypeKind::Structure(die) => {
                let (of, members) = (die.name(), member_names(&die));
                Err(NoVariable::Structure { name: name(), of, members })
            }
            TypeKind::Other => Err(NoVariable::UnknownType { name: name() }),
        }
    }

    /// So many bits, from one of its storage on.
    fn bit_field(&self, skipped: u64, width: u64) -> Result<String, NoVariable> {
        match &self.storage {
            ValueStorage::Register { register, skipped: bytes } => {
                let whole = ValueStorage::Register { register: *register, skipped: 0 };
                let text = whole.value().ok_or_else(|| self.computed())?.text;
                Ok(format!("{text}:b{width}@{}/64", bytes.saturating_mul(8).saturating_add(skipped)))
            }
            ValueStorage::Memory { base, offset } => {
                let size = bytes_around(skipped.saturating_add(width)) * 8;
                Ok(format!("{}:b{width}@{skipped}/{size}", base.followed(*offset).text))
            }
            _ => Err(self.computed()),
        }
    }
}

/// The bytes of the smallest integer that has so many bits.
fn bytes_around(bits: u64) -> u64 {
    bits.div_ceil(8).next_power_of_two()
}
