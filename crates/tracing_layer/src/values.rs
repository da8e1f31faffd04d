//! The values of a callsite's fields, collected on the stack.

use crate::text::Texts;
use std::fmt::{Debug, Write};
use tracepoint::{EventBuilder, FieldType, Recordable};
use tracing_core::field::{Field, Visit};

/// The most fields that are recorded.
pub(crate) const MOST: usize = 16;

/// A value.
#[derive(Debug, Clone, Copy)]
enum CapturedValue {
    Nothing,
    Unsigned(u64),
    Signed(i64),
    Bool(bool),
    /// From one end to the other in the texts.
    Text(usize, usize),
}

/// What type a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Unsigned,
    Signed,
    Bool,
    Text,
}

impl Type {
    pub(crate) const fn kind(self) -> FieldType {
        match self {
            Type::Unsigned => u64::KIND,
            Type::Signed => i64::KIND,
            Type::Bool => bool::KIND,
            Type::Text => <&str>::KIND,
        }
    }
}

/// The values of one event.
#[derive(Debug)]
pub(crate) struct Values {
    found: [CapturedValue; MOST],
    texts: Texts,
}

impl Values {
    pub(crate) const fn new() -> Values {
        Values { found: [CapturedValue::Nothing; MOST], texts: Texts::new() }
    }

    /// The types; of what was not given, that of any text.
    pub(crate) fn types(&self) -> [Option<Type>; MOST] {
        self.found.map(|found| match found {
            CapturedValue::Nothing => None,
            CapturedValue::Unsigned(_) => Some(Type::Unsigned),
            CapturedValue::Signed(_) => Some(Type::Signed),
            CapturedValue::Bool(_) => Some(Type::Bool),
            CapturedValue::Text(..) => Some(Type::Text),
        })
    }

    /// Appends the fixed part of the first fields, which are of these types.
    pub(crate) fn fix(&self, types: &[Type], record: &mut EventBuilder) {
        for (index, of) in types.iter().enumerate() {
            match (of, self.found[index]) {
                (Type::Text, _) => self.text(index).fix(record),
                (Type::Bool, found) => matches!(found, CapturedValue::Bool(true)).fix(record),
                (_, CapturedValue::Unsigned(number)) => number.fix(record),
                (_, CapturedValue::Signed(number)) => number.fix(record),
                _ => 0u64.fix(record),
            }
        }
    }

    /// Appends their texts.
    pub(crate) fn append(&self, types: &[Type], record: &mut EventBuilder) {
        let texts = types.iter().enumerate().filter(|(_, of)| **of == Type::Text);
        texts.for_each(|(index, _)| self.text(index).append(record));
    }

    fn text(&self, index: usize) -> &str {
        if let CapturedValue::Text(start, end) = self.found[index] { self.texts.get(start, end) } else { "" }
    }

    fn put(&mut self, field: &Field, found: CapturedValue) {
        if let Some(slot) = self.found.get_mut(field.index()) {
            *slot = found;
        }
    }

    fn put_text(&mut self, field: &Field, text: std::fmt::Arguments<'_>) {
        if field.index() < MOST {
            let start = self.texts.end();
            // What has no space is cut off.
            let _ = self.texts.write_fmt(text);
            self.put(field, CapturedValue::Text(start, self.texts.end()));
        }
    }
}

impl Visit for Values {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, CapturedValue::Unsigned(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, CapturedValue::Signed(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, CapturedValue::Bool(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put_text(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put_text(field, format_args!("{value:?}"));
    }
}
