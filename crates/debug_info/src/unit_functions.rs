//! Functions in a compilation unit's debug information.

use crate::parameter::Parameter;
use crate::parameter_type::{EntryPlace, ParameterType, RegisterOrder};
use crate::unit_types::{Entry, SectionBytes, UnitTypes};
use gimli::{DW_AT_high_pc, DW_AT_location, DW_AT_low_pc, DW_AT_type, Operation};
use std::ops::Range;

impl UnitTypes<'_> {
    /// The functions that have code, by their addresses, and what they are called with.
    pub(crate) fn functions(self) -> Vec<(Range<u64>, Vec<Parameter>)> {
        let mut found = Vec::new();
        let mut entries = self.unit.entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.tag() == gimli::DW_TAG_subprogram
                && let Some(range) = self.range(entry)
                && let Some(parameters) = self.parameters(entry, range.start)
            {
                found.push((range, parameters));
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }

    fn range(self, entry: &Entry) -> Option<Range<u64>> {
        let start = self.dwarf.attr_address(self.unit, entry.attr_value(DW_AT_low_pc)?).ok()??;
        let end = entry.attr_value(DW_AT_high_pc)?;
        let end = match end.udata_value() {
            Some(size) => start.checked_add(size)?,
            None => self.dwarf.attr_address(self.unit, end).ok()??,
        };
        (start != 0).then_some(start..end)
    }

    /// The parameters of a function that starts at an address.
    pub(crate) fn parameters(self, function: &Entry, start: u64) -> Option<Vec<Parameter>> {
        let mut order = RegisterOrder::new(self.returns_in_memory(function));
        let mut tree = self.unit.entries_tree(Some(function.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut parameters = Vec::new();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            if entry.tag() != gimli::DW_TAG_formal_parameter {
                continue;
            }
            let of = self.offset(entry, DW_AT_type).map_or(ParameterType::Unknown, |of| self.type_of(of, 0));
            let value = order.place(of, &self.entry_place(entry, start));
            parameters.push(Parameter { name: self.name(entry).unwrap_or_default(), value });
        }
        Some(parameters)
    }

    /// Where a parameter is when its function starts at an address.
    fn entry_place(self, entry: &Entry, start: u64) -> EntryPlace {
        let Some(location) = entry.attr_value(DW_AT_location) else { return EntryPlace::Unknown };
        if let Some(expression) = location.exprloc_value() {
            return self.place(expression).unwrap_or(EntryPlace::Unknown);
        }
        let Ok(Some(mut list)) = self.dwarf.attr_locations(self.unit, location) else {
            return EntryPlace::Unknown;
        };
        while let Ok(Some(found)) = list.next() {
            if (found.range.begin..found.range.end).contains(&start) {
                return self.place(found.data).unwrap_or(EntryPlace::Unknown);
            }
        }
        EntryPlace::Unknown
    }

    fn place(self, expression: gimli::Expression<SectionBytes>) -> Option<EntryPlace> {
        let mut operations = expression.operations(self.unit.encoding());
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
