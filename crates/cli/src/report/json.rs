//! Events as JSON: an object for each, one on a line. What the keys mean is in `docs/reading.md`.

use super::{Recorded, View, write_out};
use crate::json::quote;
use std::convert::Infallible;
use std::io::{self, Write};
use trace_data::event::Event;
use trace_data::format::{Field, Kind};
use trace_data::page::Missed;
use trace_data::record::Record;
use trace_data::symbols::Symbols;
use trace_data::text::{Tasks, callers, print_date};

/// Writes objects.
pub(super) struct Objects<'a, W> {
    out: W,
    lines: Vec<u8>,
    recorded: &'a Recorded<'a>,
    wall_clock: bool,
    /// By event id: which fields are addresses in functions.
    functions: Vec<Vec<bool>>,
    text: Vec<u8>,
}

impl<'a, W: Write> Objects<'a, W> {
    pub(super) fn new(out: W, recorded: &'a Recorded<'a>, wall_clock: bool) -> Objects<'a, W> {
        let mut functions = Vec::new();
        for event in recorded.events.iter() {
            let count = event.format().fields.len();
            functions.resize(usize::from(event.format().id), Vec::new());
            functions.push((0..count).map(|index| event.names_function(index)).collect());
        }
        Objects { out, lines: Vec::new(), recorded, wall_clock, functions, text: Vec::new() }
    }

    /// What every event has.
    fn common(&mut self, record: &Record<'_>, pid: i32) -> io::Result<()> {
        let out = &mut self.lines;
        write!(out, "{{\"time\":{}", record.time)?;
        if let Some(time) = self.recorded.real_time(record.time).filter(|_| self.wall_clock) {
            out.extend_from_slice(b",\"date\":\"");
            print_date(time, out);
            out.push(b'"');
        }
        write!(out, ",\"cpu\":{},\"pid\":{pid}", record.cpu)?;
        if let Some(tgid) = self.recorded.threads.tgid(pid) {
            write!(out, ",\"tgid\":{tgid}")?;
        }
        if let Some(comm) = self.recorded.threads.comm(pid) {
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
    fn own(&mut self, event: &Event, payload: &[u8]) -> io::Result<()> {
        let format = event.format();
        let out = &mut self.lines;
        out.extend_from_slice(b",\"system\":");
        string(format.system.as_bytes(), out);
        out.extend_from_slice(b",\"event\":");
        string(format.name.as_bytes(), out);
        out.extend_from_slice(b",\"fields\":{");
        let functions = self.functions.get(usize::from(format.id)).map_or(&[][..], Vec::as_slice);
        let fields = format.fields.iter().enumerate().skip(format.common);
        for (place, (index, field)) in fields.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            string(field.name.as_bytes(), out);
            out.push(b':');
            if let Some(callers) = callers(event, payload).filter(|_| field.name == "caller") {
                list(&callers, self.recorded.symbols, out)?;
                continue;
            }
            match field.integer(payload).filter(|_| functions.get(index) == Some(&true)) {
                Some(address) => function(self.recorded.symbols, address as u64, out)?,
                None => value(field, payload, out)?,
            }
        }
        out.extend_from_slice(b"},\"text\":");
        self.text.clear();
        match callers(event, payload) {
            Some(callers) => stack(&callers, self.recorded.symbols, &mut self.text),
            None => event.print(payload, self.recorded.symbols, &mut self.text),
        }
        string(&self.text, out);
        Ok(())
    }
}

impl<W: Write> View for Objects<'_, W> {
    fn event(&mut self, record: &Record<'_>) -> io::Result<()> {
        let word = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        self.common(record, abi::common::pid(word))?;
        match self.recorded.events.of(record.payload) {
            Some(event) => self.own(event, record.payload)?,
            None => write!(self.lines, ",\"type\":{}", abi::common::event(word))?,
        }
        self.lines.extend_from_slice(b"}\n");
        write_out(&mut self.out, &mut self.lines, false)
    }

    fn finish(&mut self) -> io::Result<()> {
        write_out(&mut self.out, &mut self.lines, true)?;
        self.out.flush()
    }
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

/// The same as lines show them.
fn stack(callers: &[u64], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<stack trace>");
    for caller in callers {
        out.extend_from_slice(b"\n => ");
        match symbols.symbol(*caller) {
            Some(symbol) => out.extend_from_slice(symbol.name.as_bytes()),
            None => out.extend_from_slice(format!("{caller:#x}").as_bytes()),
        }
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
