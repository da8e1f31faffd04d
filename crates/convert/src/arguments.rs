//! What the fields of a record say, typed and by their names.

use foldhash::HashMap;
use query::{ErrorField, exit_of};
use std::borrow::Cow;
use std::fmt::Write;
use std::rc::Rc;
use trace_data::event::{Event, EventTable};
use trace_data::format::{Field, Kind};
use trace_data::info::TraceInfo;
use trace_data::print::FieldForm;
use trace_data::symbols::place_at;

/// What the event at the end of a call or elsewhere says: its fields by names, and their values.
#[derive(Debug, Clone, Copy)]
pub struct SliceArguments<'a> {
    pub(crate) shape: &'a ShownFields,
    pub(crate) payload: &'a [u8],
}

/// A value of a field.
#[derive(Debug)]
pub enum ArgumentValue<'a> {
    /// A number.
    Signed(i64),
    /// A number that is never below 0.
    Unsigned(u64),
    /// An address, or what else is printed in hexadecimal.
    Hex(u64),
    /// A string; what is no UTF-8 is replaced.
    Text(Cow<'a, str>),
    /// A number that stands for a text.
    Named(NamedNumber<'a>),
}

/// A number that stands for a text: the function at an address, flags, a signal.
#[derive(Debug, Clone, Copy)]
pub struct NamedNumber<'a> {
    /// What it is a number of, and the number: the text depends on nothing else.
    pub(crate) key: (usize, u64),
    /// The field's place in the event's format.
    index: usize,
    payload: &'a [u8],
}

/// The place of functions among what numbers are of; fields have others.
const FUNCTIONS: usize = 0;

/// The fields of an event that are shown.
#[derive(Debug)]
pub struct ShownFields {
    pub(crate) arguments: Vec<ArgumentShape>,
    error: Option<ErrorField>,
}

/// A field that is shown.
#[derive(Debug)]
pub struct ArgumentShape {
    pub(crate) name: Rc<str>,
    /// Counted over the fields of all events, from 1 on.
    pub(crate) place: usize,
    index: usize,
    field: Field,
    kind: ArgumentKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Number,
    Hex,
    /// An address in a function.
    Function,
    /// A number that is printed as a text.
    Named,
    Text,
    Numbers,
    /// What a call has failed with.
    Error,
}

impl ShownFields {
    /// Of an event. The length of a slice is seen without it. A pointer whose target the event at the call's
    /// end has says nothing more. `places` are those that have been given to fields.
    pub fn of(event: &Event, events: &EventTable, places: &mut usize) -> ShownFields {
        let format = event.format();
        let own = format.fields.iter().enumerate().skip(format.common);
        let exit = exit_of(format, events).map(Event::format);
        let is_told_later = |field: &Field| exit.is_some_and(|exit| exit.field(&field.name).is_some());
        let is_shown = |index: usize, field: &Field| {
            let is_of_slice = matches!(field.name.as_str(), "duration" | "__syscall_nr");
            let is_pointer = field.is_pointer() || event.form(index) == FieldForm::Hex;
            !(is_of_slice || is_pointer && is_told_later(field))
        };
        let shown = own.filter(|(index, field)| is_shown(*index, field));
        let arguments = shown.map(|(index, field)| ArgumentShape {
            name: field.name.as_str().into(),
            place: {
                *places += 1;
                *places
            },
            index,
            kind: kind(event, index, field),
            field: field.clone(),
        });
        ShownFields { arguments: arguments.collect(), error: ErrorField::of(format) }
    }

    /// What a record of the event says.
    pub fn read<'a>(&'a self, payload: &'a [u8]) -> SliceArguments<'a> {
        SliceArguments { shape: self, payload }
    }
}

fn kind(event: &Event, index: usize, field: &Field) -> ArgumentKind {
    match field.element_type() {
        Some(element) if element.text => ArgumentKind::Text,
        Some(_) => ArgumentKind::Numbers,
        None if field.name == "error" => ArgumentKind::Error,
        None => match event.form(index) {
            FieldForm::Function => ArgumentKind::Function,
            FieldForm::Names | FieldForm::Octal => ArgumentKind::Named,
            FieldForm::Hex => ArgumentKind::Hex,
            FieldForm::Number if field.is_pointer() && field.kind == Kind::Integer => ArgumentKind::Hex,
            FieldForm::Number => ArgumentKind::Number,
        },
    }
}

impl<'a> SliceArguments<'a> {
    /// The number of the error that the call has failed with, if it has.
    pub fn error(&self) -> Option<i64> {
        self.shape.error.as_ref()?.read(self.payload)
    }

    /// Hands on each argument.
    pub fn each(&self, mut take: impl FnMut(&'a ArgumentShape, ArgumentValue<'a>)) {
        for argument in &self.shape.arguments {
            if let Some(value) = self.value(argument) {
                take(argument, value);
            }
        }
    }

    /// The number in the field of this name.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        let argument = self.shape.arguments.iter().find(|argument| &*argument.name == name)?;
        argument.field.integer(self.payload)
    }

    fn value(&self, argument: &'a ArgumentShape) -> Option<ArgumentValue<'a>> {
        let ArgumentShape { field, kind, .. } = argument;
        let payload = self.payload;
        let named = |place: usize| {
            let key = (place, field.integer(payload)? as u64);
            Some(ArgumentValue::Named(NamedNumber { key, index: argument.index, payload }))
        };
        Some(match kind {
            ArgumentKind::Text => ArgumentValue::Text(field.string(payload)?),
            ArgumentKind::Numbers => ArgumentValue::Text(numbers(field, payload)?.into()),
            ArgumentKind::Function => named(FUNCTIONS)?,
            ArgumentKind::Named => named(argument.place)?,
            ArgumentKind::Hex => ArgumentValue::Hex(field.integer(payload)? as u64),
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

impl ArgumentShape {
    /// The field's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The field's number among those of all events, from 1 on.
    pub fn place(&self) -> usize {
        self.place
    }
}

impl NamedNumber<'_> {
    /// The number; one below 0 as 64 bits.
    pub fn number(&self) -> u64 {
        self.key.1
    }

    /// Whether it is the address of a function.
    pub fn is_function(&self) -> bool {
        self.key.0 == FUNCTIONS
    }

    /// The text: `name+0x8`, `O_RDWR|O_CREAT`; of an address in no function the address.
    pub(crate) fn text(&self, trace: &TraceInfo<'_>) -> String {
        if self.is_function() {
            return place_at(self.key.1, trace.symbols);
        }
        let mut text = Vec::new();
        if let Some(event) = trace.events.of(self.payload) {
            event.print_field(self.index, self.payload, trace.symbols, &mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
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

/// The texts of numbers: made once for each.
#[derive(Debug, Default)]
pub struct NumberTexts {
    known: HashMap<(usize, u64), Rc<str>>,
}

impl NumberTexts {
    /// What a number stands for.
    pub fn of(&mut self, number: NamedNumber<'_>, trace: &TraceInfo<'_>) -> Rc<str> {
        Rc::clone(self.known.entry(number.key).or_insert_with(|| number.text(trace).into()))
    }
}
