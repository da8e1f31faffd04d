//! What an event or a call says, as columns.

use crate::table::RowCell;
use convert::{ArgumentValue, NumberTexts, SliceArguments};
use export::json::push_quoted;
use std::fmt::Write;
use std::rc::Rc;
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
    pub fn add(&mut self, said: &SliceArguments<'_>, texts: &mut NumberTexts, trace: &TraceInfo<'_>) {
        self.error = said.error().or(self.error);
        said.each(|argument, value| self.set(argument.name(), value, texts, trace));
    }

    fn set(&mut self, name: &str, value: ArgumentValue<'_>, texts: &mut NumberTexts, trace: &TraceInfo<'_>) {
        match (name, value) {
            ("error", _) => {}
            ("ret", ArgumentValue::Signed(value)) => self.ret = Some(value),
            ("ret", ArgumentValue::Unsigned(value) | ArgumentValue::Hex(value)) => {
                self.ret = Some(value as i64);
            }
            ("fd" | "sockfd", ArgumentValue::Signed(value)) => self.fd = Some(value),
            ("size" | "count" | "len" | "length", ArgumentValue::Unsigned(value)) => {
                self.size = Some(value as i64);
            }
            ("caller", ArgumentValue::Named(number)) => self.caller = Some(texts.of(number, trace)),
            ("pathname" | "path" | "filename", ArgumentValue::Text(text)) => {
                self.path.clear();
                self.path.push_str(&text);
            }
            // Other numbers stay numbers, for comparisons: flag_names() has the names of flags.
            (_, ArgumentValue::Named(number)) if number.is_function() => {
                let text = texts.of(number, trace);
                self.add_rest(name, &ArgumentValue::Text((*text).into()));
            }
            (_, value) => self.add_rest(name, &value),
        }
    }

    fn add_rest(&mut self, name: &str, value: &ArgumentValue<'_>) {
        self.rest.push(if self.rest.is_empty() { '{' } else { ',' });
        push_quoted(name, &mut self.rest);
        self.rest.push(':');
        // Writing into a string can't fail.
        let _ = match value {
            ArgumentValue::Signed(value) => write!(self.rest, "{value}"),
            ArgumentValue::Unsigned(value) => write!(self.rest, "{value}"),
            ArgumentValue::Named(number) => write!(self.rest, "{}", number.number() as i64),
            ArgumentValue::Hex(value) => write!(self.rest, "\"{value:#x}\""),
            ArgumentValue::Text(text) => {
                push_quoted(text, &mut self.rest);
                Ok(())
            }
        };
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
