//! What an event or a call says, as columns.

use crate::table::RowCell;
use convert::{ArgumentShape, ArgumentValue, NumberTexts, SliceArguments};
use export::json::push_quoted;
use std::rc::Rc;
use trace_data::digits::{push_decimal, push_hex, push_unsigned};
use trace_data::info::TraceInfo;

/// What an event or both ends of a call say.
#[derive(Debug, Default)]
pub struct ToldFields {
    /// The result.
    pub ret: Option<i64>,
    /// The number of the error.
    pub error: Option<i64>,
    /// The file, or whoever else it is about.
    pub path: String,
    /// The descriptor.
    pub fd: Option<i64>,
    /// How many bytes it is about.
    pub size: Option<i64>,
    /// The function that has called.
    pub caller: Option<Rc<str>>,
    /// Everything else: an object of JSON, as long as it is open.
    rest: String,
}

/// A column of what is said, in `events` and in `slices`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldColumn {
    Ret,
    Error,
    Path,
    Fd,
    Size,
    Caller,
    Arguments,
}

/// Knows what it has read of: the roles of fields, and what numbers stand for.
#[derive(Debug, Default)]
pub struct ToldReader {
    /// By the fields' places.
    roles: Vec<Option<ToldRole>>,
    texts: NumberTexts,
}

/// Where a field belongs.
#[derive(Debug)]
struct ToldRole {
    /// The column that it is for, if its value is of that kind.
    column: Option<ToldColumn>,
    /// Its name and a colon, for an object of JSON.
    key: String,
}

impl ToldRole {
    fn of(field: &ArgumentShape) -> ToldRole {
        let column = match field.name() {
            "error" => Some(ToldColumn::Error),
            "ret" => Some(ToldColumn::Ret),
            "fd" | "sockfd" => Some(ToldColumn::Fd),
            "size" | "count" | "len" | "length" => Some(ToldColumn::Size),
            "caller" => Some(ToldColumn::Caller),
            "pathname" | "path" | "filename" => Some(ToldColumn::Path),
            _ => None,
        };
        let mut key = String::new();
        push_quoted(field.name(), &mut key);
        key.push(':');
        ToldRole { column, key }
    }
}

impl ToldFields {
    /// What is in a column.
    pub fn cell(&self, column: ToldColumn) -> RowCell<'_> {
        match column {
            ToldColumn::Ret => RowCell::Number(self.ret),
            ToldColumn::Error => RowCell::Number(self.error),
            ToldColumn::Path => RowCell::Text(self.path()),
            ToldColumn::Fd => RowCell::Number(self.fd),
            ToldColumn::Size => RowCell::Number(self.size),
            ToldColumn::Caller => RowCell::Text(self.caller.as_deref()),
            ToldColumn::Arguments => RowCell::Text(self.rest()),
        }
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        let (mut path, mut rest) = (std::mem::take(&mut self.path), std::mem::take(&mut self.rest));
        path.clear();
        rest.clear();
        *self = ToldFields { path, rest, ..ToldFields::default() };
    }

    /// Adds what an event says.
    pub fn add(&mut self, said: &SliceArguments<'_>, reader: &mut ToldReader, trace: &TraceInfo<'_>) {
        self.error = said.error().or(self.error);
        let ToldReader { roles, texts } = reader;
        said.each(|argument, value| {
            let place = argument.place();
            if roles.len() <= place {
                roles.resize_with(place + 1, || None);
            }
            let role = roles[place].get_or_insert_with(|| ToldRole::of(argument));
            self.set(role, value, texts, trace);
        });
    }

    fn set(
        &mut self,
        role: &ToldRole,
        value: ArgumentValue<'_>,
        texts: &mut NumberTexts,
        trace: &TraceInfo<'_>,
    ) {
        match (role.column, value) {
            (Some(ToldColumn::Error), _) => {}
            (Some(ToldColumn::Ret), ArgumentValue::Signed(value)) => self.ret = Some(value),
            (Some(ToldColumn::Ret), ArgumentValue::Unsigned(value) | ArgumentValue::Hex(value)) => {
                self.ret = Some(value as i64);
            }
            (Some(ToldColumn::Fd), ArgumentValue::Signed(value)) => self.fd = Some(value),
            (Some(ToldColumn::Size), ArgumentValue::Unsigned(value)) => self.size = Some(value as i64),
            (Some(ToldColumn::Caller), ArgumentValue::Named(number)) => {
                self.caller = Some(texts.of(number, trace));
            }
            (Some(ToldColumn::Path), ArgumentValue::Text(text)) => {
                self.path.clear();
                self.path.push_str(&text);
            }
            // Other numbers stay numbers, for comparisons: flag_names() has the names of flags.
            (_, ArgumentValue::Named(number)) if number.is_function() => {
                let text = texts.of(number, trace);
                self.add_rest(role, &ArgumentValue::Text((*text).into()));
            }
            (_, value) => self.add_rest(role, &value),
        }
    }

    fn add_rest(&mut self, role: &ToldRole, value: &ArgumentValue<'_>) {
        let out = &mut self.rest;
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push_str(&role.key);
        match value {
            ArgumentValue::Signed(value) => push_decimal(*value, out),
            ArgumentValue::Unsigned(value) => push_unsigned(*value, out),
            ArgumentValue::Named(number) => push_decimal(number.number() as i64, out),
            ArgumentValue::Hex(value) => {
                out.push('"');
                push_hex(*value, out);
                out.push('"');
            }
            ArgumentValue::Text(text) => push_quoted(text, out),
        }
    }

    /// The file or whoever else it is about, if that is known.
    pub fn path(&self) -> Option<&str> {
        (!self.path.is_empty()).then_some(self.path.as_str())
    }

    /// No more is added.
    pub fn close(&mut self) {
        if !self.rest.is_empty() {
            self.rest.push('}');
        }
    }

    /// Everything that has no column of its own, as JSON.
    pub fn rest(&self) -> Option<&str> {
        (!self.rest.is_empty()).then_some(self.rest.as_str())
    }
}
