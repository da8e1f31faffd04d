//! Records as JSON: an object for each, one on a line. What the keys mean is in `docs/reading.md`.

use crate::{Error, Sink};
use std::convert::Infallible;
use std::io::{self, Write};
use std::rc::Rc;
use trace_data::event::Event;
use trace_data::format::{Field, Kind};
use trace_data::info::TraceInfo;
use trace_data::page::Missed;
use trace_data::record::Record;
use trace_data::symbols::{Symbols, function_at};
use trace_data::text::{callers, print_date};

/// Bytes that are collected before they are written.
const WRITE: usize = 64 * 1024;

/// Writes an object for each record.
pub struct JsonLines<W> {
    out: W,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    dates: bool,
    /// By event id: which fields are addresses in functions.
    functions: Vec<Option<Box<[bool]>>>,
    /// The text of a record.
    text: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    /// Writes to `out`; with `dates`, the wall clock's time of each record, too.
    pub fn new(out: W, dates: bool) -> JsonLines<W> {
        JsonLines { out, lines: Vec::new(), dates, functions: Vec::new(), text: Vec::new() }
    }

    /// Writes the lines that are collected.
    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }

    /// What every event has.
    fn common(&mut self, record: &Record<'_>, pid: i32, trace: &TraceInfo<'_>) -> io::Result<()> {
        let out = &mut self.lines;
        write!(out, "{{\"time\":{}", record.time)?;
        if let Some(time) = trace.real_time(record.time).filter(|_| self.dates) {
            out.extend_from_slice(b",\"date\":\"");
            print_date(time, out);
            out.push(b'"');
        }
        write!(out, ",\"cpu\":{},\"pid\":{pid}", record.cpu)?;
        if let Some(tgid) = trace.tasks.tgid(pid) {
            write!(out, ",\"tgid\":{tgid}")?;
        }
        if let Some(comm) = trace.tasks.comm(pid) {
            out.extend_from_slice(b",\"comm\":");
            string(comm.as_bytes(), out);
        }
        match record.lost {
            Missed::None => Ok(()),
            Missed::Unknown => write!(out, ",\"lost\":true"),
            Missed::Count(count) => write!(out, ",\"lost\":{count}"),
        }
    }

    /// The event's name, its fields, and the text of its line.
    fn own(&mut self, event: &Event, payload: &[u8], trace: &TraceInfo<'_>) -> io::Result<()> {
        let format = event.format();
        let out = &mut self.lines;
        out.extend_from_slice(b",\"system\":");
        string(format.system.as_bytes(), out);
        out.extend_from_slice(b",\"event\":");
        string(format.name.as_bytes(), out);
        out.extend_from_slice(b",\"fields\":{");
        let functions = functions(&mut self.functions, event);
        let fields = format.fields.iter().enumerate().skip(format.common);
        for (place, (index, field)) in fields.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            string(field.name.as_bytes(), out);
            out.push(b':');
            if let Some(callers) = callers(event, payload).filter(|_| field.name == "caller") {
                list(&callers, trace.symbols, out)?;
                continue;
            }
            match field.integer(payload).filter(|_| functions.get(index) == Some(&true)) {
                Some(address) => function(trace.symbols, address as u64, out)?,
                None => value(field, payload, out)?,
            }
        }
        out.extend_from_slice(b"},\"text\":");
        self.text.clear();
        match callers(event, payload) {
            Some(callers) => stack(&callers, trace.symbols, &mut self.text),
            None => event.print(payload, trace.symbols, &mut self.text),
        }
        string(&self.text, out);
        Ok(())
    }
}

impl<W: Write> JsonLines<W> {
    /// Writes an object for a record, with what some of its fields, which are descriptors, refer to.
    pub fn described(
        &mut self,
        record: &Record<'_>,
        descriptors: &[(&str, Rc<str>)],
        trace: &TraceInfo<'_>,
    ) -> Result<(), Error> {
        self.common(record, record.pid(), trace)?;
        match trace.events.of(record.payload) {
            Some(event) => self.own(event, record.payload, trace)?,
            None => write!(self.lines, ",\"type\":{}", record.id())?,
        }
        for (index, (field, name)) in descriptors.iter().enumerate() {
            self.lines.extend_from_slice(if index == 0 { b",\"descriptors\":{" } else { b"," });
            string(field.as_bytes(), &mut self.lines);
            self.lines.push(b':');
            string(name.as_bytes(), &mut self.lines);
        }
        self.lines.extend_from_slice(if descriptors.is_empty() { b"}\n" } else { b"}}\n" });
        if self.lines.len() >= WRITE {
            self.write()?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn record(&mut self, record: &Record<'_>, trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.described(record, &[], trace)
    }

    fn finish(&mut self, _trace: &TraceInfo<'_>) -> Result<(), Error> {
        self.write()?;
        Ok(self.out.flush()?)
    }
}

/// Which fields of an event are addresses in functions. Kept by event id: it takes a search in what the event
/// prints.
fn functions<'a>(known: &'a mut Vec<Option<Box<[bool]>>>, event: &Event) -> &'a [bool] {
    let format = event.format();
    let id = usize::from(format.id);
    known.resize(known.len().max(id + 1), None);
    known[id]
        .get_or_insert_with(|| (0..format.fields.len()).map(|index| event.names_function(index)).collect())
}

/// The value of a field: a number, a string, or an array of numbers; null where the record is too short.
fn value(field: &Field, payload: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let Some(bytes) = field.bytes(payload) else { return out.write_all(b"null") };
    match field.element_type() {
        Some(element) if element.text => {
            string(bytes.split(|byte| *byte == 0).next().unwrap_or_default(), out)
        }
        Some(element) => {
            out.push(b'[');
            for index in 0..bytes.len().checked_div(element.size).unwrap_or(0) {
                if index > 0 {
                    out.push(b',');
                }
                number(field.element(payload, index), field.signed, out)?;
            }
            out.push(b']');
        }
        None if field.is_pointer() && field.kind == Kind::Integer => {
            write!(out, "\"{:#x}\"", field.integer(payload).unwrap_or_default())?;
        }
        None => number(field.integer(payload), field.signed, out)?,
    }
    Ok(())
}

fn number(value: Option<i64>, signed: bool, out: &mut Vec<u8>) -> io::Result<()> {
    match value {
        None => out.write_all(b"null"),
        Some(value) if signed => write!(out, "{value}"),
        Some(value) => write!(out, "{}", value as u64),
    }
}

/// `"name+0x8"`, with its module and line where known; the address where it is in no function.
fn function(symbols: &dyn Symbols, address: u64, out: &mut Vec<u8>) -> io::Result<()> {
    let Some(symbol) = symbols.symbol(address) else { return write!(out, "\"{address:#x}\"") };
    let mut text = format!("{}+{:#x}", symbol.name, symbol.offset).into_bytes();
    if let Some(module) = symbol.module {
        write!(text, " [{module}]")?;
    }
    symbols.source(address, &mut text);
    string(&text, out);
    Ok(())
}

/// The functions of a stack, as an array.
fn list(callers: &[u64], symbols: &dyn Symbols, out: &mut Vec<u8>) -> io::Result<()> {
    for (index, caller) in callers.iter().enumerate() {
        out.push(if index == 0 { b'[' } else { b',' });
        function(symbols, *caller, out)?;
    }
    out.extend_from_slice(if callers.is_empty() { b"[]" } else { b"]" });
    Ok(())
}

/// The functions of a stack, as the text of a record shows them.
fn stack(callers: &[u64], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<stack trace>");
    for caller in callers {
        out.extend_from_slice(b"\n => ");
        out.extend_from_slice(function_at(*caller, symbols).as_bytes());
    }
}

/// Bytes as a string. What is no UTF-8 is replaced.
fn string(bytes: &[u8], out: &mut Vec<u8>) {
    let put = |part: &str| -> Result<(), Infallible> {
        out.extend_from_slice(part.as_bytes());
        Ok(())
    };
    let Ok(()) = quote(&String::from_utf8_lossy(bytes), put);
}

/// Hands a string to `put` as JSON has it, piece by piece.
///
/// # Errors
///
/// Those of `put`.
pub fn quote<E>(text: &str, mut put: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    put("\"")?;
    let mut rest = text;
    let is_special = |byte: u8| matches!(byte, b'"' | b'\\' | ..b' ' | 0x7f);
    while let Some(at) = rest.bytes().position(is_special) {
        let special = rest.as_bytes()[at];
        put(&rest[..at])?;
        match special {
            b'\n' => put("\\n")?,
            b'\t' => put("\\t")?,
            b'"' => put("\\\"")?,
            b'\\' => put("\\\\")?,
            control => put(&format!("\\u{control:04x}"))?,
        }
        rest = &rest[at + 1..];
    }
    put(rest)?;
    put("\"")
}

/// Appends a string as JSON has it.
pub fn push_quoted(text: &str, out: &mut String) {
    let Ok(()) = quote(text, |part| -> Result<(), Infallible> {
        out.push_str(part);
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut out = Vec::new();
        string(b"a\"b\\c\nd\x01\xffe\xc3\xa9", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#""a\"b\\c\nd\u0001�eé""#);
    }
}
