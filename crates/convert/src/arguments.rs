//! What the fields of a record say, typed and by their names.

use query::{ErrorField, exit_of};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;
use trace_data::event::{Event, EventTable};
use trace_data::format::{Field, Kind};
use trace_data::symbols::{Symbols, place_at};

/// What the event at the end of a call or elsewhere says: its fields by names, and their values.
#[derive(Debug, Clone, Copy)]
pub struct SliceArguments<'a> {
    pub(crate) shape: &'a ShownFields,
    pub(crate) payload: &'a [u8],
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentValue<'a> {
    /// A number.
    Signed(i64),
    /// A number that is never below 0.
    Unsigned(u64),
    /// An address.
    Pointer(u64),
    /// A string; what is no UTF-8 is replaced.
    Text(Cow<'a, str>),
    /// A string that is likely to come again: a function, an error.
    Name(Rc<str>),
}

/// The fields of an event that are shown.
#[derive(Debug)]
pub(crate) struct ShownFields {
    pub(crate) arguments: Vec<ArgumentShape>,
    error: Option<ErrorField>,
}

/// A field that is shown.
#[derive(Debug)]
pub(crate) struct ArgumentShape {
    pub(crate) name: Rc<str>,
    field: Field,
    kind: ArgumentKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Number,
    Pointer,
    /// An address in a function.
    Function,
    Text,
    Numbers,
    /// What a call has failed with.
    Error,
}

impl ShownFields {
    /// Of an event. The length of a slice is seen without it. A pointer whose target the event at the call's
    /// end has says nothing more.
    pub(crate) fn of(event: &Event, events: &EventTable) -> ShownFields {
        let format = event.format();
        let own = format.fields.iter().enumerate().skip(format.common);
        let exit = exit_of(format, events).map(Event::format);
        let is_told_later = |field: &Field| exit.is_some_and(|exit| exit.field(&field.name).is_some());
        let is_shown = |field: &Field| {
            let is_of_slice = matches!(field.name.as_str(), "duration" | "__syscall_nr");
            !(is_of_slice || field.is_pointer() && is_told_later(field))
        };
        let shown = own.filter(|(_, field)| is_shown(field));
        let arguments = shown.map(|(index, field)| ArgumentShape {
            name: field.name.as_str().into(),
            kind: kind(event, index, field),
            field: field.clone(),
        });
        ShownFields { arguments: arguments.collect(), error: ErrorField::of(format) }
    }
}

fn kind(event: &Event, index: usize, field: &Field) -> ArgumentKind {
    match field.element_type() {
        Some(element) if element.text => ArgumentKind::Text,
        Some(_) => ArgumentKind::Numbers,
        None if field.name == "error" => ArgumentKind::Error,
        None if event.names_function(index) => ArgumentKind::Function,
        None if field.is_pointer() && field.kind == Kind::Integer => ArgumentKind::Pointer,
        None => ArgumentKind::Number,
    }
}

impl<'a> SliceArguments<'a> {
    /// Hands on each argument with its name.
    pub(crate) fn each(
        &self,
        functions: &mut FunctionLabels,
        symbols: &dyn Symbols,
        mut take: impl FnMut(&Rc<str>, ArgumentValue<'a>),
    ) {
        for argument in &self.shape.arguments {
            if let Some(value) = self.value(argument, functions, symbols) {
                take(&argument.name, value);
            }
        }
    }

    /// The number in the field of this name.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        let argument = self.shape.arguments.iter().find(|argument| &*argument.name == name)?;
        argument.field.integer(self.payload)
    }

    fn value(
        &self,
        argument: &ArgumentShape,
        functions: &mut FunctionLabels,
        symbols: &dyn Symbols,
    ) -> Option<ArgumentValue<'a>> {
        let ArgumentShape { field, kind, .. } = argument;
        let payload = self.payload;
        Some(match kind {
            ArgumentKind::Text => ArgumentValue::Text(field.string(payload)?),
            ArgumentKind::Numbers => ArgumentValue::Text(numbers(field, payload)?.into()),
            ArgumentKind::Function => {
                ArgumentValue::Name(functions.label(field.integer(payload)? as u64, symbols))
            }
            ArgumentKind::Pointer => ArgumentValue::Pointer(field.integer(payload)? as u64),
            ArgumentKind::Error => {
                let error = self.shape.error.as_ref()?;
                match error.name(payload) {
                    Some(name) => ArgumentValue::Text(name.into()),
                    None => ArgumentValue::Signed(error.read(payload)?),
                }
            }
            ArgumentKind::Number if field.signed => ArgumentValue::Signed(field.integer(payload)?),
            ArgumentKind::Number => ArgumentValue::Unsigned(field.integer(payload)? as u64),
        })
    }
}

/// The elements of an array, `{1,2}`.
fn numbers(field: &Field, payload: &[u8]) -> Option<String> {
    let size = field.element_type()?.size;
    let count = field.bytes(payload)?.len().checked_div(size).unwrap_or(0);
    let mut text = "{".to_owned();
    for index in 0..count {
        let value = field.element(payload, index)?;
        let comma = if index > 0 { "," } else { "" };
        // Writing into a string can't fail.
        let _ = if field.signed {
            write!(text, "{comma}{value}")
        } else {
            write!(text, "{comma}{:#x}", value as u64)
        };
    }
    text.push('}');
    Some(text)
}

/// How functions are called, by their addresses: looked up once for each.
#[derive(Debug, Default)]
pub(crate) struct FunctionLabels {
    known: HashMap<u64, Rc<str>>,
}

impl FunctionLabels {
    /// `name+0x8`, or the address where it is in no function.
    pub(crate) fn label(&mut self, address: u64, symbols: &dyn Symbols) -> Rc<str> {
        let find = || place_at(address, symbols).into();
        Rc::clone(self.known.entry(address).or_insert_with(find))
    }
}
