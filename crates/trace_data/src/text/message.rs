//! What follows the time: an event's name and what its print format makes of a record.

use super::escape::escape;
use super::{Layout, fields, ftrace, probe, system_call};
use crate::bytes::{u16_at, until_nul};
use crate::event::{Event, EventTable};
use crate::record::Record;
use crate::symbols::Symbols;
use std::io::Write;

/// Appends the message and a line end.
pub(super) fn print(
    events: &EventTable,
    record: &Record<'_>,
    symbols: &dyn Symbols,
    layout: Layout,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let Some(event) = events.of(record.payload) else {
        // Writing into a vector can't fail.
        return drop(writeln!(out, "Unknown type {}", u16_at(record.payload, 0).unwrap_or(0)));
    };
    as_it_is(event, record, symbols, layout, out);
    if layout.escape && !ftrace::is_stack(event.format()) {
        // The last byte is the line end.
        out.pop();
        escape(out, start);
        out.push(b'\n');
    }
}

/// The message with control characters as they are, but for those of a stack: it has several lines.
fn as_it_is(event: &Event, record: &Record<'_>, symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    let payload = record.payload;
    if layout.fields {
        return fields::print(event, payload, symbols, out);
    }
    if event.format().system == "ftrace" {
        return ftrace::print(event, record, symbols, layout, out);
    }
    if system_call::print(event.format(), payload, layout.verbose, out) {
        return out.push(b'\n');
    }
    out.extend_from_slice(event.format().name.as_bytes());
    out.extend_from_slice(b": ");
    let start = out.len();
    event.print(payload, symbols, out);
    if probe::is_probe(event.format()) {
        probe::mend(event.format(), payload, start, out);
    }
    out.push(b'\n');
}

/// Appends the text of a message, up to its end, if it is one: without the function that wrote it.
pub(super) fn print_alone(events: &EventTable, payload: &[u8], out: &mut Vec<u8>) -> bool {
    let event = events.of(payload).filter(|event| event.format().is("ftrace", "print"));
    out.extend_from_slice(event.map_or(&[], |event| until_nul(ftrace::bytes(event, "buf", payload))));
    event.is_some()
}
