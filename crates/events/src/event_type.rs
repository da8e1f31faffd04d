//! The description of an event.

use crate::EventField;
use abi::common;

/// An event's description: who it is and what its bytes mean. Made at compile time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventType {
    /// Its id, which its records start with; 0 where the session gives it one.
    pub id: u16,
    /// The system that it belongs to.
    pub system: &'static str,
    /// Its name within the system.
    pub name: &'static str,
    /// Its class: what `@class` selects.
    pub class: Option<&'static str>,
    /// Its fields, in order, without the common ones.
    pub fields: &'static [EventField],
    /// Its print format, where that is not made from the fields.
    pub print: Option<&'static str>,
}

impl EventType {
    /// The offset of the field `index` in the payload, common fields included; with the number of fields:
    /// the bytes of the fixed part, a multiple of 8, where strings start.
    ///
    /// Fields lie as in a C struct.
    pub const fn offset(&self, index: usize) -> usize {
        let mut offset = common::SIZE;
        let mut at = 0;
        while at < index && at < self.fields.len() {
            let kind = self.fields[at].kind;
            offset = offset.next_multiple_of(kind.alignment()) + kind.size();
            at += 1;
        }
        if index < self.fields.len() {
            offset.next_multiple_of(self.fields[index].kind.alignment())
        } else {
            offset.next_multiple_of(8)
        }
    }

    /// Bytes of the fixed part of the payload.
    pub const fn fixed_size(&self) -> usize {
        self.offset(self.fields.len())
    }

    /// The fields, each with its offset in the payload.
    pub fn placed_fields(&self) -> impl Iterator<Item = (usize, &'static EventField)> {
        let event = *self;
        self.fields.iter().enumerate().map(move |(index, field)| (event.offset(index), field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FieldKind;
    use crate::field::field;

    #[test]
    fn fields_lie_as_in_a_c_struct() {
        const FIELDS: &[EventField] = &[
            field("a", FieldKind::I32),
            field("b", FieldKind::U64),
            field("c", FieldKind::Bool),
            field("d", FieldKind::Comm),
            field("e", FieldKind::Descriptors),
        ];
        const EVENT: EventType =
            EventType { id: 0, system: "s", name: "n", class: None, fields: FIELDS, print: None };
        let offsets: std::vec::Vec<usize> = (0..=5).map(|index| EVENT.offset(index)).collect();
        assert_eq!(offsets, [8, 16, 24, 25, 44, 56]);
        assert_eq!(EVENT.fixed_size(), 56);
    }
}
