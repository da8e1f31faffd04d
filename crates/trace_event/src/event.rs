//! Events and their fields.

use crate::Kind;
use abi::common;

/// An event's description: who it is and what its bytes mean. Made at compile time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The system that it belongs to.
    pub system: &'static str,
    /// Its name within the system.
    pub name: &'static str,
    /// Its fields, in order, without the common ones.
    pub fields: &'static [Field],
}

/// A field of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
}

impl Event {
    /// The offset of the field `index` in the payload, common fields included; with the number of fields:
    /// the bytes of the fixed part, a multiple of 8, where texts start.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_as_in_a_c_struct() {
        const FIELDS: &[Field] = &[
            Field { name: "a", kind: Kind::I32 },
            Field { name: "b", kind: Kind::U64 },
            Field { name: "c", kind: Kind::Bool },
            Field { name: "d", kind: Kind::Comm },
            Field { name: "e", kind: Kind::Descriptors },
        ];
        const EVENT: Event = Event { system: "s", name: "n", fields: FIELDS };
        let offsets: std::vec::Vec<usize> = (0..=5).map(|index| EVENT.offset(index)).collect();
        assert_eq!(offsets, [8, 16, 24, 25, 44, 56]);
        assert_eq!(EVENT.fixed_size(), 56);
    }
}
