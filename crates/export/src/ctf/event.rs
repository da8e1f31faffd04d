//! An event: what its fields are in the Common Trace Format, and their bytes.

use std::collections::HashSet;
use std::fmt::Write;
use trace_data::event::Event;
use trace_data::format::{Field, Kind};
use trace_data::info::TraceInfo;
use trace_data::print::symbol_names;
use trace_data::record::Record;
use trace_data::symbols::{Symbols, function_at, place_at};
use trace_data::text::callers;

/// The fields of an event.
#[derive(Debug)]
pub(super) struct CtfEvent {
    /// What it is called.
    pub(super) name: String,
    fields: Vec<CtfField>,
}

#[derive(Debug)]
struct CtfField {
    name: String,
    field: Field,
    kind: CtfKind,
}

/// What a field is.
#[derive(Debug)]
enum CtfKind {
    /// A number of 1, 2, 4 or 8 bytes, with the names of its values.
    Integer(Vec<(i128, String)>),
    /// A string.
    Text,
    /// An address in a function: a string, as nobody knows what lies there but this trace.
    Function,
    /// Numbers, as many as there are.
    Numbers { size: usize },
    /// The functions of a stack.
    Stack,
}

impl CtfEvent {
    pub(super) fn of(event: &Event) -> CtfEvent {
        let format = event.format();
        let mut names = symbol_names(format);
        let mut taken = HashSet::new();
        let own = format.fields.iter().enumerate().skip(format.common);
        let fields = own.map(|(index, field)| {
            let mut name = identifier(&field.name);
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            let names = names.get_mut(index).map(std::mem::take).unwrap_or_default();
            CtfField { name, kind: kind(event, index, field, names), field: field.clone() }
        });
        CtfEvent { name: format!("{}:{}", format.system, format.name), fields: fields.collect() }
    }

    /// Appends the context and the fields of a record.
    pub(super) fn encode(
        &self,
        event: &Event,
        record: &Record<'_>,
        trace: &TraceInfo<'_>,
        out: &mut Vec<u8>,
    ) {
        let tid = record.pid();
        for id in [trace.tasks.tgid(tid).unwrap_or(tid), tid] {
            out.extend_from_slice(&id.to_le_bytes());
        }
        push_text(trace.tasks.comm(tid).unwrap_or("?"), out);
        for field in &self.fields {
            field.encode(event, record.payload, trace.symbols, out);
        }
    }

    /// Appends the declarations of the fields, each on a line.
    pub(super) fn declare(&self, out: &mut String) {
        for field in &self.fields {
            field.declare(out);
        }
    }
}

fn kind(event: &Event, index: usize, field: &Field, names: Vec<(u64, String)>) -> CtfKind {
    let is_stack = field.name == "caller" && event.format().system == "ftrace";
    match field.element_type() {
        Some(_) if is_stack => CtfKind::Stack,
        Some(element) if element.text => CtfKind::Text,
        Some(element) if matches!(element.size, 1 | 2 | 4 | 8) => CtfKind::Numbers { size: element.size },
        Some(_) => CtfKind::Numbers { size: 1 },
        None if event.names_function(index) => CtfKind::Function,
        None if field.kind == Kind::Integer && matches!(field.size, 1 | 2 | 4 | 8) => {
            CtfKind::Integer(named_values(field, names))
        }
        None => CtfKind::Numbers { size: 1 },
    }
}

/// The values of a field that have names, as numbers of its type; each once.
fn named_values(field: &Field, names: Vec<(u64, String)>) -> Vec<(i128, String)> {
    let unused = 64 - 8 * field.size as u32;
    let value = |bits: u64| match field.signed {
        true => i128::from((bits << unused) as i64 >> unused),
        false => i128::from(bits << unused >> unused),
    };
    let mut named: Vec<(i128, String)> = names.into_iter().map(|(bits, name)| (value(bits), name)).collect();
    named.sort();
    named.dedup_by_key(|(value, _)| *value);
    named
}

impl CtfField {
    fn encode(&self, event: &Event, payload: &[u8], symbols: &dyn Symbols, out: &mut Vec<u8>) {
        let CtfField { field, kind, .. } = self;
        match kind {
            CtfKind::Integer(_) => {
                let bytes = field.integer(payload).unwrap_or_default().to_le_bytes();
                out.extend_from_slice(&bytes[..field.size]);
            }
            CtfKind::Text => push_text(&field.string(payload).unwrap_or_default(), out),
            CtfKind::Function => {
                push_text(&place_at(field.integer(payload).unwrap_or_default() as u64, symbols), out);
            }
            CtfKind::Numbers { size } => {
                let bytes = field.bytes(payload).unwrap_or_default();
                let count = bytes.len() / size;
                out.extend_from_slice(&(count as u32).to_le_bytes());
                out.extend_from_slice(&bytes[..count * size]);
            }
            CtfKind::Stack => {
                let callers = callers(event, payload).unwrap_or_default();
                out.extend_from_slice(&(callers.len() as u32).to_le_bytes());
                callers.iter().for_each(|caller| push_text(&function_at(*caller, symbols), out));
            }
        }
    }

    fn declare(&self, out: &mut String) {
        let CtfField { name, field, kind } = self;
        // Writing into a string can't fail.
        let _ = match kind {
            CtfKind::Integer(names) if names.is_empty() => {
                let base = if field.is_pointer() { 16 } else { 10 };
                writeln!(out, "\t\t{} _{name};", integer(field.size, field.signed, base))
            }
            CtfKind::Integer(names) => {
                let names: Vec<String> =
                    names.iter().map(|(value, name)| format!("{} = {value}", text(name))).collect();
                let container = integer(field.size, field.signed, 10);
                writeln!(out, "\t\tenum : {container} {{ {} }} _{name};", names.join(", "))
            }
            CtfKind::Text | CtfKind::Function => writeln!(out, "\t\tstring _{name};"),
            CtfKind::Numbers { size } => {
                let (length, element) = (integer(4, false, 10), integer(*size, field.signed, 10));
                writeln!(out, "\t\t{length} __{name}_length;\n\t\t{element} _{name}[__{name}_length];")
            }
            CtfKind::Stack => {
                let length = integer(4, false, 10);
                writeln!(out, "\t\t{length} __{name}_length;\n\t\tstring _{name}[__{name}_length];")
            }
        };
    }
}

/// The type of an integer of so many bytes.
pub(super) fn integer(size: usize, signed: bool, base: u32) -> String {
    format!("integer {{ size = {}; align = 8; signed = {signed}; base = {base}; }}", 8 * size)
}

/// A string that ends at its NUL.
fn push_text(text: &str, out: &mut Vec<u8>) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

/// What a field may be called: after the underscore that is put in front of it.
fn identifier(name: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).collect()
}

/// A string literal of the metadata.
pub(super) fn text(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            '\n' => literal.push_str("\\n"),
            letter if letter.is_control() => literal.push('?'),
            letter => literal.push(letter),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_data::format::Format;
    use trace_data::print::Dialect;

    #[test]
    fn fields_are_declared_and_encoded_with_their_types() {
        let format = "name: demo\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
             \tfield:int error;\toffset:8;\tsize:4;\tsigned:1;\n\
             \tfield:__data_loc char[] a_b;\toffset:12;\tsize:4;\tsigned:0;\n\
             \tfield:u16 a_b[2];\toffset:16;\tsize:4;\tsigned:0;\n\n\
             print fmt: \"error=%s\", __print_symbolic(REC->error, { 2, \"ENO\\\"ENT\" }, { -1, \"NONE\" })\n";
        let event = Event::new(Format::parse("a\"b", format).unwrap(), Dialect::Kernel);
        let shape = CtfEvent::of(&event);
        let mut declared = String::new();
        shape.declare(&mut declared);
        assert!(declared.contains(r#"{ "NONE" = -1, "ENO\"ENT" = 2 } _error;"#), "{declared}");
        assert!(
            declared.contains("string _a_b;") && declared.contains("_a_b_[__a_b__length];"),
            "{declared}"
        );
        assert_eq!(text(&shape.name), r#""a\"b:demo""#);

        let payload = [7, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 20, 0, 2, 0, 5, 0, 6, 0, b'h', 0xff];
        let mut bytes = Vec::new();
        shape.fields.iter().for_each(|field| field.encode(&event, &payload, &(), &mut bytes));
        assert_eq!(bytes, [&[2, 0, 0, 0], "h\u{fffd}\0".as_bytes(), &[2, 0, 0, 0, 5, 0, 6, 0]].concat());
        bytes.clear();
        shape.fields.iter().for_each(|field| field.encode(&event, &[7, 0], &(), &mut bytes));
        assert_eq!(bytes, [0; 4 + 1 + 4], "of a record that is cut off nothing is read");
    }
}
