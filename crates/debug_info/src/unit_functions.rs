//! Functions in a compilation unit's debug information.

use crate::debug_units::DebugUnits;
use crate::die::Die;
use crate::parameter::Parameter;
use crate::parameter_type::{EntryPlace, ParameterType, RegisterOrder};
use crate::placed_unit::PlacedUnit;
use crate::sections::SectionBytes;
use gimli::{DW_AT_location, Operation};
use std::ops::Range;

impl PlacedUnit {
    /// The functions that have code, by their addresses, and what they are called with.
    pub(crate) fn functions(&self, units: &DebugUnits) -> Vec<(Range<u64>, Vec<Parameter>)> {
        let mut found = Vec::new();
        let mut entries = self.unit().entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.tag() == gimli::DW_TAG_subprogram
                && let Some(function) = Die::at(units, self, entry.offset())
                && let Some(range) = function.ranges().first()
            {
                found.push((range.clone(), function.parameters(range.start)));
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }
}

impl Die<'_> {
    /// The parameters of a function that starts at an address.
    pub(crate) fn parameters(&self, start: u64) -> Vec<Parameter> {
        let mut order = RegisterOrder::new(self.returns_in_memory());
        let parameters = self.children().into_iter();
        let parameters = parameters.filter(|die| die.tag() == gimli::DW_TAG_formal_parameter);
        let parameter = |die: Die<'_>| {
            let of = die.type_of().map_or(ParameterType::Unknown, |of| of.parameter_type());
            let value = order.place(of, &die.entry_place(start));
            Parameter { name: die.name().unwrap_or_default(), value }
        };
        parameters.map(parameter).collect()
    }

    /// Where a parameter is when its function starts at an address.
    fn entry_place(&self, start: u64) -> EntryPlace {
        let Some(location) = self.entry().attr_value(DW_AT_location) else { return EntryPlace::Unknown };
        if let Some(expression) = location.exprloc_value() {
            return self.expression_place(expression).unwrap_or(EntryPlace::Unknown);
        }
        let Ok(Some(mut list)) = self.dwarf().attr_locations(self.unit(), location) else {
            return EntryPlace::Unknown;
        };
        while let Ok(Some(found)) = list.next() {
            if (found.range.begin..found.range.end).contains(&start) {
                return self.expression_place(found.data).unwrap_or(EntryPlace::Unknown);
            }
        }
        EntryPlace::Unknown
    }

    fn expression_place(&self, expression: gimli::Expression<SectionBytes>) -> Option<EntryPlace> {
        let mut operations = expression.operations(self.unit().encoding());
        let mut registers = Vec::new();
        let mut last = None;
        while let Some(operation) = operations.next().ok()? {
            match operation {
                Operation::Register { register } => {
                    // By their DWARF numbers.
                    last = [5, 4, 1, 2, 8, 9].iter().position(|number| *number == register.0);
                }
                Operation::Piece { .. } => registers.push(last.take()),
                Operation::FrameOffset { .. } if registers.is_empty() => {
                    let is_pointer = matches!(operations.next().ok()?, Some(Operation::Deref { .. }));
                    return Some(if is_pointer { EntryPlace::Pointer } else { EntryPlace::Memory });
                }
                // An object that a register has the address of.
                Operation::RegisterOffset { offset: 0, .. } if registers.is_empty() && last.is_none() => {
                    return operations.next().ok()?.is_none().then_some(EntryPlace::Pointer);
                }
                _ => return None,
            }
        }
        registers.extend(last.map(Some));
        Some(EntryPlace::Registers(registers))
    }
}
