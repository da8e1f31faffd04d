//! The messages of the system `ftrace`, which the kernel prints its own way: without the event's
//! name in front, and not by the print format.

use super::Layout;
use super::escape::escape;
use super::time::time;
use crate::bytes::until_nul;
use crate::digits::hex;
use crate::event::Event;
use crate::format::Format;
use crate::record::Record;
use crate::symbols::{Symbol, Symbols};
use std::io::Write;

/// Appends the message of an event of the system `ftrace`, its line end included.
///
/// What isn't known here is printed by its print format.
pub(super) fn print(
    event: &Event,
    record: &Record<'_>,
    symbols: &dyn Symbols,
    layout: Layout,
    out: &mut Vec<u8>,
) {
    let payload = record.payload;
    let number = |name: &str| word(event, name, payload);
    let symbol = |address: u64, out: &mut Vec<u8>| symbol(address, symbols, layout, out);
    match event.format().name.as_str() {
        "print" => {
            symbol(number("ip"), out);
            out.extend_from_slice(b": ");
            out.extend_from_slice(until_nul(bytes(event, "buf", payload)));
        }
        "raw_data" => raw_data(event, payload, out),
        "function" => function(event, payload, symbols, layout, out),
        "func_repeats" => {
            function(event, payload, symbols, layout, out);
            let (count, before) = repeats(event, payload);
            // Writing into a vector can't fail.
            let _ = write!(out, " (repeats: {count}, last_ts: ");
            time(record.time.wrapping_sub(before), layout.nanoseconds, out);
            out.push(b')');
        }
        "kernel_stack" => kernel_stack(event, payload, symbols, layout, out),
        "user_stack" => user_stack(bytes(event, "caller", payload), out),
        _ => event.print(payload, symbols, out),
    }
    if out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
}

/// A function, what it was called with where that is known, and its caller.
fn function(event: &Event, payload: &[u8], symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    let (ip, parent) = (word(event, "ip", payload), word(event, "parent_ip", payload));
    let start = out.len();
    symbol(ip, symbols, layout, out);
    let registers = bytes(event, "args", payload);
    if registers.len() >= REGISTERS {
        strip_parameters(start, out);
        out.push(b'(');
        arguments(ip, registers, symbols, out);
        out.push(b')');
    }
    if layout.parent && parent != 0 {
        out.extend_from_slice(b" <-");
        symbol(parent, symbols, layout, out);
    }
}

/// Takes the types of parameters off the name that begins at `start`, as it is of C++: their values follow.
fn strip_parameters(start: usize, out: &mut Vec<u8>) {
    let name = &out[start..];
    let name = name.strip_suffix(b" const").unwrap_or(name);
    let mut depth = 0;
    let opening = name.iter().rposition(|byte| {
        depth += i32::from(*byte == b')') - i32::from(*byte == b'(');
        depth == 0
    });
    if let Some(opening) = opening.filter(|at| *at > 0 && name.ends_with(b")")) {
        out.truncate(start + opening);
    }
}

/// Bytes of the registers that arguments are in.
const REGISTERS: usize = 6 * 8;

/// Appends what a function was called with, if the registers were recorded and somebody knows what they mean.
pub(super) fn arguments(function: u64, registers: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
    let Some(registers) = registers.get(..REGISTERS) else { return };
    let mut words = [0; REGISTERS / 8];
    for (word, bytes) in words.iter_mut().zip(registers.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    symbols.arguments(function, &words, out);
}

/// How often a function was called again, and how long before the record for the last time.
pub(super) fn repeats(event: &Event, payload: &[u8]) -> (u64, u64) {
    let number = |name| word(event, name, payload);
    (number("count"), number("top_delta_ts") << 32 | number("bottom_delta_ts"))
}

/// Whether it is a stack, which has a line for each caller.
pub(super) fn is_stack(format: &Format) -> bool {
    format.is("ftrace", "kernel_stack") || format.is("ftrace", "user_stack")
}

/// A field of such an event as a number; 0 where it has none of that name.
pub(super) fn word(event: &Event, name: &str, payload: &[u8]) -> u64 {
    let field = event.format().field(name);
    field.and_then(|field| field.integer(payload)).map_or(0, |value| value as u64)
}

/// A field of such an event as bytes; none where it has none of that name.
pub(super) fn bytes<'a>(event: &Event, name: &str, payload: &'a [u8]) -> &'a [u8] {
    event.format().field(name).and_then(|field| field.bytes(payload)).unwrap_or_default()
}

/// The addresses of a stack, the innermost first; nothing of another event.
pub fn callers(event: &Event, payload: &[u8]) -> Option<Vec<u64>> {
    let format = event.format();
    let field = format.field("caller").filter(|_| format.is("ftrace", "kernel_stack"))?;
    // The array is longer than its format says: up to the end of the record.
    let words = payload.get(field.offset..)?.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    Some(words.take_while(|address| *address != u64::MAX).collect())
}

/// What was written to `trace_marker_raw`, up to the end of the record.
pub(super) fn raw_data(event: &Event, payload: &[u8], out: &mut Vec<u8>) {
    // Writing into a vector can't fail.
    let _ = write!(out, "# {:x} buf:", word(event, "id", payload));
    for byte in bytes(event, "buf", payload) {
        out.push(b' ');
        hex(u64::from(*byte), 2, out);
    }
}

fn kernel_stack(event: &Event, payload: &[u8], symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<stack trace>\n");
    for address in callers(event, payload).unwrap_or_default() {
        out.extend_from_slice(b" => ");
        let start = out.len();
        match symbols.symbol(address) {
            // The name of a file alone says nothing. The kernel has no such frames.
            Some(known) if layout.escape && known.is_file() => {
                symbol_with_offset(Symbol { module: None, ..known }, out)
            }
            _ => symbol(address, symbols, layout, out),
        }
        symbols.source(address, out);
        if layout.escape {
            escape(out, start);
        }
        out.push(b'\n');
    }
}

/// Callers in a process, whose names the kernel doesn't know.
fn user_stack(callers: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"<user stack trace>\n");
    let callers = callers.as_chunks().0.iter().map(|caller| u64::from_le_bytes(*caller));
    for address in callers.take_while(|address| *address != 0) {
        // Writing into a vector can't fail.
        let _ = writeln!(out, " =>  <{address:016x}>");
    }
}

/// The name of an address, or the address: with what the options want besides.
pub(super) fn symbol(address: u64, symbols: &dyn Symbols, layout: Layout, out: &mut Vec<u8>) {
    if address == 0 {
        return out.push(b'0');
    }
    match symbols.symbol(address) {
        Some(symbol) if layout.symbol_offset => symbol_with_offset(symbol, out),
        Some(symbol) => out.extend_from_slice(symbol.name.as_bytes()),
        None => {
            out.extend_from_slice(b"0x");
            hex(address, if layout.symbol_offset { 0 } else { 8 }, out);
        }
    }
    if layout.symbol_address {
        let _ = write!(out, " <{address:016x}>");
    }
}

/// `NAME+0xOFFSET/0xSIZE [MODULE]`.
pub(super) fn symbol_with_offset(Symbol { name, offset, size, module }: Symbol<'_>, out: &mut Vec<u8>) {
    // Writing into a vector can't fail.
    let _ = write!(out, "{name}+0x{offset:x}");
    let _ = size.map_or(Ok(()), |size| write!(out, "/0x{size:x}"));
    let _ = module.map_or(Ok(()), |module| write!(out, " [{module}]"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Missed;
    use crate::print::Dialect;
    use crate::symbols::SymbolTable;

    fn printed(fields: &str, name: &str, payload: &[u8]) -> String {
        let text = format!("name: {name}\nID: 1\nformat:\n\n{fields}\nprint fmt: \"\"\n");
        let event = Event::new(Format::parse("ftrace", &text).unwrap(), Dialect::Kernel);
        let symbols = SymbolTable::parse("1000 t caller\n2000 t callee\n3000 t end\n", "");
        let mut out = Vec::new();
        let record = Record { cpu: 0, time: 2_000_000_000, payload, lost: Missed::None };
        print(&event, &record, &symbols, Layout::default(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_stand_in_place_of_types() {
        for (name, expected) in [
            ("main", "main"),
            ("Cart::add(int, double (*)(int)) const", "Cart::add"),
            ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"),
            ("<fn(u8) as Shape>::area", "<fn(u8) as Shape>::area"),
            ("(odd)", "(odd)"),
        ] {
            let mut out = b"x ".to_vec();
            out.extend_from_slice(name.as_bytes());
            strip_parameters(2, &mut out);
            assert_eq!(out, [b"x ", expected.as_bytes()].concat());
        }
    }

    #[test]
    fn a_function_and_its_caller() {
        let fields = "field:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\
                      field:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n";
        let payload: Vec<u8> = [0, 0x2004, 0x1010].iter().flat_map(|n: &u64| n.to_le_bytes()).collect();
        assert_eq!(printed(fields, "function", &payload), "callee <-caller\n");
        let payload: Vec<u8> = [0, 0x4, 0].iter().flat_map(|n: &u64| n.to_le_bytes()).collect();
        assert_eq!(printed(fields, "function", &payload), "0x00000004\n");
    }
}
