//! The values of a field of many events.

use crate::{EventBatch, EventValue};
use std::collections::HashMap;
use trace_data::event::EventTable;
use trace_data::format::Field;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// No event has such a field.
    Missing,
    /// Numbers of signed types.
    Signed,
    /// Numbers of unsigned types.
    Unsigned,
    /// Texts.
    Text,
    /// Bytes of arrays of numbers.
    Bytes,
}

/// The values of a field, a row for each event of a batch: laid out as Arrow has columns.
#[derive(Debug)]
pub struct FieldColumn {
    /// What it has: what the first event with such a field has.
    pub kind: ColumnKind,
    /// Numbers, as the bits of 64-bit ones; 0 where a row has none.
    pub numbers: Vec<u64>,
    /// Where the text of each row starts in `bytes`; one more at the end.
    pub offsets: Vec<i32>,
    /// Texts and arrays, one after the other.
    pub bytes: Vec<u8>,
    /// A bit for each row, the first the lowest: whether it has a value.
    pub valid: Vec<u8>,
}

impl FieldColumn {
    pub(crate) fn of(batch: &EventBatch, events: &EventTable, name: &str) -> FieldColumn {
        let mut fields: HashMap<u16, Option<&Field>> = HashMap::new();
        let mut field_of = |id| {
            *fields.entry(id).or_insert_with(|| events.get(id).and_then(|event| event.format().field(name)))
        };
        let mut column = FieldColumn {
            kind: ColumnKind::Missing,
            numbers: Vec::new(),
            offsets: Vec::new(),
            bytes: Vec::new(),
            valid: vec![0; batch.len().div_ceil(8)],
        };
        let mut last = (0, None);
        for (row, id) in batch.ids.iter().enumerate() {
            if row == 0 || last.0 != *id {
                last = (*id, field_of(*id));
            }
            let value =
                last.1.zip(batch.payload(row)).and_then(|(field, payload)| EventValue::of(field, payload));
            column.push(row, value);
        }
        // Up to the rows of all.
        if column.is_of_numbers() {
            column.numbers.resize(batch.len(), 0);
        } else {
            column.offsets.resize(batch.len() + 1, column.bytes.len() as i32);
        }
        column
    }

    fn is_of_numbers(&self) -> bool {
        matches!(self.kind, ColumnKind::Signed | ColumnKind::Unsigned)
    }

    fn push(&mut self, row: usize, value: Option<EventValue<'_>>) {
        let Some(value) = value else { return };
        let (kind, number, bytes) = match value {
            EventValue::Signed(number) => (ColumnKind::Signed, number as u64, &[][..]),
            EventValue::Unsigned(number) => (ColumnKind::Unsigned, number, &[][..]),
            EventValue::Text(text) => (ColumnKind::Text, 0, text),
            EventValue::Elements { bytes, .. } => (ColumnKind::Bytes, 0, bytes),
        };
        if self.kind == ColumnKind::Missing {
            self.kind = kind;
        }
        let fits = self.kind == kind && self.bytes.len() + bytes.len() <= i32::MAX as usize;
        let Some(valid) = self.valid.get_mut(row / 8).filter(|_| fits) else { return };
        *valid |= 1 << (row % 8);
        if self.is_of_numbers() {
            self.numbers.resize(row, 0);
            self.numbers.push(number);
        } else {
            // Rows without a value before this one are empty.
            self.offsets.resize(row + 1, self.bytes.len() as i32);
            self.bytes.extend_from_slice(bytes);
        }
    }
}
